import fs from "node:fs";
import { layout } from "../../contract/layout.ts";
import { faultFinding } from "../../guarding/fault.ts";
import type { GuardedAgent, Guarding } from "../../guarding/guarding.ts";
import { drwn, type Text } from "../../kernel/advice.ts";
import type { Finding } from "../../kernel/finding.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { OpenProject } from "../../workspace/open-project.ts";
import { checkLog, type LogCheck, type UnguardedCall } from "./check-log.ts";

/** What `status` looks at; `drwn log check` looks at everything. */
const LATELY = { sessions: 3, transcripts: 100, lastBytes: 1024 * 1024 };

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
  const isClaimed = guarding.agents.some(({ standing }) => CLAIMS.has(standing));
  if (since === undefined || !isClaimed || host.scope === "system") return guarding;
  const check = await checkLately(host, project, since);
  if (check?.found !== true) return guarding;
  const hint = host.scope === "global" ? drwn("log") : "drwn log check";
  const found = new Map(guarding.agents.map((agent) => [agent, describe(agent, check, hint)]));
  const findings = [...found.values()].flatMap((finding) => finding ?? []);
  if (findings.length === 0) return guarding;
  const agents = guarding.agents.map((agent): GuardedAgent => {
    const finding = found.get(agent);
    if (finding == null || !CLAIMS.has(agent.standing)) return agent;
    return { ...agent, standing: "unguarded", because: { message: finding.message, hint: finding.hint } };
  });
  return { ...guarding, stands: false, agents, findings: [...guarding.findings, ...findings] };
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
const CLAIMS: ReadonlySet<GuardedAgent["standing"]> = new Set(["guarded", "blocked", "unknown"]);

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
