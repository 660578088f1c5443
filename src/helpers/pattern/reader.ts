/** Reads a text character by character. */
export class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The next character; "" at the end. */
  peek(): string {
    const point = this.#text.codePointAt(this.#at);
    return point === undefined ? "" : String.fromCodePoint(point);
  }

  next(): string {
    const character = this.peek();
    this.#at += character.length;
    return character;
  }

  /** Skips this text if it comes next. */
  take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** Skips what a sticky expression matches here. */
  takeMatch(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}
