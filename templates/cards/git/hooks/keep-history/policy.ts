import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  type Effect,
  effects,
  type GitStep,
  gitSteps,
  kindOfPlace,
  mayStandFor,
  mentions,
  oneOf,
  projectOf,
  steps,
} from "darwinian-minds/hook-policy/helpers";

/** Where git keeps its own records. */
const OWN = () =>
  /(?:^|\/)\.git(?:\/(?!(?:COMMIT_EDITMSG|MERGE_MSG|SQUASH_MSG|info\/(?:exclude|sparse-checkout)|hooks(?:\/|$))).*)?$/;
/** What git doesn't look at: a copy that somebody kept beside its records, and what an editor or a file manager left. */
const LEFT = () =>
  /(?:^|\/)\.git\/(?:[\w.-]+(?:\.(?:bak|backup|orig|old|tmp|sw[op])|~)|gc\.log|(?:[\w-]+\/)*\.DS_Store)$/;
const LOCK = () =>
  /(?:^|\/)\.git\/(?:[\w/-]+\.lock|(?:rebase-merge|rebase-apply|sequencer|MERGE_HEAD|CHERRY_PICK_HEAD|REVERT_HEAD)\b.*)$/;
const EXPIRING = () => /^gc\.(?:.*\.)?(?:reflogexpire(?:unreachable)?|pruneexpire)$/;
const AT_ONCE = oneOf("now all 0 never.ago today 1.second 1.second.ago 1.seconds 1.seconds.ago");
const RECOVERY = "is how lost commits come back. git removes what is old by itself: run git gc without options";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|NotebookEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, /git|bfg|hub|yadm/i)) return undefined;
    const calls = gitSteps(event);
    const reason = calls.map(whyNot).find((one) => one !== undefined) ?? ownFilesIn(event) ?? filterIn(event);
    if (reason !== undefined) return { action: "deny", reason };
    const asked = calls.map(whyAsk).find((one) => one !== undefined);
    return asked === undefined ? undefined : { action: "ask", reason: asked, irreversible: true };
  },
});

function whyNot({ subcommand, arguments: given, options, settings }: GitStep): string | undefined {
  const { has, values, operands } = options;
  const [verb] = operands;
  if ([...settings].some(([name, set]) => EXPIRING().test(name) && AT_ONCE(set))) return `The reflog ${RECOVERY}`;
  switch (subcommand) {
    case "reflog":
      return oneOf("expire delete drop")(verb ?? "") && !has("n", "dry-run") ? `The reflog ${RECOVERY}` : undefined;
    case "gc":
      return given.some((word) => /^--prune=/.test(word) && AT_ONCE(word.slice(8))) || has("cruft-expiration")
        ? `What nothing refers to any more ${RECOVERY}`
        : undefined;
    case "prune":
      return has("n", "dry-run") || values("expire").some((when) => !AT_ONCE(when))
        ? undefined
        : `What nothing refers to any more ${RECOVERY}`;
    case "filter-branch":
    case "filter-repo":
      if (has("analyze", "dry-run", "help", "version") || given.includes("-h")) return undefined;
      return "This rewrites every commit. Change what is wrong in a new commit; a person can rewrite history";
    case "update-ref":
      return has("d") || has("stdin") ? "This deletes references behind git's back. Use git branch -d" : undefined;
    case "config":
      // `git config KEY VALUE`, and `git config set KEY VALUE`.
      return operands.some((one, at) => EXPIRING().test(one.toLowerCase()) && AT_ONCE(operands[at + 1] ?? ""))
        ? `The reflog ${RECOVERY}`
        : undefined;
    default:
      return undefined;
  }
}

function filterIn(event: ToolPolicyEvent): string | undefined {
  const isFilter = steps(event).some(
    ({ program, arguments: given }) =>
      oneOf("bfg git-filter-repo git_filter_repo git_filter_repo.py")(program) ||
      (program === "java" && given.some((word) => /bfg[\w.-]*\.jar$/.test(word))) ||
      (/^python[\d.]*$/.test(program) && given[0] === "-m" && given[1] === "git_filter_repo"),
  );
  return isFilter
    ? "This rewrites every commit. Change what is wrong in a new commit; a person can rewrite history"
    : undefined;
}

/** Commits that may be with others by now. */
function whyAsk({ subcommand, options: { has } }: GitStep): string | undefined {
  if (subcommand !== "rebase") return undefined;
  if (has("abort", "continue", "skip", "quit", "edit-todo", "show-current-patch")) return undefined;
  return "This rewrites commits that may be pushed already. Use git merge, or git commit --fixup";
}

function ownFilesIn(event: ToolPolicyEvent): string | undefined {
  const found = effects(event).find((effect) => effect.does !== "reads" && isOwn(effect, projectOf(event)));
  if (found === undefined) return undefined;
  return `\`${found.written}\` is where git keeps its own records. Change them with git's commands: git config, git branch, git remote`;
}

function isOwn({ does, place: written, isDeep, isNarrowed }: Effect, project: string): boolean {
  const parts = written.split("/");
  const isMeant = (part: string) =>
    /[*?[]|[@+!]\(/.test(part) && does === "removes" && isDeep && mayStandFor(part, ".git");
  const place = parts.map((part) => (isMeant(part) ? ".git" : part)).join("/");
  if (!OWN().test(place) || LEFT().test(place) || kindOfPlace(place, project) === "temporary") return false;
  return !(does === "removes" && (LOCK().test(place) || (isNarrowed && !place.endsWith(".git"))));
}
