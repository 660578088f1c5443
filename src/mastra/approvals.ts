/** A call as it was when Mastra asked about it. */
interface ApprovalRequest {
  toolName: string;
  /** The text of its input. */
  text: string;
}

/**
 * The calls that a person has to approve before Mastra makes them, which show that somebody was asked about a call.
 * When Mastra asks, it gives neither the call's number nor its agent. But before it makes a call, it builds the input
 * anew, asks about that very object, and hands it to the tool only if the person said yes. So the object identifies the
 * call: an equal input is another call, of any agent, and a refused one never appears again.
 */
export class Approvals {
  readonly #asked = new WeakMap<object, ApprovalRequest>();

  raise(toolName: string, input: unknown, text: string): void {
    if (typeof input === "object" && input !== null) this.#asked.set(input, { toolName, text });
  }

  /** Whether somebody was asked about this tool and this input. Each question counts once. */
  take(toolName: string, input: unknown, text: string): boolean {
    if (typeof input !== "object" || input === null) return false;
    const asked = this.#asked.get(input);
    this.#asked.delete(input);
    return asked?.toolName === toolName && asked.text === text;
  }
}
