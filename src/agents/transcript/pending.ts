import type { CallOutcome, TranscriptCall } from "./call.ts";

interface BegunCall {
  call: Omit<TranscriptCall, "outcome" | "until">;
  /** The length of the line that holds the call. */
  length: number;
}

/** More calls than any agent has in progress at once. */
const MOST = 500;
const LARGEST = 64 * 1024 * 1024;

/**
 * The calls whose result hasn't been read yet. Two may have the same id; the first result is then that of the first
 * call.
 */
export class PendingCalls {
  #calls = new Map<string, BegunCall[]>();
  #count = 0;
  #length = 0;

  /** Gives back the oldest calls if too many wait: nobody will know their results. */
  *add(begun: BegunCall): Generator<TranscriptCall> {
    const same = this.#calls.get(begun.call.id);
    if (same === undefined) this.#calls.set(begun.call.id, [begun]);
    else same.push(begun);
    this.#count += 1;
    this.#length += begun.length;
    for (const oldest of this.#calls.keys()) {
      if (this.#count <= MOST && this.#length <= LARGEST) return;
      yield* this.settle(oldest, "unknown");
    }
  }

  *settle(id: string, outcome: CallOutcome, until?: Date): Generator<TranscriptCall> {
    const [begun, ...others] = this.#calls.get(id) ?? [];
    if (begun === undefined) return;
    if (others.length === 0) this.#calls.delete(id);
    else this.#calls.set(id, others);
    this.#count -= 1;
    this.#length -= begun.length;
    yield { ...begun.call, outcome, ...(until === undefined ? {} : { until }) };
  }

  /** The calls without a result when the file ends. */
  *rest(outcomeOf: (id: string) => CallOutcome = () => "unknown"): Generator<TranscriptCall> {
    for (const [id, calls] of this.#calls) for (const { call } of calls) yield { ...call, outcome: outcomeOf(id) };
  }
}
