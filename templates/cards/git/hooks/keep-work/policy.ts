import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { changes, folderMeant, type GitStep, gitSteps, oneOf, resolvePlace } from "darwinian-minds/hook-policy/helpers";

/** Pathspecs of git that match everything. */
const EVERYTHING = () => /^(?:\.\/?|\.\.(?:\/\.\.)*\/?|\*|\.\/\*|\*\*(?:\/\*)?|:\/?|:\/\*|:\(top\).*|:\/:.*|--all)$/;

const WORKTREE = "This removes a worktree with uncommitted work in it. Commit there, then remove it without force";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|ExitWorktree|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (event.toolName === "ExitWorktree")
      return discards(event.input) ? { action: "deny", reason: WORKTREE } : undefined;
    const others = changes(event).filter(({ does, kind }) => does === "destroys" && kind === "vcs");
    const other = others.find(({ isCertain }) => isCertain) ?? others[0];
    if (other !== undefined) {
      const reason = `\`${other.what}\` throws work away. Look with ${other.step?.program} diff, and restore single files by name`;
      return other.isCertain ? { action: "deny", reason } : { action: "ask", reason, irreversible: true };
    }
    const calls = gitSteps(event);
    const reason = calls.map(whyNot).find((one) => one !== undefined);
    if (reason !== undefined) return { action: "deny", reason };
    const restored = calls.flatMap(restoredBy).at(0);
    if (restored !== undefined)
      return {
        action: "ask",
        reason: `Uncommitted changes of ${restored} can't be restored after this. Look with git diff, or keep them: git stash push -- ${restored}`,
        irreversible: true,
      };
    const branch = calls.find(({ subcommand, options }) => subcommand === "branch" && isForced(options));
    if (branch === undefined) return undefined;
    return {
      action: "ask",
      reason: "This deletes or moves a branch even if nothing else has its commits. Use git branch -d, or another name",
      irreversible: true,
    };
  },
});

/** Claude Code's own tool for worktrees. */
function discards(input: unknown): boolean {
  return typeof input === "object" && input !== null && oneOf("true 1")(String(Reflect.get(input, "discard_changes")));
}

function whyNot({ subcommand, arguments: given, options: { has, operands }, folder }: GitStep): string | undefined {
  const isAll = (path: string) => EVERYTHING().test(path) || folderMeant(resolvePlace(path, folder)) === folder;
  const [verb, ...rest] = operands;
  switch (subcommand) {
    case "reset":
      return has("hard", "merge")
        ? "git reset --hard throws away uncommitted work. Use git stash, or git reset --keep"
        : undefined;
    case "checkout":
    case "co":
      return has("f", "force") || isDiscarding(given) || (!makesBranch(given) && operands.some(isAll))
        ? "This checkout throws away uncommitted work. Use git stash, then restore what has to go"
        : undefined;
    case "restore":
      return (!has("S", "staged") || has("W", "worktree")) && operands.some((path) => isAll(path) || path.endsWith("/"))
        ? "This restore throws away uncommitted work. Use git stash, then restore what has to go"
        : undefined;
    case "switch":
      return has("f", "force", "discard-changes")
        ? "This switch throws away uncommitted work. Use git stash, then git switch"
        : undefined;
    case "clean":
      return has("f", "force") && !has("n", "dry-run")
        ? "git clean deletes files that git has never seen. Look with git clean -n, and remove single files"
        : undefined;
    case "stash":
      return verb === "drop" || verb === "clear"
        ? "This deletes stashed work. Keep the stash, or apply it with git stash apply"
        : undefined;
    case "worktree":
      return verb === "remove" && has("f", "force") ? WORKTREE : undefined;
    case "rm":
      return has("r") && !has("cached", "n", "dry-run") && operands.some(isAll)
        ? "This removes every file of the project. Name the files to remove"
        : undefined;
    case "read-tree":
      return has("reset") && has("u") ? "This overwrites uncommitted work. Use git stash first" : undefined;
    case "checkout-index":
      return has("f", "force") && has("a", "all") ? "This overwrites uncommitted work. Use git stash first" : undefined;
    case "submodule":
      return verb === "deinit" && has("f", "force") && rest.length + 1 > 0
        ? "This removes submodules with uncommitted work in them. Commit there, then deinit without force"
        : undefined;
    default:
      return undefined;
  }
}

/** `git checkout HEAD -- src/`: a folder instead of a branch. */
function isDiscarding(given: readonly string[]): boolean {
  const at = given.indexOf("--");
  return !makesBranch(given) && at >= 0 && given.slice(at + 1).some((path) => path.endsWith("/"));
}

/** The files that are restored by name: `git checkout HEAD -- src/a.ts`, `git restore a.ts`, `git checkout main a.ts`. */
function restoredBy({ subcommand, arguments: given, options: { has, operands } }: GitStep): string[] {
  if (subcommand === "restore") return has("S", "staged") && !has("W", "worktree") ? [] : operands;
  if (!oneOf("checkout co")(subcommand) || makesBranch(given) || has("t", "track", "detach", "ours", "theirs"))
    return [];
  const at = given.indexOf("--");
  if (at >= 0) return given.slice(at + 1);
  return operands.length > 1 ? operands.slice(1) : operands.filter((word) => /(?:^|[^\d.])\.[a-z]{1,4}$/.test(word));
}

function makesBranch(given: readonly string[]): boolean {
  return given.some((word) => /^-[bB]|^--orphan$/.test(word));
}

function isForced({ has }: GitStep["options"]): boolean {
  return has("D") || (has("f", "force") && !has("m", "move", "c", "copy"));
}
