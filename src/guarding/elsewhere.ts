import type { Host } from "../kernel/host.ts";
import { wantedAgents } from "../materialize/wanted-agents.ts";
import { NOTHING_WRITTEN, readWritten } from "../wiring/written.ts";
import type { OpenProject } from "../workspace/open-project.ts";
import { titleOf } from "./agent-faults.ts";
import { readConsented } from "./consented.ts";
import type { GuardedAgent, Guarding } from "./guarded-agent.ts";

/** For files that are made for another machine: nobody here can tell. Undefined: they are for this one. */
export function guardingElsewhere(host: Host, project: OpenProject): Guarding | undefined {
  if (host.image === undefined) return undefined;
  const { policies, key } = readConsented(host, project);
  const because = { message: "these files are for other machines; ask there", hint: "drwn status --check" };
  const written = readWritten(host.drwnHome, key) ?? NOTHING_WRITTEN;
  const runtimes = policies.length === 0 ? [] : wantedAgents(host, project, { written }).runtimes;
  const agents = runtimes.map(
    (runtime): GuardedAgent => ({
      ...{ runtime, title: titleOf(runtime), standing: "unknown", ownersFile: null, because, isFound: true, cards: [] },
    }),
  );
  return { stands: true, agents, leftOut: [], notInForce: [], replaced: [], around: [], findings: [] };
}
