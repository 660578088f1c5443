import { type GitStep, gitStepsIn } from "./acts/git.ts";

/** A pattern that reads the words of shell commands. `policy` accepts it in place of a regular expression. */
export interface MatchConstant {
  readonly name: string;
  /** Whether the shell text runs such a command. A text that no shell would accept counts if it names git. */
  matches(command: string): boolean;
}

export type ConstantName =
  | "git_checkout"
  | "git_commit"
  | "git_merge"
  | "git_push"
  | "git_push_force"
  | "git_rebase"
  | "git_reset"
  | "git_restore"
  | "git_stash"
  | "git_switch";

/** Options of `git push` that take the next argument. */
const VALUED = ["--push-option", "--repo", "--receive-pack", "--exec", "--recurse-submodules"];

/** Calls of git by subcommand, under hooker's names. */
export const matchConstants: Readonly<Record<ConstantName, MatchConstant>> = {
  git_commit: /* @__PURE__ */ subcommand("commit"),
  git_push: /* @__PURE__ */ subcommand("push"),
  /** `--force`, `-f`, `--force-with-lease`, `--mirror` and `+refspec`. */
  git_push_force: /* @__PURE__ */ constant(
    "git_push_force",
    (call) => call.subcommand === "push" && isForced(call.arguments),
  ),
  git_reset: /* @__PURE__ */ subcommand("reset"),
  git_rebase: /* @__PURE__ */ subcommand("rebase"),
  git_checkout: /* @__PURE__ */ subcommand("checkout"),
  git_switch: /* @__PURE__ */ subcommand("switch"),
  git_merge: /* @__PURE__ */ subcommand("merge"),
  git_stash: /* @__PURE__ */ subcommand("stash"),
  git_restore: /* @__PURE__ */ subcommand("restore"),
};

function subcommand(name: string): MatchConstant {
  return constant(`git_${name}`, (call) => call.subcommand === name);
}

function constant(name: string, isMeant: (call: GitStep) => boolean): MatchConstant {
  return {
    name,
    matches(command) {
      if (!mayCallGit(command)) return false;
      try {
        return gitStepsIn(command).some(isMeant);
      } catch {
        // A guard must not let through what it cannot read.
        return true;
      }
    },
  };
}

/** A quick check, since most commands have nothing to do with git. `$'…'` can spell anything. */
function mayCallGit(command: string): boolean {
  return /git/iu.test(command.replace(/["'\\\r\n]/gu, "")) || command.includes("$'");
}

function isForced(given: readonly string[]): boolean {
  for (let at = 0; at < given.length; at++) {
    const argument = given[at] ?? "";
    if (argument === "--") return given.slice(at + 1).some(isForcedRef);
    if (VALUED.includes(argument)) at++;
    else if (argument.startsWith("--")) {
      if (isForcing(argument.replace(/=[\s\S]*$/u, ""))) return true;
    } else if (argument.startsWith("-")) {
      const letters = argument.replace(/o[\s\S]*$/u, "");
      if (letters.includes("f")) return true;
      // `-o` takes a value, attached or not.
      if (letters.length === argument.length - 1) at++;
    } else if (isForcedRef(argument)) return true;
  }
  return false;
}

/** Git accepts any unambiguous beginning of an option. */
function isForcing(option: string): boolean {
  if (option === "--force" || (option.length >= "--m".length && "--mirror".startsWith(option))) return true;
  return option.length >= "--force-w".length && "--force-with-lease".startsWith(option);
}

function isForcedRef(operand: string): boolean {
  return /^\+\S/u.test(operand);
}
