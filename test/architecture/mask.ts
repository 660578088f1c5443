/** Source text in which nothing but code is left to be searched. */
export interface MaskedSource {
  /** Comments are blank, a regular expression is `/r/`, a string is `"0"`: its place in `strings`. */
  code: string;
  strings: string[];
}

const TOKEN =
  /(?<blank>\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')|(?<word>[\w$]+)|(?<other>[\s\S])/uy;
const REGEX = /\/(?![/*])(?:\[(?:[^\]\\\n]|\\.)*\]|[^/\\\n[]|\\.)+\/[a-z]*/uy;
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/uy;

/** After one of these a slash begins a regular expression; after any other word, number or bracket it divides. */
const BEFORE_REGEX =
  /^$|[(,=:[!&|?{};+\-*%<>~^]$|^(?:return|typeof|case|in|of|await|void|delete|yield|throw|else|do)$/u;

export function maskSource(text: string): MaskedSource {
  const masker = new Masker(text);
  while (masker.at < text.length) masker.takeToken();
  return { code: masker.code, strings: masker.strings };
}

class Masker {
  at = 0;
  code = "";
  readonly strings: string[] = [];
  readonly #text: string;
  /** The last word or character of code: it tells a regular expression from a division. */
  #last = "";
  /** Open braces inside each `${…}` that surrounds the place. */
  readonly #depths: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  takeToken(): void {
    if (BEFORE_REGEX.test(this.#last) && this.#take(REGEX) !== undefined) {
      this.#emit("/r/");
      return;
    }
    const { blank, string, word, other = "" } = this.#take(TOKEN)?.groups ?? {};
    if (blank !== undefined) this.code += blank.includes("\n") ? "\n" : " ";
    else if (string !== undefined) this.#emit(`"${this.strings.push(string.slice(1, -1)) - 1}"`);
    else if (word !== undefined) this.#emit(word);
    else this.#takeCharacter(other);
  }

  #takeCharacter(character: string): void {
    const depth = this.#depths.pop();
    if (character === "}" && depth === 0) {
      this.#emit(")");
      this.#skipTemplateText();
      return;
    }
    if (depth !== undefined) this.#depths.push(depth + (character === "{" ? 1 : character === "}" ? -1 : 0));
    if (character === "`") this.#skipTemplateText();
    else this.#emit(character);
  }

  /** Up to the end of the template, or to the next `${`. */
  #skipTemplateText(): void {
    this.#take(TEMPLATE_TEXT);
    const isOpen = this.#text.startsWith("${", this.at);
    this.at += isOpen ? 2 : 1;
    if (isOpen) this.#depths.push(0);
    this.#emit(isOpen ? "(" : "``");
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text) ?? undefined;
    this.at += found?.[0].length ?? 0;
    return found;
  }

  #emit(code: string): void {
    this.code += code;
    this.#last = code;
  }
}
