import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import { changes, type GitStep, gitSteps, matchesGlob, mentions, oneOf } from "darwinian-minds/hook-policy/helpers";

interface Options {
  protect: readonly string[];
  force: readonly string[];
}

const INSTEAD = "Push a new branch, or revert with a new commit; a person can rewrite it";

export default defineToolPolicy<Options>({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, /git|push|hub|yadm|\bgh\b/i)) return undefined;
    const pushes = gitSteps(event).filter(({ subcommand }) => oneOf("push send-pack http-push")(subcommand));
    const { protect, force } = event.options;
    const lost = pushes
      .map((push) => (isOwn(push, force) ? undefined : lossOf(push, protect)))
      .find((one) => one !== undefined);
    if (lost !== undefined) return { action: "deny", reason: `${lost}. ${INSTEAD}` };
    const mild = pushes
      .map((push) => (isOwn(push, force) ? undefined : mildLossOf(push)))
      .find((one) => one !== undefined);
    if (mild !== undefined) return { action: "ask", reason: mild, irreversible: true };
    const branch = [...pushes.flatMap(targetsOf), ...targetOfServer(event)].find((target) =>
      matchesGlob(protect, target),
    );
    if (branch !== undefined)
      return { action: "ask", reason: `This pushes straight to ${branch}. Push a branch and open a pull request` };
    if (changes(event).some(({ does }) => does === "disables"))
      return {
        action: "ask",
        reason: "This merges past the checks and reviews that the branch asks for. Wait for them: gh pr merge --auto",
      };
    const moved = movedTo(gitSteps(event));
    if (moved !== undefined)
      return {
        action: "ask",
        reason: `This pushes to ${moved}, which the call itself makes the remote. Let a person choose where the code goes`,
        irreversible: true,
      };
    const current = committedTo(gitSteps(event), protect);
    if (current === undefined) return undefined;
    return { action: "ask", reason: `This works on ${current} itself. Make a branch first: git switch -c NAME` };
  },
});

/** The address to which the call turns a remote, before it pushes. */
function movedTo(calls: readonly GitStep[]): string | undefined {
  const at = calls.findIndex(({ subcommand, options }) => subcommand === "remote" && options.operands[0] === "set-url");
  const isPushed = calls.slice(at + 1).some(({ subcommand }) => subcommand === "push");
  return at >= 0 && isPushed ? calls[at]?.options.operands[2] : undefined;
}

/** The protected branch that the call goes to, and then commits to or pushes. */
function committedTo(calls: readonly GitStep[], protect: readonly string[]): string | undefined {
  const current = new Map<string, string>();
  for (const { subcommand, options, folder } of calls) {
    const { has, operands, values } = options;
    if (subcommand === "checkout" || subcommand === "switch") {
      const [branch] = [...values("b", "B", "c", "C", "create", "orphan"), ...operands];
      if (branch !== undefined && operands.length <= 1) current.set(folder, branch);
    }
    const branch = current.get(folder);
    if (branch === undefined || !matchesGlob(protect, branch)) continue;
    if (has("n", "dry-run", "abort") && subcommand !== "commit") continue;
    if (subcommand === "commit" || (subcommand === "push" && operands.length < 2)) return branch;
  }
  return undefined;
}

/** The branch that a server for GitHub or GitLab commits to. */
function targetOfServer({ toolName, input }: ToolPolicyEvent): string[] {
  if (
    !/^mcp__.*(?:push_files|create_or_update_files?|delete_file|update_file|create_file|create_commit)$/.test(toolName)
  )
    return [];
  const branch: unknown = Reflect.get(Object(input), "branch");
  return typeof branch === "string" ? [branch.replace(/^refs\/heads\//, "")] : [];
}

/** A forced push to branches that a person has named for it, and to nothing else. */
function isOwn(push: GitStep, force: readonly string[]): boolean {
  const { has, operands } = push.options;
  const refs = operands.slice(1);
  if (has("mirror", "d", "delete", "prune", "all", "tags") || refs.some((ref) => /^\+?:|[*]/.test(ref))) return false;
  const targets = targetsOf(push);
  return targets.length > 0 && targets.every((target) => matchesGlob(force, target));
}

function lossOf(push: GitStep, protect: readonly string[]): string | undefined {
  const { options, settings } = push;
  const { has, operands } = options;
  if (has("n", "dry-run")) return undefined;
  const isProtected = targetsOf(push).some((target) => matchesGlob(protect, target));
  if (has("f", "force") || operands.some((ref) => /^\+\S/.test(ref)) || (isLeased(push) && isProtected))
    return "A forced push overwrites what others have fetched";
  if (has("mirror")) return "A mirroring push overwrites and deletes branches of the remote";
  const isDeleting = has("d", "D", "delete") || operands.slice(1).some((ref) => /^:\S/.test(ref));
  if (
    has("prune") ||
    (isDeleting && (isProtected || has("all", "tags") || targetsOf(push).some((ref) => TAG().test(ref))))
  )
    return "This deletes branches or tags of the remote";
  const isSet = [...settings].some(
    ([key, value]) => /^remote\..*\.(?:mirror|push)$/.test(key) && /^(?:\+|true|1)/.test(value),
  );
  return isSet ? "This push is forced by a setting" : undefined;
}

/** Tags stay, since others build from them. */
const TAG = () => /^refs\/tags\/|^v?\d+(?:\.\d+)+|[*]/;

function isLeased({ arguments: given }: GitStep): boolean {
  return given.some((word) => /^--force-w/.test(word));
}

/** What a person does with a branch of their own, after it was merged or rebased. */
function mildLossOf(push: GitStep): string | undefined {
  const { has, operands } = push.options;
  if (has("n", "dry-run")) return undefined;
  if (isLeased(push))
    return "This overwrites the branch on the remote. Look that nobody else works on it: git log HEAD..@{upstream}";
  const [remote = "", ref = ""] = operands;
  return has("d", "delete") || operands.slice(1).some((one) => /^:\S/.test(one))
    ? `This deletes the branch ${ref.replace(/^:/, "")} of ${remote}. Look that it is merged: git branch -r --merged`
    : undefined;
}

/** The branches that are named as targets: `main`, `HEAD:main`. */
function targetsOf({ options: { has, operands } }: GitStep): string[] {
  if (has("n", "dry-run")) return [];
  return operands.slice(1).map((ref) => (ref.split(":").at(-1) ?? ref).replace(/^\+?(?:refs\/heads\/)?/, ""));
}
