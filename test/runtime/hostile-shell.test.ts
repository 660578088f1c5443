import { HOSTILE, HOSTILE_AT_ONCE } from "../support/hostile-environments.ts";
import { describeAgentShell, describeShell } from "../support/hostile-shells.ts";
import { AGENT_SHELLS, SYSTEM_SHELLS } from "../support/shells.ts";

// Bash alone takes functions and options from its environment. For the other shells each environment by itself is a sweep:
// test/sweeps/hostile-shell.test.ts.
for (const shell of SYSTEM_SHELLS) describeShell(shell, shell.name === "bash" ? HOSTILE : HOSTILE_AT_ONCE);
for (const agent of AGENT_SHELLS) describeAgentShell(agent, agent.endsWith("bash") ? HOSTILE : HOSTILE_AT_ONCE);
