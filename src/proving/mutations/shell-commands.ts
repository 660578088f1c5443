import { readCommands } from "../../helpers/shell/read-script.ts";
import { UnreadableCommand } from "../../helpers/shell/scan.ts";
import { shellQuote } from "../../kernel/text.ts";

/** Another way to write a text, and its name. Undefined: the text can't be written in that way. */
type Rewriting = readonly [how: string, rewrite: (text: string) => string | undefined];

/** Puts a whole text into a place where a shell runs it. */
const AROUND: readonly Rewriting[] = [
  ["bash -c", (text) => `bash -c ${quote(text)}`],
  ["sh -c in a login", (text) => `sh -lc ${quote(text)}`],
  ["eval", (text) => `eval ${quote(text)}`],
  ["behind &&", (text) => `true && ${text}`],
  ["behind ;", (text) => `true; ${text}`],
  ["behind ||", (text) => `false || ${text}`],
  ["on the second line", (text) => `true\n${text}`],
  ["in a subshell", (text) => `(${text}\n)`],
  ["in a group", (text) => `{ ${text}\n}`],
  ["in a substitution", (text) => `echo "$(${text}\n)"`],
  ["in a process substitution", (text) => `cat <(${text}\n)`],
  ["in a function", (text) => `work() { ${text}\n}; work`],
  ["in a branch", (text) => `if true; then ${text}\nfi`],
  ["in a loop", (text) => `for one in 1; do ${text}\ndone`],
  ["in a here-document of bash", (text) => `bash <<'END_OF_TEXT'\n${text}\nEND_OF_TEXT`],
  ["in a here-document that is expanded", (text) => `cat <<END_OF_TEXT\n$(${text}\n)\nEND_OF_TEXT`],
  ["in a here-string of bash", (text) => `bash <<< ${quote(text)}`],
  ["fed to bash", (text) => `echo ${quote(text)} | bash`],
  ["in a trap", (text) => `trap ${quote(text)} EXIT`],
  ["negated", (text) => `! ${text}`],
  ["with a comment", (text) => `${text} # as agreed`],
];

/** Makes a text that is one command a part of another one. */
const ABOUT: readonly Rewriting[] = [
  ["sudo", (text) => `sudo ${text}`],
  ["sudo with options", (text) => `sudo -n -u root ${text}`],
  ["env", (text) => `env A=1 ${text}`],
  ["command", (text) => `command ${text}`],
  ["nohup", (text) => `nohup ${text}`],
  ["nice", (text) => `nice -n 5 ${text}`],
  ["timeout", (text) => `timeout 10 ${text}`],
  ["time", (text) => `time ${text}`],
  ["exec", (text) => `exec ${text}`],
  ["behind an assignment", (text) => `A=1 ${text}`],
  ["xargs", (text) => `echo | xargs ${text}`],
  ["find -exec", (text) => `find . -maxdepth 0 -exec ${text} \\;`],
  ["in a pipe", (text) => `echo y | ${text} | cat`],
  ["in the background", (text) => `${text} &`],
  ["with its output put away", (text) => `${text} >/dev/null 2>&1`],
  ["sudo in bash -c", (text) => `sudo bash -c ${quote(text)}`],
];

type Words = readonly [program: string, ...given: string[]];

/** Writes the words of one command differently. */
const OF_WORDS: readonly (readonly [how: string, rewrite: (words: Words) => string | undefined])[] = [
  ["in single quotes", (words) => words.map(quote).join(" ")],
  ["in double quotes", (words) => words.map((word) => `"${word}"`).join(" ")],
  ["with quotes within words", (words) => words.map(cut).join(" ")],
  ["with a backslash", ([program, ...given]) => [`\\${program}`, ...given.map(shellQuote)].join(" ")],
  ["in ANSI quotes", ([program, ...given]) => [`$'${program}'`, ...given.map(shellQuote)].join(" ")],
  ["with other blanks", (words) => words.map(shellQuote).join(" \t ")],
  ["over two lines", (words) => words.map(shellQuote).join(" \\\n  ")],
  [
    "by its path",
    ([program, ...given]) => (program.includes("/") ? undefined : print([`/usr/bin/${program}`, ...given])),
  ],
  ["with options apart", (words) => changed(words, words.flatMap(apart))],
  ["with options joined", (words) => changed(words, joined(words))],
];

/** Other texts that mean the same to a shell. */
export function rewriteCommand(text: string): { how: string; text: string }[] {
  const commands = read(text);
  if (commands.length === 0) return [];
  const [only, ...others] = commands;
  const isOne = only !== undefined && others.length === 0 && only.assignments.length === 0;
  const isBare = isOne && only.redirections.length === 0;
  // A compound command ends on a separate line.
  const isSimple = isBare && !/[\n#;&|(){}]/u.test(text);
  const [program, ...given] = only?.words ?? [];
  const words: Words | undefined = isSimple && program !== undefined ? [program, ...given] : undefined;
  const found = [...AROUND, ...(isSimple ? ABOUT : [])].map(([how, rewrite]) => ({ how, text: rewrite(text) }));
  if (words?.every(isPlain)) found.push(...OF_WORDS.map(([how, rewrite]) => ({ how, text: rewrite(words) })));
  return found.flatMap(({ how, text: other }) =>
    other === undefined || other === text || read(other).length === 0 ? [] : [{ how, text: other }],
  );
}

/** The commands in the text; none if a shell would refuse it. */
function read(text: string): ReturnType<typeof readCommands> {
  try {
    return readCommands(text);
  } catch (error) {
    if (error instanceof UnreadableCommand) return [];
    throw error;
  }
}

/** Whether the word means the same in any quotes. */
function isPlain(word: string): boolean {
  return word !== "" && !/[$`*?[\]{}~!<>|&;()\\'"\n#]/u.test(word);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** `r"m"`: a shell joins the parts. */
function cut(word: string): string {
  return word.length < 2 ? `"${word}"` : `${shellQuote(word.slice(0, 1))}"${word.slice(1)}"`;
}

function print(words: readonly string[]): string {
  return words.map(shellQuote).join(" ");
}

function changed(before: readonly string[], after: readonly string[]): string | undefined {
  return before.length === after.length ? undefined : print(after);
}

/** `-rf` as `-r -f`. A longer word may be one option, like those of find. */
function apart(word: string): string[] {
  return /^-[A-Za-z]{2,3}$/u.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word];
}

/** `-r -f` as `-rf`. */
function joined(words: readonly string[]): string[] {
  const printed: string[] = [];
  for (const word of words) {
    const last = printed.at(-1) ?? "";
    if (/^-[A-Za-z]$/u.test(word) && /^-[A-Za-z]+$/u.test(last)) printed[printed.length - 1] = last + word.slice(1);
    else printed.push(word);
  }
  return printed;
}
