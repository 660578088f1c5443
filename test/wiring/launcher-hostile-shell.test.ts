import { HOSTILE, HOSTILE_AT_ONCE } from "../support/hostile-environments.ts";
import { describeAgentShell, describeShell } from "../support/hostile-shells.ts";
import { AGENT_SHELLS, SYSTEM_SHELLS } from "../support/shells.ts";

// Bash alone takes functions and options from its environment, and most systems have it or dash as /bin/sh. All shells with all
// that goes together are in the sample of a sweep, as is some of each environment by itself: test/sweeps/hostile-shell.test.ts.
const OF_BASH = Object.fromEntries(
  Object.entries(HOSTILE).filter(([what]) => /function|option/u.test(what) || what in HOSTILE_AT_ONCE),
);

const isUsual = (name: string) => /(?:bash|dash)$/u.test(name);
for (const shell of SYSTEM_SHELLS.filter(({ name }) => isUsual(name)))
  describeShell(shell, shell.name === "bash" ? OF_BASH : HOSTILE_AT_ONCE);
for (const agent of AGENT_SHELLS.filter(isUsual)) describeAgentShell(agent, OF_BASH);
