import type { Held } from "./state.ts";

/** One way in which a command may come out, if its words have more than one possible text. */
export class Round {
  /** What the command itself has set so far: `A=b C=$A`. */
  readonly set = new Map<string, Held>();
  readonly #picked = new Map<unknown, unknown>();
  readonly #choices: readonly number[];
  readonly sizes: number[] = [];

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  /** One of these, the same each time that this round asks for the key. */
  pick<T>(key: unknown, from: readonly T[]): T {
    if (this.#picked.has(key)) return this.#picked.get(key) as T;
    const [only] = from;
    let picked = only as T;
    if (from.length > 1) {
      picked = from[this.#choices[this.sizes.length] ?? 0] as T;
      this.sizes.push(from.length);
    }
    this.#picked.set(key, picked);
    return picked;
  }
}

/** What comes out in each round; null: these are more than the most. */
export function rounds<T>(most: number, read: (round: Round) => T): T[] | null {
  const found: T[] = [];
  for (let choices: readonly number[] | undefined = []; choices !== undefined; ) {
    const round: Round = new Round(choices);
    found.push(read(round));
    if (found.length > most || (choices.length === 0 && product(round.sizes) > most)) return null;
    choices = nextOf(choices, round.sizes);
  }
  return found;
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all * size, 1);
}

function nextOf(choices: readonly number[], sizes: readonly number[]): readonly number[] | undefined {
  const current = sizes.map((_, at) => choices[at] ?? 0);
  const last = current.findLastIndex((choice, at) => choice + 1 < (sizes[at] ?? 0));
  return last < 0 ? undefined : [...current.slice(0, last), (current[last] ?? 0) + 1];
}
