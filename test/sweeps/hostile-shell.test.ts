import { HOSTILE, HOSTILE_AT_ONCE } from "../support/hostile-environments.ts";
import { describeAgentShell, describeShell } from "../support/hostile-shells.ts";
import { AGENT_SHELLS, SYSTEM_SHELLS } from "../support/shells.ts";
import { sweep } from "../support/sweep.ts";

const some = Object.fromEntries(sweep(Object.entries(HOSTILE), 4));
// Bash would block all that goes together: it takes functions from its environment.
const environmentsOf = (name: string) => (name.endsWith("bash") ? some : { ...HOSTILE_AT_ONCE, ...some });
for (const shell of SYSTEM_SHELLS) describeShell(shell, environmentsOf(shell.name));
for (const agent of AGENT_SHELLS) describeAgentShell(agent, environmentsOf(agent));
