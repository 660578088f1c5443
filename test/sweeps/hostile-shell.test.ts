import { HOSTILE } from "../support/hostile-environments.ts";
import { describeAgentShell, describeShell } from "../support/hostile-shells.ts";
import { AGENT_SHELLS, SYSTEM_SHELLS } from "../support/shells.ts";

for (const shell of SYSTEM_SHELLS) describeShell(shell, HOSTILE);
for (const agent of AGENT_SHELLS) describeAgentShell(agent, HOSTILE);
