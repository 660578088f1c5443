import { type HookCase, printCase } from "../../card/hooks/cases.ts";
import { UnreadableCommand } from "../../helpers/shell/parse/scan.ts";
import { readShell } from "../../helpers/shell/unwrap.ts";
import { shellQuote } from "../../kernel/text.ts";
import { spellingsIn } from "../../policy/tools.ts";
import { askCalls } from "./ask-calls.ts";
import type { HookUnderTest, ProvingSandbox } from "./sandbox.ts";
import { FOLDER, simulateCalls } from "./simulated-calls.ts";

interface Survivor {
  hook: string;
  /** The case that it was made from, and what was done to it. */
  of: string;
  how: string;
  expected: "allow" | "refused";
  /** A line for `cases.jsonl`. */
  line: string;
}

export interface MutationFigures {
  tried: number;
  held: number;
  survivors: Survivor[];
}

/** A mutant. It only counts if the hook allows its control: the same call with a harmless text. */
interface Trial {
  mutant: Mutant;
  of: string;
  control: HookCase | null;
}

/**
 * Asks the hook about calls that come to the same as those of its cases. It must refuse a refused call however it is
 * written, and allow calls that only mention it.
 */
export async function mutateCases(
  place: ProvingSandbox,
  hook: HookUnderTest,
  cases: readonly HookCase[],
): Promise<MutationFigures> {
  const known = new Set(cases.map(({ id }) => id));
  const trials = cases.flatMap(trialsOf).filter(({ mutant }) => !known.has(mutant.case.id));
  const asked = trials.flatMap(({ mutant, control }) => [mutant.case, ...(control === null ? [] : [control])]);
  const answers = await askCalls(place, hook, asked.map(toCall));
  let at = 0;
  const figures: MutationFigures = { tried: 0, held: 0, survivors: [] };
  for (const { mutant, of, control } of trials) {
    const isLetThrough = answers[at++]?.verdict === "allow";
    // A guard that refuses this way of mentioning anything says nothing about what is mentioned.
    if (control !== null && answers[at++]?.verdict !== "allow") continue;
    figures.tried++;
    const expected = mutant.case.expect === "allow" ? "allow" : "refused";
    if (isLetThrough === (expected === "allow")) figures.held++;
    else
      figures.survivors.push({ hook: hook.policy.hook, of, how: mutant.how, expected, line: printCase(mutant.case) });
  }
  return figures;
}

function toCall(one: HookCase) {
  const [first] = simulateCalls(one);
  return { questions: first?.questions ?? [], isFresh: one.fresh };
}

function trialsOf(one: HookCase): Trial[] {
  const { id, tool, input, cwd = FOLDER, expect, phase = "pre-tool", todo = false } = one;
  if (todo || phase !== "pre-tool" || (expect !== "deny" && expect !== "ask")) return [];
  const { command } = input;
  const toTrial = (mutant: Mutant, control: HookCase | null = null): Trial => ({ mutant, of: id, control });
  if (tool !== "Bash" || typeof command !== "string") {
    return respellPath(input, cwd).map((other) => toTrial(mutantOf(one, other.how, { input: other.input, expect })));
  }
  const rewritten = rewriteCommand(command).map(({ how, text }) =>
    toTrial(mutantOf(one, how, { input: { ...input, command: text }, expect })),
  );
  const mentioned = mentionCommand(command).map(({ how, text, neutral }) => {
    const of = (said: string) =>
      mutantOf(one, `only in ${how}`, { input: { ...input, command: said }, expect: "allow" });
    return toTrial(of(text), of(neutral).case);
  });
  return [...rewritten, ...mentioned];
}

/** A call that comes to the same as that of a case, so that the hook should judge it alike. */
interface Mutant {
  /** What was done to it: `sudo`, `in a subshell`. */
  how: string;
  case: HookCase;
}

/** A mutant of a case. */
function mutantOf({ id, tool, cwd, agent, phase }: HookCase, how: string, mutated: MutatedCall): Mutant {
  const call = { id: `${id} ~ ${how}`, tool, cwd, agent, phase, expect: mutated.expect, input: mutated.input };
  // This removes undefined fields.
  return { how, case: JSON.parse(JSON.stringify(call)) as HookCase };
}

