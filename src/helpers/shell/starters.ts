import { oneOf, oneOfAnyCase } from "../pattern/one-of.ts";
import type { ReadCommand } from "./commands.ts";
import { behindDashes } from "./own-verbs.ts";
import { unquoted } from "./parse/marks.ts";
import { runnerOf } from "./runner-of.ts";
import { operandsFrom, runBy, runByImage } from "./runners.ts";
import { STDIN, textForShell } from "./shell-arguments.ts";
import { quoted } from "./texts-in.ts";

/**
 * What a program starts: another program with its arguments and the variables set for it, or a text for a shell.
 * `isForeign`: the text may be for another program, or another kind of shell.
 */
export type Nested = { words: string[]; sets?: string[] } | { text: string; positions?: string[]; isForeign?: boolean };

export const isWindowsShell = oneOfAnyCase("pwsh powershell cmd");
export const isShell = oneOf("ash bash dash ksh mksh rbash sh zsh");
const FOREIGN_SHELLS = ["csh", "elvish", "fish", "nu", "tcsh", "xonsh"];

/** What this call of a program starts; most programs start nothing. */
export function startedBy(program: string, given: readonly string[], command: ReadCommand): Nested[] {
  if (FOREIGN_SHELLS.includes(program)) return textForShell(given, command).map((one) => ({ ...one, isForeign: true }));
  if (isShell(program)) return textForShell(given, command);
  if (isWindowsShell(program)) return textForWindows(program, given, command);
  if (program === "eval" || program === "watch") return [{ text: operandsFrom(given, { letters: "n" }).join(" ") }];
  if (program === "at" || program === "batch") return textForShell([], command);
  if (program === "crontab")
    return textForShell([], command).map(({ text }) => ({
      text: unquoted(text).replace(/^[^\S\n]*(?:@\w+\s|(?:[\d*,/-]+\s+){5})/gmu, ""),
      isForeign: true,
    }));
  if ((program === "source" || program === ".") && STDIN.test(given[0] ?? "")) return textForShell([], command);
  if (program === "parallel" && operandsFrom(given, { letters: "jaSN" }).length === 0) return textForShell([], command);
  if (program === "mapfile" || program === "readarray")
    return [{ text: argumentOf(given, /^-[a-z]*C$/u) ?? /^-C(.+)$/su.exec(given.join("\n"))?.[1] ?? "" }];
  if (program === "trap") return [{ text: operandsFrom(given)[0] ?? "" }];
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
  // `ssh host <<'R'`, `ssh host bash -s <<'R'`: a shell elsewhere reads the input.
  const asked = run === undefined ? "sh" : "text" in run ? run.text : "";
  const words = program.endsWith("ssh") ? asked.replace(/^sudo\s+/u, "").split(/\s+/u) : [];
  const isFed = words.length > 0 && /^(?:\S*\/)?(?:ba|da|k|z)?sh(?: |$)(?!(?:.* )?-\w*c)/u.test(words.join(" "));
  const fed = isFed ? textForShell(words.slice(1), command).map((one) => ({ ...one, isForeign: true })) : [];
  if (run !== undefined || fed.length > 0) return [...(run === undefined ? [] : [run]), ...fed];
  return runnerOf(program)?.verbs.length === 0 ? [] : behindDashes(program, given);
}

/** Whether an option of PowerShell says that its text is UTF-16 in base64. A dash of any length begins one. */
function isEncoded(program: string, option: string): boolean {
  return !oneOfAnyCase("cmd")(program) && /^[-/\u2013-\u2015](?:e|ec|en|enc\w*)$/iu.test(option);
}

function decoded(value: string): string {
  return /^[A-Za-z0-9+/]{4,50000}={0,2}$/u.test(value) ? Buffer.from(value, "base64").toString("utf16le").trim() : "";
}

/** `pwsh -c TEXT`, `powershell TEXT`, `cmd /c TEXT`; else what it reads. */
function textForWindows(program: string, given: readonly string[], command: ReadCommand): Nested[] {
  const isCmd = oneOfAnyCase("cmd")(program);
  const encoded = given.findIndex((word) => isEncoded(program, word));
  if (encoded >= 0) return [{ text: decoded(given[encoded + 1] ?? ""), isForeign: true }];
  const at = given.findIndex((word) => (isCmd ? /^\/{1,2}[ck]/iu : /^[-/]c(?:o\w*)?$/iu).test(word));
  const isFile = given.some((word) => /^[-/]f(?:i\w*)?$/iu.test(word));
  const first = given.findIndex(
    (word, place) => !/^[-/]/u.test(word) && !/^[-/](?:e[px]|v|w|in|o)\w*$/iu.test(given[place - 1] ?? ""),
  );
  const joined = isCmd ? (given[at] ?? "").replace(/^\/{1,2}[ck]/iu, "") : "";
  const words =
    at >= 0
      ? [joined, ...given.slice(at + 1)]
      : oneOfAnyCase("powershell")(program) && first >= 0
        ? given.slice(first)
        : [];
  if (isFile && at < 0) return [];
  const texts =
    words.length > 0 && words.join("") !== "-"
      ? [{ text: words.join(" ").trim() }]
      : first < 0
        ? textForShell([], command)
        : [];
  return texts.map((one) => ({ ...one, isForeign: true }));
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
    if (!oneOf("-exec -execdir -ok -okdir")(given[at] ?? "")) continue;
    const from = at + 1;
    while (at < given.length && given[at] !== ";" && given[at] !== "+") at++;
    nested.push({ words: given.slice(from, at) });
  }
  return nested;
}

/** Commands that git runs: in each submodule, for each step of a bisection. */
function startedByGit(given: readonly string[]): Nested[] {
  const each = given.indexOf("foreach");
  if (each > 0 && given.includes("submodule")) return [{ text: operandsFrom(given.slice(each + 1)).join(" ") }];
  const run = given.indexOf("run");
  return run > 0 && given.includes("bisect") ? [{ words: given.slice(run + 1) }] : [];
}
