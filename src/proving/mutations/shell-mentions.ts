/** Ways to mention a text in a command that never runs it. */
const MENTIONS: readonly (readonly [how: string, mention: (text: string) => string])[] = [
  ["echo", (text) => `echo ${quote(text)}`],
  ["printf", (text) => `printf '%s\\n' ${quote(text)}`],
  ["a commit message", (text) => `git commit -m ${quote(text)}`],
  ["a grep pattern", (text) => `grep -rn ${quote(text)} .`],
  ["a comment", (text) => `ls # ${text.replaceAll("\n", " ")}`],
  ["a here-document of cat", (text) => `cat <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`],
  ["a note in a file", (text) => `cat > notes.md <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`],
  ["a variable", (text) => `note=${quote(text)}`],
];

/** Replaces `text` in the control, where only the way of mentioning counts. */
const NEUTRAL = "hello";

/** Commands that only mention this text, each with the same command for a neutral text. */
export function mentionCommand(text: string): { how: string; text: string; neutral: string }[] {
  return MENTIONS.map(([how, mention]) => ({ how, text: mention(text), neutral: mention(NEUTRAL) }));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
