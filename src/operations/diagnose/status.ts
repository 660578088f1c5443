import fs from "node:fs";
import { targetsOf } from "../../agents/targets.ts";
import { faultFinding } from "../../check/fault.ts";
import { type GuardedAgent, type Guarding, readGuarding } from "../../check/guarding.ts";
import { layout } from "../../contract/layout.ts";
import { adviseIn, drwn, type Text } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { type Finding, isProblem } from "../../kernel/problem.ts";
import { clean, plural } from "../../kernel/text.ts";
import { findMismatches } from "../../project/lock.ts";
import { findGlobalBeside } from "../../project/open/locate-project.ts";
import { lookAtProject, type OpenProject } from "../../project/open/open-project.ts";
import { isStored } from "../../registry/store.ts";
import { describeCards, type ListedCards } from "../project/list.ts";
import { isPaused } from "../project/pause.ts";
import { checkLog, type LogCheck, type UnguardedCall } from "./compare-transcripts.ts";

export interface Status extends ListedCards {
  drwnHome: string;
  /** True if card.lock matches config.json. */
  lockMatches: boolean;
  /** False: card.lock has cards that aren't on this machine, as in a fresh clone. */
  isFetched: boolean;
  /** True if `write` has put a plan in force, and nothing has undone that. */
  planInForce: boolean;
  /** ISO 8601; until then no hook policy runs; null: not paused. */
  pausedUntil: string | null;
  /** Where this folder was when somebody consented in it; null: here, or nobody did. */
  movedFrom: string | null;
  /** What the agents here do without asking any hook, a sentence for each. */
  unasked: string[];
  /** What is wrong with the guards, or worth a person's look. */
  findings: Finding[];
}

interface StatusOfBoth extends Status {
  /** What holds in every folder, this one included; null: nothing does, or the question was about that. */
  global: Status | null;
}

/** The state of the project, with what holds in every folder, and what the newest sessions here say about both. */
export async function readStatusOfBoth(host: Host): Promise<StatusOfBoth> {
  const other = findGlobalBeside(host);
  const global = other === undefined ? null : adviseIn("global", await seeStatus(other));
  return { ...(await seeStatus(host)), global };
}

async function seeStatus(host: Host): Promise<Status> {
  const project = lookAtProject(host);
  return readStatus(host, {
    project,
    guarding: await contradictFromTranscripts(host, readGuarding(host, project), project),
  });
}

/** What the caller has already found out. */
interface Known {
  project: OpenProject;
  guarding: Guarding;
}

/** The state of the project from its own files and this machine's; doctor looks deeper. */
export function readStatus(host: Host, known?: Known): Status {
  const project = known?.project ?? lookAtProject(host);
  const { config, lock, ledger, formerPath } = project;
  const listed = describeCards(host, project, known?.guarding);
  return {
    ...listed,
    drwnHome: host.drwnHome,
    lockMatches: findMismatches(config, lock).length === 0,
    isFetched: lock.cards.every(({ tree }) => isStored(host.drwnHome, tree)),
    planInForce: ledger?.plan != null && listed.guarding.ok,
    pausedUntil: isPaused(ledger, host.now()) ? (ledger?.pausedUntil ?? null) : null,
    movedFrom: formerPath,
    unasked: targetsOf(listed.guarding.agents.map(({ runtime }) => runtime)).flatMap(({ unasked }) =>
      unasked === undefined ? [] : [`${unasked.what}; \`drwn log --check\` finds such calls afterwards`],
    ),
    findings: listed.guarding.findings,
  };
}

/** What `status` looks at; `drwn log --check` looks at everything. */
const LATELY = { sessions: 3, transcripts: 100, lastBytes: 512 * 1024 };

/**
 * The same answer, unless the newest sessions of this folder since the last `write` contradict it: calls that ran
 * without the hook, or although it denied them.
 */
export async function contradictFromTranscripts(
  host: Host,
  guarding: Guarding,
  project: OpenProject,
): Promise<Guarding> {
  const since = lastWrite(host, project.key);
  const isClaimed = guarding.agents.some(({ state }) => CLAIMS.has(state));
  if (since === undefined || !isClaimed || host.scope === "system") return guarding;
  const check = await checkLately(host, project, since);
  if (check?.found !== true) return guarding;
  const hint = host.scope === "global" ? drwn("log") : "drwn log --check";
  const found = new Map(guarding.agents.map((agent) => [agent, describe(agent, check, hint)]));
  const findings = [...found.values()].flatMap((finding) => finding ?? []);
  if (findings.length === 0) return guarding;
  const agents = guarding.agents.map((agent): GuardedAgent => {
    const finding = found.get(agent);
    if (finding == null || !CLAIMS.has(agent.state)) return agent;
    return { ...agent, state: "unguarded", because: { message: finding.message, hint: finding.hint } };
  });
  return { ...guarding, ok: false, agents, findings: [...guarding.findings, ...findings] };
}

/** Undefined: what was consented to can't be read, which the answer says already. */
async function checkLately(host: Host, project: OpenProject, since: Date): Promise<LogCheck | undefined> {
  try {
    return await checkLog(host, { project, lately: { since, ...LATELY } });
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}

/** Only these say that a call which a policy denies doesn't run. */
const CLAIMS: ReadonlySet<GuardedAgent["state"]> = new Set(["guarded", "blocked", "unknown"]);

/** When `write` last looked at the entries; undefined: never. */
function lastWrite({ drwnHome }: Host, key: string): Date | undefined {
  return fs.statSync(layout.written(drwnHome, key), { throwIfNoEntry: false })?.mtime;
}

/** Null: its sessions contradict nothing. */
function describe({ runtime, title }: GuardedAgent, { overruled, unseen }: LogCheck, hint: Text): Finding | null {
  const said = [
    describeCalls(
      overruled.filter(({ agent }) => agent === runtime),
      "that a policy denied ran all the same",
    ),
    describeCalls(
      unseen.filter(({ agent }) => agent === runtime),
      "ran without asking the hook",
    ),
  ].filter((text) => text !== null);
  if (said.length === 0) return null;
  return faultFinding("seen-unguarded", title, `in the last sessions ${said.join(", and ")}`, hint);
}

function describeCalls(calls: readonly UnguardedCall[], what: string): string | null {
  const last = calls.reduce<UnguardedCall | undefined>((a, b) => (a === undefined || a.at < b.at ? b : a), undefined);
  if (last === undefined) return null;
  return `${plural(calls.length, "call")} ${what}, the last one at ${clean(last.at, 40)}, of ${clean(last.tool, 80)}`;
}
