import { targetsOf } from "../agents/targets.ts";
import type { Finding } from "../kernel/finding.ts";
import type { Host } from "../kernel/host.ts";
import type { WritePlan } from "../materialize/plan-write.ts";

/** What keeps the agents from calling the hook that `write` wired. Nothing wired: nothing to keep. */
export async function checkAgents(host: Host, { project, planDigest, agents }: WritePlan): Promise<Finding[]> {
  if (planDigest === null) return [];
  const checks = agents.flatMap(({ runtime, file }) =>
    targetsOf([runtime]).map((target) => target.check({ host, root: project.root, file })),
  );
  return (await Promise.all(checks)).flat();
}
