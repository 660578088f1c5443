import { oneOf, oneOfAnyCase, withoutVersion } from "../pattern/one-of.ts";
import { programCallOf } from "../programs/call.ts";
import { optionsOf } from "../programs/options.ts";
import type { Step } from "./steps.ts";
import { substitutionsIn, variablesIn } from "./words.ts";

const SHELLS = oneOf("sh bash dash zsh ksh mksh csh tcsh fish ash rbash busybox");
const INTERPRETERS = oneOfAnyCase(
  "python pypy node nodejs deno bun tsx ts-node perl ruby php lua osascript pwsh powershell rscript tclsh",
);
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
  const isInterpreter = SHELLS(program) || INTERPRETERS(withoutVersion(program));
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
  if (SHELLS(program)) return own.some((word) => /^-[a-z]*n[a-z]*$/u.test(word) && !/^-[a-z]*c/u.test(word));
  if (oneOf("perl ruby")(program)) return own.some((word) => /^-\w*c$/u.test(word));
  if (program === "php") return own.includes("-l");
  return own.includes("--check");
}

/** An interpreter without a file: its program is its input. */
function runsInput(step: Step): boolean {
  const { program, arguments: given } = step;
  if (oneOf("uv deno bun poetry pipenv hatch")(program) && given.includes("run") && given.at(-1) === "-") return true;
  if (program === "source" || program === ".") return oneOf("/dev/stdin /dev/fd/0")(given[0] ?? "");
  if (program === "at" || program === "batch") return true;
  if (oneOfAnyCase("pwsh powershell")(program) && (given.at(-1) === "-" || given.every((word) => /^-no/iu.test(word))))
    return true;
  const isShell = SHELLS(program);
  if (!isShell && !INTERPRETERS(withoutVersion(program))) return false;
  if (!isShell && given.some((word) => /^-(?:\w*[cemrEnpl]|-eval|-print|-version|-test|v)/u.test(word))) return false;
  if (isShell && given.some((word) => /^-\w*c$/u.test(word))) return false;
  const { operands, has } = optionsOf(given, { letters: isShell ? "oO" : "WX" });
  return operands.length === 0 || (isShell && has("s")) || oneOf("- /dev/stdin /dev/fd/0")(operands[0] ?? "");
}

/** `xargs -I{} sh -c '{}'`, `parallel`, and `eval "$line"` in a loop that reads: they run their input. */
function runsLines({ program, arguments: given, starter }: Step): boolean {
  if (program === "parallel") return optionsOf(given, { letters: "jSaIN", names: ["jobs"] }).operands.length === 0;
  const isText = SHELLS(program) && starter !== undefined && given.some((word) => /^-\w*c$/u.test(word));
  const text = given[given.findIndex((word) => /^-\w*c$/u.test(word)) + 1] ?? "";
  return isText && /^["']?(?:\{\}|%|\$\{?\w+\}?|\$[@*])?["']?$/u.test(text);
}

/** The file that a command runs: `bash x.sh`, `./x`, the Makefile of `make`. */
function fileRun(step: Step): string | undefined {
  const { program, path, arguments: given } = step;
  if (oneOf("make gmake")(program)) {
    const { values } = optionsOf(given, { letters: "CfjloW", names: ["directory", "file", "makefile"] });
    const folder = values("C", "directory").at(-1);
    return `${folder === undefined ? "" : `${folder}/`}${values("f", "file", "makefile").at(-1) ?? "Makefile"}`;
  }
  if (path.includes("/") && !/^[$`<]/u.test(path))
    return SHELLS(program) || INTERPRETERS(withoutVersion(program)) ? (operandOf(given) ?? path) : path;
  if (SHELLS(program) || INTERPRETERS(withoutVersion(program)) || program === "source" || program === ".")
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
