import type { DiffHunk, FileDiff } from "../../card/archive/code-diff.ts";
import { clean } from "../../kernel/text.ts";
import type { SourceText } from "../../operations/author/show-card.ts";
import type { Review } from "../../operations/project/trust.ts";
import type { Style } from "../terminal/style.ts";

/** The code that a review is about: what differs from the version that was approved last. */
export function renderCode({ card, version, code }: Pick<Review, "card" | "version" | "code">, style: Style): string[] {
  if (code === null) return [`${clean(card)}@${clean(version)}: no code differs from what is approved`];
  const subject = `${clean(card)}@${code.from === null ? clean(version) : `${clean(code.from)} → ${clean(version)}`}`;
  const title = style.bold(code.from === null ? `${subject}: no version of this card was ever approved here` : subject);
  if (code.files === null) return [title, "  the former code is not on this machine any more", ""];
  const names = code.files.map(
    (file) => `${MARKS[file.change]} ${clean(file.path)}${file.hunks === null ? " (no text)" : ""}`,
  );
  return [title, ...names, ...code.files.flatMap((file) => renderFile(file, style)), ""];
}

const MARKS: Readonly<Record<FileDiff["change"], string>> = { added: "+", removed: "-", changed: "~" };

function renderFile({ path, hunks }: FileDiff, style: Style): string[] {
  if (hunks === null || hunks.length === 0) return [];
  return ["", style.bold(clean(path)), ...hunks.flatMap((hunk) => renderHunk(hunk, style))];
}

function renderHunk({ from, to, lines }: DiffHunk, style: Style): string[] {
  const shown = lines.map((line) => {
    const text = clean(line.replaceAll("\t", "  "), Number.MAX_SAFE_INTEGER);
    if (line.startsWith("+")) return style.good(text);
    return line.startsWith("-") ? style.bad(text) : text;
  });
  return [style.dim(`@@ line ${from} → line ${to} @@`), ...shown];
}

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
