import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { changes, folderMeant, type GitStep, gitSteps, oneOf, resolvePlace } from "darwinian-minds/hook-policy/helpers";

/** Pathspecs of git that match everything. */
const EVERYTHING = () => /^(?:\.\/?|\.\.(?:\/\.\.)*\/?|\*|\.\/\*|\*\*(?:\/\*)?|:\/?|:\/\*|:\(top\).*|:\/:.*|--all)$/;

const CHECKOUT = "This checkout throws away uncommitted work. Use git stash, then restore what has to go";
const RESTORE = "This restore throws away uncommitted work. Use git stash, then restore what has to go";
const WORKTREE = "This removes a worktree with uncommitted work in it. Commit there, then remove it without force";
const OVERWRITES = "This overwrites uncommitted work. Use git stash first";

/** What throws work away, and the paths that it has to name for that: everything, or a folder. */
const LOSSES = (): readonly (readonly [phrase: string, reason: string, paths?: "everything" | "folder"])[] => [
  ["reset --hard/--merge", "git reset --hard throws away uncommitted work. Use git stash, or git reset --keep"],
  ["checkout/co -f/--force", CHECKOUT],
  ["checkout/co !-b/-B/--orphan", CHECKOUT, "folder"],
  ["restore !-S/--staged", RESTORE, "folder"],
  ["restore -W/--worktree", RESTORE, "folder"],
  ["switch -f/--force/--discard-changes", "This switch throws away uncommitted work. Use git stash, then git switch"],
  [
    "clean -f/--force !-n/--dry-run",
    "git clean deletes files that git has never seen. Look with git clean -n, and remove single files",
  ],
  ["stash drop/clear", "This deletes stashed work. Keep the stash, or apply it with git stash apply"],
  ["worktree remove -f/--force", WORKTREE],
  ["rm -r !--cached/-n/--dry-run", "This removes every file of the project. Name the files to remove", "everything"],
  ["read-tree --reset -u", OVERWRITES],
  ["checkout-index -f/--force -a/--all", OVERWRITES],
  [
    "submodule deinit -f/--force",
    "This removes submodules with uncommitted work in them. Commit there, then deinit without force",
  ],
];

const FORCED = ["branch -D", "branch -f/--force !-m/--move/-c/--copy"];

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
    const isForced = calls.some((call) => FORCED.some((phrase) => call.matches(phrase)));
    if (!isForced) return undefined;
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

function whyNot({ matches, options: { operands }, folder }: GitStep): string | undefined {
  const isAll = (path: string) => EVERYTHING().test(path) || folderMeant(resolvePlace(path, folder)) === folder;
  const names = (paths: "everything" | "folder") =>
    operands.some((path) => isAll(path) || (paths === "folder" && path.endsWith("/")));
  const loss = LOSSES().find(([phrase, , paths]) => matches(phrase) && (paths === undefined || names(paths)));
  return loss?.[1];
}

/** The files that are restored by name: `git checkout HEAD -- src/a.ts`, `git restore a.ts`, `git checkout main a.ts`. */
function restoredBy({ subcommand, arguments: given, options: { has, operands } }: GitStep): string[] {
  if (subcommand === "restore") return has("S", "staged") && !has("W", "worktree") ? [] : operands;
  if (!oneOf("checkout co")(subcommand) || has("b", "B", "orphan", "t", "track", "detach", "ours", "theirs")) return [];
  const at = given.indexOf("--");
  if (at >= 0) return given.slice(at + 1);
  return operands.length > 1 ? operands.slice(1) : operands.filter((word) => /(?:^|[^\d.])\.[a-z]{1,4}$/.test(word));
}
