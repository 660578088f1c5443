import type { ReadCommand } from "./commands.ts";
import { oneOf, oneOfAnyCase } from "./one-of.ts";
import { behindDashes } from "./own-verbs.ts";
import { unquoted } from "./parse/marks.ts";
import { runBy, runByImage } from "./runners.ts";
import { STDIN, textForShell } from "./shell-arguments.ts";
import { quoted } from "./texts-in.ts";

/**
 * What a program starts: another program with its arguments and the variables set for it, or a text for a shell.
 * `isForeign`: the text may be for another program, or another kind of shell.
 */
export type Nested = { words: string[]; sets?: string[] } | { text: string; positions?: string[]; isForeign?: boolean };

/** How to find the command that a program starts after the program's own options. */
interface Starter {
  /** Letters of options that take the next argument, unless their value is attached. */
  valued?: string;
  /** Long options that take the next argument. */
  long?: readonly string[];
  /** Arguments before the command. */
  skips?: number;
  /** Options with which nothing is started. */
  inert?: RegExp;
}

/**
 * How to find the command; undefined: the program starts none. It isn't a table, since every call would create all rows
 * and use a few.
 */
function starterOf(program: string): Starter | undefined {
  switch (program) {
    case "builtin":
    case "chronic":
    case "nocorrect":
    case "noglob":
    case "nohup":
    case "setsid":
    case "unbuffer":
    case "eatmydata":
    case "fakeroot":
    case "prlimit":
    case "arch":
    case "systemd-inhibit":
    case "dbus-run-session":
      return {};
    case "caffeinate":
      return { valued: "tw" };
    case "chroot":
    case "taskset":
    case "faketime":
    case "setarch":
    case "sg":
      return { skips: 1 };
    case "command":
      return { inert: /^-[a-z]*[vV]/u };
    case "doas":
      return { valued: "Cu" };
    case "env":
      return { valued: "uC", long: ["--unset", "--chdir"] };
    case "exec":
      return { valued: "a" };
    case "flock":
      return { valued: "wE", skips: 1 };
    case "ionice":
      return { valued: "cnpPu" };
    case "nice":
      return { valued: "n", long: ["--adjustment"] };
    case "ssh-agent":
      return { valued: "aEPt", inert: /^-[a-z]*[kD]/u };
    case "stdbuf":
      return { valued: "ioe" };
    case "strace":
      return { valued: "abeEIoOpPsSuX" };
    case "sudo":
      return { valued: "CDghpRrTtUu", long: ["--user", "--group", "--host", "--prompt", "--chdir", "--chroot"] };
    case "time":
      return { valued: "fo", long: ["--format", "--output"] };
    case "repeat":
      return { skips: 1 };
    case "timeout":
      return { valued: "ks", long: ["--kill-after", "--signal"], skips: 1 };
    case "cpulimit":
      return { valued: "lpe" };
    case "ltrace":
      return { valued: "aeFlnopsuwxX" };
    case "proot":
      return { valued: "rbqw" };
    case "xargs":
      return { valued: "aEIJLnPRsSd", long: ["--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-lines"] };
    default:
      return /^ld(?:-[\w-]+)?\.so/u.test(program) ? { long: ["--library-path", "--preload", "--argv0"] } : undefined;
  }
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["-", "builtin"],
  ["gtimeout", "timeout"],
  ["busybox", "builtin"],
]);
export const isWindowsShell = oneOfAnyCase("pwsh powershell cmd");
export const isShell = oneOf("ash bash dash ksh mksh rbash sh zsh");
const FOREIGN_SHELLS = ["csh", "elvish", "fish", "nu", "tcsh", "xonsh"];
const ASSIGNMENT = /^[A-Za-z_]\w*=/u;

/** What this call of a program starts; most programs start nothing. */
export function startedBy(program: string, given: readonly string[], command: ReadCommand): Nested[] {
  if (FOREIGN_SHELLS.includes(program)) return textForShell(given, command).map((one) => ({ ...one, isForeign: true }));
  if (isShell(program)) return textForShell(given, command);
  if (isWindowsShell(program)) return textForWindows(program, given, command);
  if (program === "eval" || program === "watch") return [{ text: operandsOf(given, { valued: "n" }).join(" ") }];
  if (program === "at" || program === "batch") return textForShell([], command);
  if (program === "crontab")
    return textForShell([], command).map(({ text }) => ({
      text: unquoted(text).replace(/^[^\S\n]*(?:@\w+\s|(?:[\d*,/-]+\s+){5})/gmu, ""),
      isForeign: true,
    }));
  if ((program === "source" || program === ".") && STDIN.test(given[0] ?? "")) return textForShell([], command);
  if (program === "parallel" && operandsOf(given, { valued: "jaSN" }).length === 0) return textForShell([], command);
  if (program === "mapfile" || program === "readarray")
    return [{ text: argumentOf(given, /^-[a-z]*C$/u) ?? /^-C(.+)$/su.exec(given.join("\n"))?.[1] ?? "" }];
  if (program === "trap") return [{ text: operandsOf(given, {})[0] ?? "" }];
  if (["su", "runuser", "script", "flock", "sg"].includes(program)) {
    const text = argumentOf(given, /^(?:-[a-z]*c|--command)$/u);
    if (text !== undefined) return [{ text }];
  }
  if (program === "find") return startedByFind(given);
  if (program === "git") return startedByGit(given);
  const split = program === "env" ? splitByEnv(given) : undefined;
  if (split !== undefined) return [{ text: split }];
  if (program === "cmake" && given[0] === "-E") return [{ words: toolOfCmake(given.slice(1)) }];
  const found = runBy(program, given);
  const run = found !== undefined && "text" in found ? { ...found, isForeign: true } : found;
  const image = runByImage(program, given);
  if (image !== undefined) return [{ words: image }, ...(run === undefined ? [] : [run])];
  if (run !== undefined) return [run];
  const starter = starterOf(ALIASES.get(program) ?? program);
  if (starter === undefined) return behindDashes(program, given);
  if (given.some((argument, at) => at === 0 && starter.inert?.test(argument))) return [];
  const words = operandsOf(given, starter).slice(starter.skips ?? 0);
  const at = words.findIndex((word) => !ASSIGNMENT.test(word));
  return at < 0 ? [] : [{ words: words.slice(at), sets: words.slice(0, at) }];
}

