import { HOSTILE, HOSTILE_AT_ONCE } from "../support/hostile-environments.ts";
import { describeAgentShell, describeShell } from "../support/hostile-shells.ts";
import { AGENT_SHELLS, SYSTEM_SHELLS } from "../support/shells.ts";

// Bash alone takes functions and options from its environment. For all shells each environment by itself is a sweep:
// test/sweeps/hostile-shell.test.ts.
const OF_BASH = Object.fromEntries(
  Object.entries(HOSTILE).filter(([what]) => /function|option/u.test(what) || what in HOSTILE_AT_ONCE),
);

for (const shell of SYSTEM_SHELLS) describeShell(shell, shell.name === "bash" ? OF_BASH : HOSTILE_AT_ONCE);
for (const agent of AGENT_SHELLS) describeAgentShell(agent, agent.endsWith("bash") ? OF_BASH : HOSTILE_AT_ONCE);
