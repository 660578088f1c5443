import type { Finding } from "../kernel/finding.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { readPoliciesOf } from "../plan/machine-plans.ts";
import type { Runtime } from "../policy/event.ts";
import { readWritten, type Written } from "../wiring/written.ts";
import { planWiring } from "./wiring.ts";

interface Guarded {
  root: string;
  key: string;
  /** The digest of the plan in force. */
  plan: string;
}

/** Of the plan in force: the agents whose settings do not ask the hook as `write` made them do. Nothing is verified or started. */
export function findMissingEntries(host: Host, project: Guarded): Finding[] {
  const written = readWritten(host.drwnHome, project.key);
  return (written?.runtimes ?? []).flatMap((runtime) => checkEntry(host, project, { ...written, runtime }));
}

function checkEntry(
  host: Host,
  { root, key, plan }: Guarded,
  { runtime, wiring = "user" }: Partial<Written> & { runtime: Runtime },
): Finding[] {
  try {
    const policies = readPoliciesOf(host.drwnHome, key, plan);
    const request = { host, root, key, wiring, runtimes: [runtime], former: [], policies, shared: "keep" } as const;
    const { agents, settings } = planWiring(request);
    const subject = agents.map(({ file }) => file).find((file) => settings.some(({ path }) => path === file));
    if (subject === undefined) return [];
    const message = `the entry that asks drwn is missing here, or was edited: no guard of this project may be in force in ${runtime}`;
    return [{ code: "not-written", severity: "error", subject, message, hint: "drwn write" }];
  } catch (error) {
    if (!isProblem(error)) throw error;
    const { message, hint } = error;
    return [{ code: "not-written", severity: "error", subject: runtime, message, hint: hint ?? "drwn doctor" }];
  }
}
