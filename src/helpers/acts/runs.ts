import { programCallOf } from "../programs/call.ts";
import { optionsOf } from "../programs/options.ts";
import type { Step } from "./steps.ts";
import { substitutionsIn, variablesIn } from "./words.ts";

const SHELLS = /^(?:(?:ba|da|z|k|mk|c|tc|fi|a|rba)?sh|busybox)$/u;
const INTERPRETERS =
  /^(?:python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua[\d.]*|osascript|pwsh|powershell|Rscript|tclsh)$/iu;
/** What a command runs as a program. */
export interface Run {
  /** Its standard input. */
  input: boolean;
  /** Files, as they are written. */
  files: string[];
  /** Words that are programs themselves, or hold one: `$(…)`, `$x`. */
  words: string[];
}

/** What a command takes as a program: `bash < x`, `python3 x.py`, `./x`, `eval "$x"`, `make`, `dpkg -i x.deb`. */
export function runsOf(step: Step): Run {
  const { path, program, arguments: given } = step;
  const words = isOpen(path) && !path.startsWith("<") ? [path] : [];
  if (onlyParses(step)) return { input: false, files: [], words };
  const input = runsInput(step) || runsLines(step);
  if (program === "eval") return { input, files: [], words: [...words, ...given] };
  const file = fileRun(step);
  const code = given.flatMap((word, at) =>
    /^-{1,2}\w*(?:c|e|eval|Command|r)$/iu.test(given[at - 1] ?? "") && isOpen(word) ? [word] : [],
  );
  const isInterpreter = SHELLS.test(program) || INTERPRETERS.test(program);
  const taken =
    isInterpreter || program === "source" || program === "."
      ? given.filter((word) => /^[<$`]/u.test(word) && word === file)
      : [];
  return {
    input,
    files: file === undefined ? [] : [file, ...installed(step)],
    words: [...words, ...(isInterpreter ? code : []), ...taken],
  };
}

/** Whether a word begins with what another command prints, or with a variable. */
function isOpen(word: string): boolean {
  return (
    /^["\s]*(?:\$\(|`|<\(|\$\{?\w)/u.test(word) && (substitutionsIn(word).length > 0 || variablesIn(word).length > 0)
  );
}

/** `bash -n`, `perl -c`, `node --check`: nothing runs. */
function onlyParses({ program, arguments: given }: Step): boolean {
  const own = given.slice(0, given.findIndex((word) => !word.startsWith("-")) >>> 0);
  if (SHELLS.test(program)) return own.some((word) => /^-[a-z]*n[a-z]*$/u.test(word) && !/^-[a-z]*c/u.test(word));
  if (/^(?:perl|ruby)$/u.test(program)) return own.some((word) => /^-\w*c$/u.test(word));
  if (program === "php") return own.includes("-l");
  return own.includes("--check");
}

/** An interpreter without a file: its program is its input. */
function runsInput(step: Step): boolean {
  const { program, arguments: given } = step;
  if (/^(?:uv|deno|bun|poetry|pipenv|hatch)$/u.test(program) && given.includes("run") && given.at(-1) === "-")
    return true;
  if (program === "source" || program === ".") return /^\/dev\/(?:stdin|fd\/0)$/u.test(given[0] ?? "");
  if (program === "at" || program === "batch") return true;
  if (/^(?:pwsh|powershell)$/iu.test(program) && (given.at(-1) === "-" || given.every((word) => /^-no/iu.test(word))))
    return true;
  const isShell = SHELLS.test(program);
  if (!isShell && !INTERPRETERS.test(program)) return false;
  if (!isShell && given.some((word) => /^-(?:\w*[cemrEnpl]|-eval|-print|-version|-test|v)/u.test(word))) return false;
  if (isShell && given.some((word) => /^-\w*c$/u.test(word))) return false;
  const { operands, has } = optionsOf(given, { letters: isShell ? "oO" : "WX" });
  return operands.length === 0 || (isShell && has("s")) || /^(?:-|\/dev\/stdin|\/dev\/fd\/0)$/u.test(operands[0] ?? "");
}

/** `xargs -I{} sh -c '{}'`, `parallel`, and `eval "$line"` in a loop that reads: they run their input. */
function runsLines({ program, arguments: given, starter }: Step): boolean {
  if (program === "parallel") return optionsOf(given, { letters: "jSaIN", names: ["jobs"] }).operands.length === 0;
  const isText = SHELLS.test(program) && starter !== undefined && given.some((word) => /^-\w*c$/u.test(word));
  const text = given[given.findIndex((word) => /^-\w*c$/u.test(word)) + 1] ?? "";
  return isText && /^["']?(?:\{\}|%|\$\{?\w+\}?|\$[@*])?["']?$/u.test(text);
}

/** The file that a command runs: `bash x.sh`, `./x`, the Makefile of `make`. */
function fileRun(step: Step): string | undefined {
  const { program, path, arguments: given } = step;
  if (/^g?make$/u.test(program)) {
    const { values } = optionsOf(given, { letters: "CfjloW", names: ["directory", "file", "makefile"] });
    const folder = values("C", "directory").at(-1);
    return `${folder === undefined ? "" : `${folder}/`}${values("f", "file", "makefile").at(-1) ?? "Makefile"}`;
  }
  if (path.includes("/") && !/^[$`<]/u.test(path))
    return SHELLS.test(program) || INTERPRETERS.test(program) ? (operandOf(given) ?? path) : path;
  if (SHELLS.test(program) || INTERPRETERS.test(program) || program === "source" || program === ".")
    return operandOf(given);
  return installed(step)[0];
}

function operandOf(given: readonly string[]): string | undefined {
  if (given.some((word) => /^-\w*c$/u.test(word))) return undefined;
  const { operands } = optionsOf(given, { letters: "oOWXIr", names: ["rcfile", "init-file"] });
  return operands[0] === "run" ? operands[1] : operands[0];
}

function installed(step: Step): string[] {
  const isRun = programCallOf(step).does("runs") !== undefined;
  return isRun ? step.arguments.filter((word) => !word.startsWith("-") && /[./]/u.test(word)) : [];
}