interface MutatedCall {
  input: HookCase["input"];
  expect: HookCase["expect"];
}

type Respell = (path: string, cwd: string | undefined) => string | undefined;

const SPELLINGS: readonly (readonly [how: string, respell: Respell])[] = [
  ["with ./", (path) => between(path, "/./")],
  ["with ..", (path) => between(path, "/other/../")],
  ["with two slashes", (path) => between(path, "//")],
  [
    "relative",
    (path, cwd) => (cwd !== undefined && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : undefined),
  ],
  ["absolute", (path, cwd) => (cwd === undefined || path.startsWith("/") ? undefined : `${cwd}/${path}`)],
  ["from the folder above", (path, cwd) => fromAbove(path, cwd)],
  ["with ~", (path, cwd) => fromHome(path, cwd)],
  ["in upper case", (path) => (process.platform === "darwin" ? path.toUpperCase() : undefined)],
];

/** Other spellings of the file that a call names. */
export function respellPath(
  input: Readonly<Record<string, unknown>>,
  cwd: string | undefined,
): { how: string; input: Record<string, unknown> }[] {
  const [field] = spellingsIn(input, "file_path");
  const path = field === undefined ? undefined : input[field];
  if (field === undefined || typeof path !== "string") return [];
  return SPELLINGS.flatMap(([how, respell]) => {
    const other = respell(path, cwd);
    return other === undefined || other === path ? [] : [{ how, input: { ...input, [field]: other } }];
  });
}

/** Inserts it before the last part of the path. */
function between(path: string, inserted: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? `.${inserted}${path}` : `${path.slice(0, at)}${inserted}${path.slice(at + 1)}`;
}

function fromAbove(path: string, cwd: string | undefined): string | undefined {
  const own = cwd?.split("/").at(-1) ?? "";
  if (cwd === undefined || own === "" || !path.startsWith(`${cwd}/`)) return undefined;
  return `../${own}/${path.slice(cwd.length + 1)}`;
}

/** Agents know the home of the user who started them; the call's folder shows where that is. */
function fromHome(path: string, cwd: string | undefined): string | undefined {
  const [home] = /^\/(?:home|Users)\/[^/]+(?=\/)/u.exec(path) ?? [];
  return home !== undefined && cwd?.startsWith(home) === true ? `~${path.slice(home.length)}` : undefined;
}

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
  const isOne = only !== undefined && others.length === 0 && only.read.assignments.length === 0;
  const isBare = isOne && only.read.redirections.length === 0;
  // A compound command ends on a separate line.
  const isSimple = isBare && !/[\n#;&|(){}]/u.test(text);
  const words: Words | undefined =
    isSimple && only.command.path !== "" ? [only.command.path, ...only.command.arguments] : undefined;
  const found = [...AROUND, ...(isSimple ? ABOUT : [])].map(([how, rewrite]) => ({ how, text: rewrite(text) }));
  if (words?.every(isPlain)) found.push(...OF_WORDS.map(([how, rewrite]) => ({ how, text: rewrite(words) })));
  return found.flatMap(({ how, text: other }) =>
    other === undefined || other === text || read(other).length === 0 ? [] : [{ how, text: other }],
  );
}

/** The commands in the text; none if a shell would refuse it. */
function read(text: string): ReturnType<typeof readShell> {
  try {
    return readShell(text).filter(({ starter }) => starter === undefined);
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

const TOKEN = /[\w+/=.-]{20,}/gu;

/**
 * Commands that only mention this text, each with the same command for a neutral text, where only the way of mentioning
 * counts. The tokens stay in it: a guard may refuse to have them written, whatever the words around them.
 */
export function mentionCommand(text: string): { how: string; text: string; neutral: string }[] {
  const tokens = (text.match(TOKEN) ?? []).filter((word) => /\d/u.test(word));
  const neutral = ["hello", ...tokens].join(" ");
  return MENTIONS.map(([how, mention]) => ({ how, text: mention(text), neutral: mention(neutral) }));
}
