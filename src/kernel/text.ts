// Controls, format characters (zero-width and bidirectional marks, tags), line and paragraph separators, private use,
// unpaired surrogates, and whatever else is drawn as nothing: what can move a cursor, hide text or reorder it.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u202f]/gu;

/**
 * The one door through which text of others (names, descriptions, reasons, file names, stderr) reaches a terminal:
 * every character that could act on it is shown as `\u{…}`, on one line, and the length is capped.
 */
export function clean(text: string, maximum = 500): string {
  const visible = text.replace(UNPRINTABLE, escapeUnit);
  return visible.length <= maximum ? visible : `${visible.slice(0, maximum - 1).replace(/\p{Cs}$/u, "")}…`;
}

const COLOUR = /(\u001b\[[0-9;]*m)/u;

/**
 * The last door before a terminal, behind `clean`: colours and line breaks are ours, and whatever else could act on it is
 * shown as `\u{…}`. A renderer that forgets to clean shows ugly text, and nothing worse.
 */
export function guardTerminal(text: string): string {
  return text
    .split(COLOUR)
    .map((part, at) =>
      at % 2 === 1 ? part : part.replace(UNPRINTABLE, (one) => (one === "\n" ? one : escapeUnit(one))),
    )
    .join("");
}

/** The same JSON document, with everything escaped that could act on a terminal; its own line breaks stay. */
export function guardJson(text: string): string {
  return text.replace(UNPRINTABLE, (one) => {
    if (one === "\n") return one;
    return [...Array(one.length).keys()].map((at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  });
}

function escapeUnit(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Like `clean`, for text that has lines: each is cleaned, and at most `maximumLines` are kept. */
export function cleanLines(text: string, maximumLines = 20): string[] {
  const lines = text.split(/\r?\n/u);
  const kept = lines.slice(0, maximumLines).map((line) => clean(line.replaceAll("\t", "  ")));
  return lines.length > maximumLines ? [...kept, `… ${lines.length - maximumLines} more lines`] : kept;
}

/** `1 hook`, `2 hooks`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/** Quotes an argument for a POSIX shell, and only where it needs it. */
export function shellQuote(argument: string): string {
  if (/^[\w@%+=:,./^~-]+$/u.test(argument) && !/^[~]/u.test(argument)) return argument;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
