import { GLOBAL_KEY, isManagedHome } from "../../contract/scopes.ts";
import type { Adapter, PresentedVerdict } from "../../hook-base/adapter/adapter.ts";
import type { StateLocation } from "../../hook-base/read-file.ts";
import { cleanText } from "../../hook-base/text.ts";
import type { Ruling } from "../journal/journal.ts";
import { UNREADABLE } from "../run/policy-answer.ts";
import type { PreparedPolicy } from "../verify/read-policy.ts";
import type { Verdict } from "./compose.ts";

const MAXIMUM = { reason: 2_048, syntheticOutput: 10_240, context: 100_000 } as const;

/** How to remove a guard that doesn't work, so that it locks nobody out. */
export function removalFor(home: string | undefined): string {
  return home !== undefined && isManagedHome(home) ? ROOTS_REMOVAL : USERS_REMOVAL;
}

const USERS_REMOVAL =
  "(to remove the guards, a person can run: drwn uninstall, or remove the entry that calls drwn from the hooks in the settings of the agent)";
const ROOTS_REMOVAL = "(to remove the guards, root can run: drwn uninstall --system)";

interface Presenting {
  can: Pick<Adapter["can"], "synthetic-output">;
  /** What a failure leads to, as a sentence. */
  consequence?: string;
  /**
   * The project whose journal holds the denial, named in the notice for a person; absent: a person is told in another
   * way.
   */
  key?: string;
  /** The home of that journal; absent: the user's. */
  home?: string;
}

/** Puts the verdict into words for the model: who says it, and why. */
export function presentVerdict(
  verdict: Verdict,
  policies: readonly PreparedPolicy[],
  { can, consequence = "A failing enforcement policy blocks the call", key, home }: Presenting,
): PresentedVerdict {
  const { action, context, updatedInput } = verdict;
  const syntheticOutput = can["synthetic-output"] ? verdict.syntheticOutput : null;
  const said = syntheticOutput === null ? verdict : { ...verdict, syntheticOutput: null };
  const label = labelOf(verdict, policies);
  return {
    action,
    reason: action === "allow" ? "" : reasonOf(said, label, consequence),
    context: context === null ? null : cleanText(context, MAXIMUM.context),
    updatedInput,
    syntheticOutput,
    notice: action === "deny" && key !== undefined ? denialNotice(verdict, policies, { key, home }) : null,
  };
}

/** Puts a block into words that the hook process itself decided. */
export function presentBlock(reason: string, { key, home }: Partial<StateLocation> = {}): PresentedVerdict {
  return {
    action: "deny",
    reason: `[drwn] ${cleanText(reason, MAXIMUM.reason)} ${removalFor(home)}`,
    context: null,
    updatedInput: null,
    syntheticOutput: null,
    notice: key === undefined ? null : noticeOf("this call could not be judged, so it is denied", key, home),
  };
}

/**
 * Whether a person can let the call past the policy that denied it. Failures, guards of a project around this one and
 * those that root sets allow no exception.
 */
export function isExceptable({ action, isFailure, by }: Verdict, policies: readonly PreparedPolicy[]): boolean {
  const policy = by < 0 ? undefined : policies[by];
  return (
    action === "deny" && !isFailure && policy !== undefined && (policy.scope === null || policy.scope === "global")
  );
}

function denialNotice(
  verdict: Verdict,
  policies: readonly PreparedPolicy[],
  { key, home }: { key: string; home: string | undefined },
): string {
  const notice = noticeOf(`${labelOf(verdict, policies)} denied this call`, key, home);
  return isExceptable(verdict, policies) ? `${notice}. Let it through: drwn allow${flagFor(key)}` : notice;
}

/** For a person who may be watching the agent; the model doesn't see it. */
function noticeOf(what: string, key: string, home = ""): string {
  if (isManagedHome(home)) return `[drwn] ${what}: root set this guard for every user of this machine`;
  return `[drwn] ${what}. More: drwn why${flagFor(key)}`;
}

function flagFor(key: string): string {
  return key === GLOBAL_KEY ? " --global" : "";
}

/** Tells a person that a hook failed where nothing could be held. */
export function presentNotice(what: string): string {
  return `[drwn] a hook policy could not do its work here: ${cleanText(what, MAXIMUM.reason)}`;
}

/** How the verdict came about, for the journal. Null: the agent gets nothing that any policy said. */
export function ruleOf(verdict: Verdict, policies: readonly PreparedPolicy[]): Ruling | null {
  const { action, by, isFailure, reason, context, updatedInput } = verdict;
  if (action === "allow" && context === null && updatedInput === null) return null;
  const policy = by < 0 ? undefined : policies[by];
  return {
    rule: action !== "deny" ? action : isFailure ? "failure" : policy === undefined ? "no-agreement" : "deny",
    by: policy === undefined ? null : policy.name,
    reason,
    context: context === null ? 0 : context.length,
    updatedInput,
  };
}

function reasonOf({ reason, isFailure, syntheticOutput }: Verdict, label: string, consequence: string): string {
  const said = cleanText(reason, MAXIMUM.reason);
  const failed = said.startsWith(UNREADABLE) ? `guards ${said}. Write it again` : `the policy ${said}. ${consequence}`;
  const full = isFailure ? failed : said;
  const result =
    syntheticOutput === null ? "" : `\n\nInstead of a result: ${cleanText(syntheticOutput, MAXIMUM.syntheticOutput)}`;
  return `[${label}] ${full}${result}`;
}

function labelOf({ by }: Verdict, policies: readonly PreparedPolicy[]): string {
  const policy = by < 0 ? undefined : policies[by];
  return policy === undefined ? "drwn" : policy.label;
}
