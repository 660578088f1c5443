import path from "node:path";
import { type CardUnderTest, hooksInForce } from "../../authoring/proving/find-hooks.ts";
import { pastCalls, readableAgents } from "../../authoring/proving/past-calls.ts";
import { type Replay, Replaying } from "../../authoring/proving/replay.ts";
import {
  compileHookUnderTest,
  type HookUnderTest,
  nameOfHook,
  type ProvenCard,
  withSandbox,
} from "../../authoring/proving/sandbox.ts";
import { drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { AgentId } from "../../policy/event.ts";
import { findProjectRoot } from "../../project/identity.ts";
import { readInstalled } from "../../project/open/installed-card.ts";
import { openProject, requireLockedCard } from "../../project/open/open-project.ts";
import type { Review } from "../../trust/review.ts";
import { parseSince } from "./log.ts";

/**
 * The hooks to ask: those of a card, all that are in force in the project, or those of one card that are in force
 * there.
 */
export type Side = (CardUnderTest & Pick<ProvenCard, "terms">) | "in-force" | { inForceOf: string };

export interface PastRequest {
  side: Side;
  against: Side | null;
  /** A time, or how long ago. */
  since: string;
  agent?: AgentId | undefined;
  /** A folder; absent: the project of the current one. */
  project?: string | undefined;
  isEverywhere: boolean;
  limit: number;
  /** A number of calls, or a share of them: `3`, `0.1%`. */
  maxDenied?: string | undefined;
  signal?: AbortSignal;
}

export interface ReplayReport extends Replay {
  hooks: string[];
  /** Hooks that are not replayed, and why. */
  notReplayed: { hook: string; why: string }[];
  against: string[] | null;
  since: string;
  /** The folder whose calls were replayed; null: all of them. */
  project: string | null;
  /** The agents whose records drwn can read. */
  readable: AgentId[];
  /** Whether no more calls can be denied than the maximum; null: there is no maximum. */
  isWithin: boolean | null;
}

/**
 * Asks hooks about the calls that agents have kept of past sessions. The caller has already asked whether the code may
 * run.
 */
export async function replayPast(host: Host, request: PastRequest): Promise<ReplayReport> {
  const { since, agent, project, isEverywhere, limit, signal } = request;
  const maximum = parseMaximum(request.maxDenied);
  const from = parseSince(host.now(), since);
  const root = isEverywhere ? null : path.resolve(host.cwd, project ?? findProjectRoot(host.cwd) ?? ".");
  const own = await hooksOf(host, request.side);
  const against = request.against === null ? null : await hooksOf(host, request.against);
  const replay = await withSandbox((place) => {
    const calls = pastCalls(host, { since: from, agent, root, signal }, (why) => replaying.leave(why));
    const onProgress = (count: number) => host.progress(`replayed ${count} calls`);
    const sides = { hooks: own.asked, against: against?.asked ?? null };
    // Without a hook to ask there is nothing to find out or to count.
    const most = own.asked.length === 0 ? 0 : limit;
    const replaying = new Replaying(place, { ...sides, calls, home: host.home, limit: most, signal, onProgress });
    host.progress("reading past sessions");
    return replaying.run();
  }, signal);
  return {
    ...replay,
    hooks: own.asked.map(nameOfHook),
    notReplayed: [...own.left, ...(against?.left ?? [])],
    against: against?.asked.map(nameOfHook) ?? null,
    since: from.toISOString(),
    project: root,
    readable: readableAgents(),
    isWithin: maximum === null ? null : isWithin(replay, maximum),
  };
}

/** The calls that the replay didn't reach may be denied, too. */
function isWithin({ calls, denied, isEnded }: Replay, { value, isShare }: Maximum): boolean {
  return !isEnded && denied <= (isShare ? value * calls : value);
}

/**
 * What a card under review would have done in the last 30 days; if it replaces another, what it would have done
 * differently. A person has asked for it.
 */
export function replayReviewed(host: Host, review: Review): Promise<ReplayReport> {
  const against = review.replaces === null ? null : { inForceOf: review.card };
  return replayPast(host, { ...lastMonthOf(host, review), against });
}

/**
 * Refuses a card under review that would have denied more of the last 30 days' calls than this number, or this share.
 */
export async function requireFewDenied(host: Host, review: Review, maxDenied: string): Promise<ReplayReport> {
  const replay = await replayPast(host, { ...lastMonthOf(host, review), maxDenied });
  const { card, version, hooks } = review;
  const { denied, calls, notReplayed } = replay;
  const unknown = notReplayed.find(({ hook }) =>
    hooks.some(({ name, phases }) => name === hook && phases.includes("pre-tool")),
  );
  if (replay.isWithin === true && unknown === undefined) return replay;
  const what =
    unknown === undefined
      ? `would have denied ${denied} of ${plural(calls, "call")} of the last 30 days, and ${clean(maxDenied, 80)} are allowed`
      : `cannot be replayed, so nobody knows how much it denies: ${clean(unknown.hook)}, since ${clean(unknown.why)}`;
  throw new Problem("DRWN_TOO_MUCH_DENIED", `${card}@${version} ${what}`, {
    hint:
      unknown === undefined ? `drwn replay ${card}@${version} --run` : drwn("card trust", card, "--hooks", "--shadow"),
  });
}

function lastMonthOf(host: Host, { card, hooks, options, terms: { mode } }: Review): PastRequest {
  const { manifest, files } = readInstalled(host.drwnHome, requireLockedCard(openProject(host), card));
  const about = { manifest, files, hooks, terms: { mode, options } };
  const side: Side = { ...about, from: "published", folder: null, isApproved: false };
  return { side, against: null, since: "30d", isEverywhere: host.scope === "global", limit: 100_000 };
}

interface SideHooks {
  asked: HookUnderTest[];
  left: ReplayReport["notReplayed"];
}

/**
 * Leaves out hooks with capabilities: they would see today's files instead of those of then, and may change something.
 */
async function hooksOf(host: Host, side: Side): Promise<SideHooks> {
  const sides: SideHooks = { asked: [], left: [] };
  const add = async (name: string, facts: IndexedFacts, compile: () => HookUnderTest | Promise<HookUnderTest>) => {
    const why = whyNot(facts);
    if (why === null) sides.asked.push(await compile());
    else sides.left.push({ hook: name, why });
  };
  if (side === "in-force" || "inForceOf" in side) {
    const isMeant = ({ policy }: HookUnderTest): boolean => side === "in-force" || policy.card === side.inForceOf;
    for (const hook of hooksInForce(host).filter(isMeant)) await add(nameOfHook(hook), hook.policy, () => hook);
  } else {
    const { terms = termsIn(host, side.manifest.name) } = side;
    for (const hook of side.hooks)
      await add(hook.name, hook, () => compileHookUnderTest({ ...side, terms }, hook.name));
  }
  return sides;
}

/** A person's terms for the card here apply to another version of it, too. */
function termsIn(host: Host, card: string): ProvenCard["terms"] {
  if (findProjectRoot(host.cwd) === undefined) return undefined;
  return openProject(host).ledger?.grants.findLast((grant) => grant.card === card && grant.revokedAt === null);
}

type IndexedFacts = Pick<HookUnderTest["policy"], "capabilities" | "phases">;

function whyNot({
  capabilities,
  phases,
}: {
  capabilities: readonly string[];
  phases: readonly string[];
}): string | null {
  if (capabilities.length > 0) return `it needs ${capabilities.join(", ")}`;
  return phases.includes("pre-tool") ? null : "it is not asked before a tool call";
}

interface Maximum {
  value: number;
  isShare: boolean;
}

function parseMaximum(text: string | undefined): Maximum | null {
  if (text === undefined) return null;
  const [, number = "", percent] = /^(\d{1,9}(?:\.\d{1,9})?)(%)?$/u.exec(text) ?? [];
  const [isShare, value] = [percent !== undefined, Number(number)];
  if (number !== "" && !(isShare && value > 100)) return { value: isShare ? value / 100 : value, isShare };
  throw new Problem("DRWN_LIMIT_INVALID", `\`${clean(text, 80)}\` isn't a number of calls or a share of them`, {
    details: ["expected: 3, or 0.1%"],
  });
}
