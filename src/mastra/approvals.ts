/** A call as it was when Mastra asked about it. */
interface Asked {
  toolName: string;
  /** The text of its input. */
  text: string;
}

/**
 * The calls that a person has to approve before Mastra makes them: of one that is made, that is how it is known that somebody was
 * asked. Mastra tells neither the number of a call nor its agent when it asks. But before it makes a call it builds the input anew,
 * asks about that very object, and hands it to the tool only where the person said yes. So that object is the call: an equal
 * input is another call, of whatever agent, and one that was refused is never seen again.
 */
export class Approvals {
  readonly #asked = new WeakMap<object, Asked>();

  raise(toolName: string, input: unknown, text: string): void {
    if (typeof input === "object" && input !== null) this.#asked.set(input, { toolName, text });
  }

  /** Each counts once, for the tool and the input that were asked about. */
  take(toolName: string, input: unknown, text: string): boolean {
    if (typeof input !== "object" || input === null) return false;
    const asked = this.#asked.get(input);
    this.#asked.delete(input);
    return asked?.toolName === toolName && asked.text === text;
  }
}
