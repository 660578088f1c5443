import { oneOf } from "../pattern/one-of.ts";
import type { Step } from "../shell/commands.ts";
import { quoted } from "../shell/texts-in.ts";
import { escapesIn, shellTextsIn } from "./code.ts";
import { inputTexts, printedTexts } from "./input.ts";
import { codeOf } from "./interpreters.ts";
import { resolvePlace } from "./places.ts";

const SHELLS = oneOf("sh bash dash zsh ksh mksh ash fish");
const OTHER_SCRIPT = () => /^#!.*\b(?:python|node|perl|ruby|php|deno|bun)/u;
/** Nobody writes a longer script into a file to run it in the same command. */
const LONGEST = 100_000;

/** The files into which a command writes a text, with the text: `cat > x <<EOF`, `echo … > x`, `… | tee x`. */
export function printedInto(step: Step): [string, string][] {
  const { program, redirections, folder } = step;
  const set = scriptsSetBy(step);
  if (set !== undefined) return [[resolvePlace("package.json", folder), set]];
  const targets = redirections.flatMap(({ operator, target }) => (/^>[>|]?$/u.test(operator) ? [target] : []));
  if (program === "tee") targets.push(...step.arguments.filter((word) => !word.startsWith("-")));
  if (targets.length === 0) return [];
  const text = printedTexts(step).join("\n");
  return text === "" || text.length > LONGEST ? [] : targets.map((target) => [resolvePlace(target, folder), text]);
}

export function isMake(program: string): boolean {
  return program === "make" || program === "gmake";
}

/** The commands of a makefile, for all targets, after its variables. */
function recipesIn(text: string): string | undefined {
  const lines = text.split("\n").flatMap((line) => {
    const [, name, value = ""] = /^(\w+)\s*[:?]{0,2}=\s*(\S*)$/u.exec(line) ?? [];
    return line.startsWith("\t") ? line.slice(1).replace(/^[@+-]+/u, "") : name === undefined ? [] : `${name}=${value}`;
  });
  if (!text.includes("\n\t") && !text.startsWith("\t")) return undefined;
  return lines
    .join("\n")
    .replace(/\$\((\w+)\)/gu, (_, name: string) => `\${${name}}`)
    .replaceAll("$$", "$");
}

/**
 * What was written into the files that a command names: as its program, an argument, the value of an option, or its
 * input.
 */
export function madeFor(step: Step, files: ReadonlyMap<string, string>): string[] {
  const input = step.redirections.flatMap(({ operator, target }) => (operator === "<" ? [target] : []));
  const own = isMake(step.program)
    ? ["Makefile", "makefile", "GNUmakefile"]
    : PACKAGES(step.program)
      ? ["package.json"]
      : [];
  const words = [step.path, ...step.arguments, ...input, ...own];
  return words.flatMap(
    (word) => files.get(resolvePlace(word.replace(/^(?:--?[\w-]+=|@)?(?:fileb?:\/\/)?/u, ""), step.folder)) ?? [],
  );
}

const PACKAGES = oneOf("npm pnpm yarn bun");

/** `npm pkg set scripts.x="…"`, as the package.json that it makes. */
function scriptsSetBy({ program, arguments: given }: Step): string | undefined {
  if (!PACKAGES(program) || given[0] !== "pkg" || given[1] !== "set") return undefined;
  const set = given.flatMap((word) => {
    const [, name = "", text = ""] = /^scripts\.([^=]+)=([\s\S]*)$/u.exec(word) ?? [];
    return name === "" ? [] : [[name, text] as const];
  });
  return set.length === 0 ? undefined : JSON.stringify({ scripts: Object.fromEntries(set) });
}

/** The scripts of a package.json that `npm run x`, `npm test` or `npm install` runs. */
function scriptsRunBy({ program, arguments: given }: Step, made: readonly string[]): string | undefined {
  const [verb = "", next = ""] = given.filter((word) => !word.startsWith("-"));
  const name = oneOf("run run-script")(verb) ? next : verb.replace(/^(?:i|ci|add)$/u, "install");
  if (!PACKAGES(program) || name === "") return undefined;
  const texts = made.flatMap((text) => [`pre${name}`, name, `post${name}`].flatMap((one) => scriptIn(text, one)));
  return texts.length === 0 ? undefined : texts.join("\n");
}

function scriptIn(text: string, name: string): string[] {
  try {
    const script: unknown = Reflect.get(Object(Reflect.get(Object(JSON.parse(text)), "scripts")), name);
    return typeof script === "string" ? [script] : [];
  } catch {
    return [];
  }
}

/** The shell script that a command runs, if the same text has written it. */
export function scriptRunBy(step: Step): string | undefined {
  const { program, path, arguments: given, made } = step;
  if (isMake(program)) return recipesIn([...made, ...inputTexts(step)].join("\n"));
  if (made.length === 0) return undefined;
  if (PACKAGES(program)) return scriptsRunBy(step, made);
  const isShell = SHELLS(program) ? !given.some((word) => /^-\w*c/u.test(word)) : oneOf("source .")(program);
  const isRun = (isShell || path.includes("/")) && !OTHER_SCRIPT().test(made[0] ?? "");
  return isRun ? withWords(made[0] ?? "", isShell ? given.slice(given.findIndex(isOperand) + 1) : given) : undefined;
}

function isOperand(word: string): boolean {
  return !/^[-+]./u.test(word);
}

/** A script with the words that its `$1` and `$@` are. */
function withWords(script: string, words: readonly string[]): string {
  return words.length === 0 ? script : `set -- ${words.map(quoted).join(" ")}\n${script}`;
}

/** Programs with commands of their own, some of which run a line in a shell. */
const ESCAPING = oneOf(
  "vim vi nvim ex view gvim ed red kak kakoune gdb lldb sqlite3 sqlite duckdb litecli psql pgcli mysql mariadb mycli mongosh mongo ftp sftp lftp telnet less more mail mailx mutt gnuplot",
);
/** What a command's code runs in a shell: `python -c`, `vim -c '!x'`, `sqlite3 a.db '.shell x'`, `gdb <<< 'shell x'`. */
export function shellTextsOfCode(step: Step): string[] {
  const code = codeOf(step);
  if (!ESCAPING(step.program)) return code === undefined ? [] : shellTextsIn(code);
  const given = step.arguments.map((word) => word.replace(/^\+|^--?[\w-]+=/u, ""));
  const text = [...given, ...inputTexts(step)].join("\n");
  return /sql|duckdb|maria|mycli|pgcli/u.test(step.program)
    ? escapesIn(text)
    : shellTextsIn({ language: "other", text });
}
