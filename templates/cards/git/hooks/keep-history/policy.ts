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
const REFLOG = `The reflog ${RECOVERY}`;
const UNREFERENCED = `What nothing refers to any more ${RECOVERY}`;
const REWRITES = "This rewrites every commit. Change what is wrong in a new commit; a person can rewrite history";
const LOSSES = (): readonly (readonly [phrase: string, reason: string])[] => [
  ["reflog expire/delete/drop !-n/--dry-run", REFLOG],
  ["gc --cruft-expiration", UNREFERENCED],
  ["filter-branch/filter-repo !--analyze/--dry-run/--help/--version/-h", REWRITES],
  ["update-ref -d/--stdin", "This deletes references behind git's back. Use git branch -d"],
];
/** Commits that may be with others by now. */
const REBASES = "rebase !--abort/--continue/--skip/--quit/--edit-todo/--show-current-patch";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|Write|Edit|MultiEdit|NotebookEdit|apply_patch|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, /git|bfg|hub|yadm/i)) return undefined;
    const calls = gitSteps(event);
    const reason = calls.map(whyNot).find((one) => one !== undefined) ?? ownFilesIn(event) ?? filterIn(event);
    if (reason !== undefined) return { action: "deny", reason };
    if (!calls.some(({ matches }) => matches(REBASES))) return undefined;
    return {
      action: "ask",
      reason: "This rewrites commits that may be pushed already. Use git merge, or git commit --fixup",
      irreversible: true,
    };
  },
});

function whyNot({ matches, options: { values, operands }, settings }: GitStep): string | undefined {
  const expires = (key: string, value = "") => EXPIRING().test(key.toLowerCase()) && AT_ONCE(value);
  // `git config KEY VALUE`, and `git config set KEY VALUE`.
  const isKept = matches("config") && operands.some((one, at) => expires(one, operands[at + 1]));
  if (isKept || [...settings].some(([key, value]) => expires(key, value))) return REFLOG;
  if (matches("gc") && values("prune").some((when) => AT_ONCE(when))) return UNREFERENCED;
  if (matches("prune !-n/--dry-run") && values("expire").every((when) => AT_ONCE(when))) return UNREFERENCED;
  return LOSSES().find(([phrase]) => matches(phrase))?.[1];
}

function filterIn(event: ToolPolicyEvent): string | undefined {
  const isFilter = steps(event).some(
    ({ program, arguments: given }) =>
      oneOf("bfg git-filter-repo git_filter_repo git_filter_repo.py")(program) ||
      (program === "java" && given.some((word) => /bfg[\w.-]*\.jar$/.test(word))) ||
      (/^python[\d.]*$/.test(program) && given[0] === "-m" && given[1] === "git_filter_repo"),
  );
  return isFilter ? REWRITES : undefined;
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
