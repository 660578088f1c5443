/** Mastra makes an approved call right after it has asked once more whether it needs approval. */
const FRESH_MS = 60_000;
const MOST = 1_000;

/**
 * The calls that a person had to approve before Mastra made them: of one that is made, that is how it is known that somebody was
 * asked. Mastra tells no number of a call when it asks, so that a call is known by its tool and its input.
 */
export class Approvals {
  readonly #raised = new Map<string, number>();

  raise(toolName: string, input: string): void {
    const oldest = this.#raised.keys().next();
    if (this.#raised.size >= MOST && oldest.done !== true) this.#raised.delete(oldest.value);
    const key = keyOf(toolName, input);
    this.#raised.delete(key);
    this.#raised.set(key, performance.now());
  }

  /** Each counts once. */
  take(toolName: string, input: string): boolean {
    const key = keyOf(toolName, input);
    const raised = this.#raised.get(key);
    this.#raised.delete(key);
    return raised !== undefined && performance.now() - raised < FRESH_MS;
  }
}

function keyOf(toolName: string, input: string): string {
  return `${toolName}\n${input}`;
}