/** Whether an option of PowerShell says that its text is UTF-16 in base64. A dash of any length begins one. */
function isEncoded(program: string, option: string): boolean {
  return !/^cmd$/iu.test(program) && /^[-/\u2013-\u2015](?:e|ec|en|enc\w*)$/iu.test(option);
}

function decoded(value: string): string {
  return /^[A-Za-z0-9+/]{4,50000}={0,2}$/u.test(value) ? Buffer.from(value, "base64").toString("utf16le").trim() : "";
}

/** `pwsh -c TEXT`, `powershell TEXT`, `cmd /c TEXT`; else what it reads. */
function textForWindows(program: string, given: readonly string[], command: ReadCommand): Nested[] {
  const isCmd = /^cmd$/iu.test(program);
  const encoded = given.findIndex((word) => isEncoded(program, word));
  if (encoded >= 0) return [{ text: decoded(given[encoded + 1] ?? ""), isForeign: true }];
  const at = given.findIndex((word) => (isCmd ? /^\/{1,2}[ck]/iu : /^[-/]c(?:o\w*)?$/iu).test(word));
  const isFile = given.some((word) => /^[-/]f(?:i\w*)?$/iu.test(word));
  const first = given.findIndex(
    (word, place) => !/^[-/]/u.test(word) && !/^[-/](?:e[px]|v|w|in|o)\w*$/iu.test(given[place - 1] ?? ""),
  );
  const joined = isCmd ? (given[at] ?? "").replace(/^\/{1,2}[ck]/iu, "") : "";
  const words =
    at >= 0 ? [joined, ...given.slice(at + 1)] : /^powershell$/iu.test(program) && first >= 0 ? given.slice(first) : [];
  if (isFile && at < 0) return [];
  const texts =
    words.length > 0 && words.join() !== "-"
      ? [{ text: words.join(" ").trim() }]
      : first < 0
        ? textForShell([], command)
        : [];
  return texts.map((one) => ({ ...one, isForeign: true }));
}

/** The arguments from the first one that is neither an option nor an option's value. */
function operandsOf(given: readonly string[], { valued = "", long = [] }: Starter): string[] {
  let at = 0;
  for (; at < given.length; at++) {
    const argument = given[at] ?? "";
    if (argument === "--") return given.slice(at + 1);
    if (!/^-./u.test(argument)) break;
    if (long.includes(argument) || takesNext(argument, valued)) at++;
  }
  return given.slice(at);
}

/** Whether a cluster of short options ends in one whose value is the next argument. */
function takesNext(argument: string, valued: string): boolean {
  if (argument.startsWith("--")) return false;
  const at = [...argument].findIndex((letter, place) => place > 0 && valued.includes(letter));
  return at > 0 && at === argument.length - 1;
}

/** `env -S 'A=b command' more`: the text, and the words after it. */
function splitByEnv(given: readonly string[]): string | undefined {
  const at = given.findIndex((word) => /^(?:-[a-z0]*S|--split-string(?:=|$))/u.test(word));
  if (at < 0) return undefined;
  const attached = (given[at] ?? "").replace(/^(?:-[a-z0]*S|--split-string=?)/u, "");
  const rest = given.slice(attached === "" ? at + 2 : at + 1);
  return [attached === "" ? (given[at + 1] ?? "") : attached, ...rest.map(quoted)].join(" ");
}

/** `cmake -E rm -rf x`. */
function toolOfCmake([verb = "", ...given]: readonly string[]): string[] {
  if (verb === "remove_directory") return ["rm", "-rf", ...given];
  return [verb === "remove" ? "rm" : verb === "copy" || verb === "rename" ? "cp" : verb, ...given];
}

function argumentOf(given: readonly string[], option: RegExp): string | undefined {
  const at = given.findIndex((argument) => option.test(argument));
  return at < 0 ? undefined : given[at + 1];
}

/** The commands of each `-exec`. Everything up to its end is an argument of the command, whatever it looks like. */
function startedByFind(given: readonly string[]): Nested[] {
  const nested: Nested[] = [];
  for (let at = 0; at < given.length; at++) {
    if (!/^-(?:exec|ok)(?:dir)?$/u.test(given[at] ?? "")) continue;
    const from = at + 1;
    while (at < given.length && given[at] !== ";" && given[at] !== "+") at++;
    nested.push({ words: given.slice(from, at) });
  }
  return nested;
}

/** Commands that git runs: in each submodule, after each commit of a rebase, for each step of a bisection. */
function startedByGit(given: readonly string[]): Nested[] {
  const each = given.indexOf("foreach");
  if (each > 0 && given.includes("submodule")) return [{ text: operandsOf(given.slice(each + 1), {}).join(" ") }];
  const run = given.indexOf("run");
  if (run > 0 && given.includes("bisect")) return [{ words: given.slice(run + 1) }];
  if (!given.includes("rebase")) return [];
  const texts = given.flatMap((argument, at) => {
    if (argument === "-x" || argument === "--exec") return given[at + 1] ?? [];
    return argument.startsWith("--exec=") ? argument.slice("--exec=".length) : [];
  });
  return texts.map((text) => ({ text }));
}
