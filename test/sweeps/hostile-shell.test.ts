import { HOSTILE } from "../support/hostile-environments.ts";
import { describeAgentShell, describeShell } from "../support/hostile-shells.ts";
import { AGENT_SHELLS, SYSTEM_SHELLS } from "../support/shells.ts";

for (const shell of SYSTEM_SHELLS.filter(({ name }) => name !== "bash")) describeShell(shell, HOSTILE);
for (const agent of AGENT_SHELLS.filter((place) => !place.endsWith("bash"))) describeAgentShell(agent, HOSTILE);
