import { clean } from "../../kernel/text.ts";

/** Markup that is ours. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Markup = Html | string | number | readonly Markup[];

/** Markup with contents in it. Every text goes through `clean` and is escaped: it cannot become markup, nor hide or reorder anything. */
export function html(parts: TemplateStringsArray, ...contents: readonly Markup[]): Html {
  return new Html(parts.map((part, at) => `${part}${print(contents[at] ?? "")}`).join(""));
}

/** A text of others, cut to this length. */
export function cut(text: string, maximum: number): string {
  return clean(text, maximum);
}

function print(content: Markup): string {
  if (content instanceof Html) return content.text;
  if (typeof content === "number") return String(content);
  if (typeof content === "string") return escapeMarkup(clean(content, LONGEST));
  return content.map(print).join("");
}

const LONGEST = 2_000;

function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/gu, (one) => `&#${one.charCodeAt(0)};`);
}
