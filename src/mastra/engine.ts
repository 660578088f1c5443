import type { ServedAnswer, ServedQuestion } from "../contract/serving.ts";
import { AnsweringProcess, type HookPaths, type ProcessOutcome } from "./answering-process.ts";

/** Nobody could be asked; the message is for the model. */
class Unanswered extends Error {}

/** A process that has answered its share hands over to the next. */
const MOST_PROCESSES = 3;

/** Asks the policies of one project, in one process for the whole app. The first question starts it. */
export class Engine {
  readonly #place: () => HookPaths;
  #process: AnsweringProcess | null = null;

  constructor(place: () => HookPaths) {
    this.#place = place;
  }

  /** Null: no policy has anything to say. Throws an `Unanswered`. */
  async ask(about: ServedQuestion["about"], event: string): Promise<ServedAnswer | null> {
    for (let attempt = 0; attempt < MOST_PROCESSES; attempt++) {
      const outcome = await this.#put(about, event);
      if (outcome.kind === "answered") return outcome.answer;
      if (outcome.kind === "failed") throw new Unanswered(outcome.why);
    }
    throw new Unanswered("drwn: the hook process keeps being replaced, so the call is blocked");
  }

  end(): void {
    this.#process?.retire();
    this.#process = null;
  }

  #put(about: ServedQuestion["about"], event: string): Promise<ProcessOutcome> {
    if (this.#process?.isOpen !== true) this.#process = new AnsweringProcess(this.#place());
    return this.#process.ask(about, event);
  }
}
