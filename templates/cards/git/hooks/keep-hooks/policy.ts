import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  effects,
  type GitStep,
  gitSteps,
  mentions,
  oneOf,
  oneOfAnyCase,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";

const INSTEAD = "Run it with its hooks and fix what they find; a person can skip them";
const VERIFIED = oneOf("commit push merge am rebase pull cherry-pick revert");
/** Variables that skip the hooks of tools that install git hooks. */
const SKIPPING = () =>
  /^(?:HUSKY|LEFTHOOK)=(?:0|false|off)$|^HUSKY_SKIP_HOOKS=(?!0$|false$|$)|^(?:SKIP|LEFTHOOK_EXCLUDE|OVERCOMMIT_DISABLE|PRE_COMMIT_ALLOW_NO_CONFIG|SKIP_HOOKS|SKIP_SIMPLE_GIT_HOOKS|GIT_HOOKS_DISABLED)=(?!0$|false$|$)/;
/** Folders below the project where hooks are kept on purpose. */
const KEPT = () =>
  /^(?:\.\/)?(?:\.husky(?:\/_)?|\.?git-?hooks|\.?hooks|scripts\/(?:git-)?hooks|tools\/(?:git-)?hooks|\.config\/hooks|\.git\/hooks)\/?$/;
const HOOK_FILE = () =>
  /(?:^|\/)(?:\.git\/hooks|\.husky|\.?git-?hooks)(?:\/(?!.*\.sample$).*)?$|(?:^|\/)(?:\.pre-commit-config\.ya?ml|\.?lefthook\.ya?ml|\.overcommit\.yml)$/;
/** What git runs by itself in this clone alone, where nobody reviews it. */
const INSTALLED = () => /(?:^|\/)\.git\/(?:(?:worktrees|modules)\/.+\/)?hooks\/[^/]+(?<!\.sample)$/;
/** What is left of a hook that lets everything pass, without comments. */
const NOTHING = () => /^(?:\s|#[^\n]*(?:\n|$)|(?:exit 0|true|:|return 0)\s*(?:;|\n|$))*$/;

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|NotebookEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, /git|hub|husky|hook|skip|pre-commit|overcommit/i)) return undefined;
    const reason =
      gitSteps(event)
        .map(whyNot)
        .find((one) => one !== undefined) ?? tamperIn(event);
    if (reason !== undefined) return { action: "deny", reason: `${reason}. ${INSTEAD}` };
    const installed = effects(event).find(({ does, place }) => does === "writes" && INSTALLED().test(place));
    if (installed === undefined) return undefined;
    return {
      action: "ask",
      reason: `git will run ${installed.written} by itself, and no guard sees what it does. Keep it in a folder that is committed, and let a person install it`,
    };
  },
});

function whyNot({ subcommand, options: { has, operands }, settings, step }: GitStep): string | undefined {
  if (settings.has("core.hookspath")) return "This switches the repository's hooks off for one command";
  if (VERIFIED(subcommand) && has("no-verify")) return "--no-verify skips the repository's hooks";
  if (subcommand === "commit" && has("n")) return "git commit -n skips the repository's hooks";
  if (VERIFIED(subcommand) || subcommand === "stash") {
    const variable = [...variablesOf(step)].find((one) => SKIPPING().test(one));
    if (variable !== undefined) return `${variable} skips the repository's hooks`;
  }
  if (subcommand !== "config") return undefined;
  const at = operands.findIndex((word) => oneOfAnyCase("core.hookspath")(word));
  const value = operands[at + 1];
  if (at < 0) return undefined;
  if (has("unset", "unset-all", "remove-section") || operands[0] === "unset")
    return "This takes the repository's hooks away";
  return value === undefined || KEPT().test(value) ? undefined : "This switches the repository's hooks off";
}

/** Set for the command, by `env`, or for everything after it. */
function variablesOf(step: Step): Set<string> {
  const found = new Set<string>();
  for (let one: Step | undefined = step; one !== undefined; one = one.starter) {
    for (const [name, value] of one.environment) found.add(`${name}=${value}`);
    if (one.program === "env" || one.program === "sudo" || one.program === "cross-env")
      for (const word of one.arguments) found.add(word);
  }
  return found;
}

function tamperIn(event: ToolPolicyEvent): string | undefined {
  const file = effects(event).find(({ does, place }) => does === "removes" && HOOK_FILE().test(place));
  if (file !== undefined) return `${file.written} is a hook of the repository`;
  const emptied = effects(event).find(
    ({ does, place, content, step }) =>
      does === "writes" &&
      /(?:^|\/)(?:\.git\/hooks|\.husky|\.?git-?hooks)\/[^/]+$/.test(place) &&
      HOOK_FILE().test(place) &&
      (content === undefined ? /^(?::|true|truncate|)$/.test(step?.program ?? "-") : NOTHING().test(content)),
  );
  if (emptied !== undefined) return `${emptied.written} would let everything pass`;
  const all = steps(event);
  const isCalled = all.some(({ program }) => program === "git");
  for (const { program, arguments: given } of all) {
    const [mode = "", ...paths] = given;
    if (oneOf("husky lefthook pre-commit overcommit simple-git-hooks")(program) && oneOf("uninstall --uninstall")(mode))
      return "This takes the repository's hooks away";
    if (
      program === "chmod" &&
      /-[rw]*x|^0?[0-6]{2}[0246]$|^[246]00$/.test(mode) &&
      paths.some((path) => HOOK_FILE().test(path))
    )
      return "Without the right to run, git skips the hook";
    if (program === "export" && isCalled && given.some((word) => SKIPPING().test(word)))
      return "This variable skips the repository's hooks";
  }
  return undefined;
}
