import { type GitStep, gitStepsIn } from "./acts/git.ts";

/** A pattern that reads the words of shell commands. `policy` accepts it in place of a regular expression. */
export interface MatchConstant {
  readonly name: string;
  /** Whether the shell text runs such a command. A text that no shell would accept counts if it names git. */
  matches(command: string): boolean;
}

/** Calls of git by subcommand, under hooker's names. */
export const matchConstants = {
  git_commit: /* @__PURE__ */ subcommand("commit"),
  git_push: /* @__PURE__ */ subcommand("push"),
  /** `--force`, `-f`, `--force-with-lease`, `--mirror` and `+refspec`. */
  git_push_force: /* @__PURE__ */ constant(
    "git_push_force",
    // Git accepts any beginning of an option that no other one has.
    ({ subcommand: verb, options: { has, operands } }) =>
      verb === "push" &&
      (has("f", "force", "force-with-lease", "m", "mi", "mirror") || operands.some((ref) => /^\+\S/u.test(ref))),
  ),
  git_reset: /* @__PURE__ */ subcommand("reset"),
  git_rebase: /* @__PURE__ */ subcommand("rebase"),
  git_checkout: /* @__PURE__ */ subcommand("checkout"),
  git_switch: /* @__PURE__ */ subcommand("switch"),
  git_merge: /* @__PURE__ */ subcommand("merge"),
  git_stash: /* @__PURE__ */ subcommand("stash"),
  git_restore: /* @__PURE__ */ subcommand("restore"),
} as const;

export type ConstantName = keyof typeof matchConstants;

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
