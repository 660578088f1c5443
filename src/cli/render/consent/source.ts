import { clean } from "../../../kernel/text.ts";
import type { SourceText } from "../../../operations/author/show-card.ts";
import type { Style } from "../../terminal/style.ts";

/** Every line of every file, numbered and cleaned. No line is cut: what is cut off could be what it is about. */
export function renderSource(sources: readonly SourceText[], style: Style): string[] {
  return sources.flatMap(({ path, text }) => {
    const title = style.bold(clean(path, 2_000));
    if (text === null) return [title, "  (no text)", ""];
    const lines = text.replace(/\n$/u, "").split("\n");
    const digits = `${lines.length}`.length;
    return [
      title,
      ...lines.map((line, at) => `${style.dim(`${at + 1}`.padStart(digits))}  ${highlight(line, style)}`),
      "",
    ];
  });
}

/**
 * Words of the language and texts in quotes are marked. Comments aren't: what is a comment takes a parser to tell, and code that
 * looked like one would be passed over.
 */
function highlight(line: string, style: Style): string {
  const text = clean(line.replaceAll("\t", "  "), Number.MAX_SAFE_INTEGER);
  return text.replaceAll(MARKED, (found) => (/^["'`]/u.test(found) ? style.good(found) : style.bold(found)));
}

const MARKED =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:async|await|case|catch|class|const|default|else|export|for|from|function|if|import|let|new|of|return|switch|throw|try|typeof|while)\b/gu;
