import { clean } from "../../../kernel/text.ts";
import type { SourceText } from "../../../operations/author/show-card.ts";
import type { Style } from "../../terminal/style.ts";

/** Every line of every file, numbered and cleaned. No line is cut: the part cut off could be the one that matters. */
export function renderPolicyCode(sources: readonly SourceText[], style: Style): string[] {
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
 * Marks keywords and strings, but not comments: only a parser can tell what is one, and a reader would skip code that
 * looked like a comment.
 */
function highlight(line: string, style: Style): string {
  const text = clean(line.replaceAll("\t", "  "), Number.MAX_SAFE_INTEGER);
  return text.replaceAll(MARKED, (found) => (/^["'`]/u.test(found) ? style.good(found) : style.bold(found)));
}

const MARKED =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:async|await|case|catch|class|const|default|else|export|for|from|function|if|import|let|new|of|return|switch|throw|try|typeof|while)\b/gu;
