import { targetsOf } from "../agents/targets.ts";
import type { Finding } from "../kernel/finding.ts";
import type { Host } from "../kernel/host.ts";
import { type WantedAgents, wantedAgents } from "../materialize/wanted-agents.ts";
import { EVERY_CALL } from "../plan/machine-plans.ts";
import { checkRequirements } from "../plan/requirements.ts";
import type { Runtime } from "../policy/event.ts";
import { checkPreloads } from "../wiring/preloads.ts";
import { type CheckRequest, NOT_INSTALLED, type Target } from "../wiring/target.ts";
import { NOTHING_WRITTEN, readWritten } from "../wiring/written.ts";
import type { OpenProject } from "../workspace/open-project.ts";
import { checkRootsEntry, faultsAmong, findWaysRound, notReadIn, titleOf } from "./agent-faults.ts";
import { tryHook } from "./canary.ts";
import { checkAbove } from "./check-above.ts";
import { type ProjectsAround, readAround } from "./check-around.ts";
import { checkCodeCache } from "./check-code-cache.ts";
import { checkEntry } from "./check-entry.ts";
import { checkHome } from "./check-home.ts";
import { checkUnmet, judgeUnmet } from "./check-requirements.ts";
import { checkProgram, checkState, checkWritten, findUnwritten } from "./check-state.ts";
import { checkVariables } from "./check-variables.ts";
import { type ConsentedPolicy, type ConsentState, cardsFor, isFor, isGuardIn, readConsented } from "./consented.ts";
import { type Consequence, type GuardFault, noAgent, undoes } from "./fault.ts";
import type { AgentStanding, GuardedAgent, Guarding } from "./guarded-agent.ts";
import { guardingOfLost } from "./lost-home.ts";

export { type AgentStanding, commandToAdd, type GuardedAgent, type Guarding, standingsOf } from "./guarded-agent.ts";

/** From files and the environment alone: nothing is started. */
export function readGuarding(host: Host, project: OpenProject): Guarding {
  return orLost(host, judge(gather(host, project, { isAsked: false })));
}

/** The same, with what the agents' programs say. `isHookTried`: sends an event through each agent's hook. */
export async function examineGuarding(
  host: Host,
  project: OpenProject,
  { isHookTried }: { isHookTried: boolean },
): Promise<Guarding> {
  const evidence = gather(host, project, { isAsked: true });
  const { first, common, consented } = evidence;
  // If anything is missing or altered, the hook isn't tried.
  const isTried = isHookTried && [...first, ...common].every(({ comesTo }) => comesTo === "nothing");
  const plan = isTried ? consented.plan : null;
  const notAsked: string[] = [];
  const asked = evidence.agents.map(async ({ target, place, faults, findings }) => {
    const answering = plan === null ? [] : tryHook(host, project.root, { target, plan });
    // Root starts no program that a user may have put on the path.
    const saying = host.scope === "system" ? [] : (target.ask?.(place) ?? []);
    const [answered, found] = await Promise.all([answering, saying]);
    const said = found.filter(({ code }) => code !== NOT_INSTALLED);
    const why = found.find(({ code }) => code === NOT_INSTALLED)?.message ?? (target.ask === undefined ? NO_WAY : null);
    if (why !== null && host.scope !== "system") notAsked.push(`${titleOf(target.runtime)} (${why})`);
    faults.push(...faultsAmong(said), ...answered);
    findings.push(...said, ...answered.map(({ finding }) => finding));
  });
  const [forged] = await Promise.all([plan === null ? [] : checkCodeCache(host), ...asked]);
  common.push(...forged);
  const guarding = orLost(host, judge(evidence));
  return notAsked.length === 0 ? guarding : { ...guarding, notAsked: notAsked.sort() };
}

/** Where nobody has consented to anything, an agent may still ask a hook that is gone. */
function orLost(host: Host, guarding: Guarding): Guarding {
  return guarding.agents.length > 0 ? guarding : (guardingOfLost(host) ?? guarding);
}

const NO_WAY = "it can't say what it loaded";

/** The first reason why an agent isn't guarded; null: every agent is. */
export function whyNotGuarded({ agents }: Guarding): GuardedAgent["because"] {
  return agents.find(({ standing }) => standing !== "guarded" && standing !== "watched")?.because ?? null;
}

interface Evidence {
  consented: ConsentState;
  around: ProjectsAround;
  /** The cards that no plan has. */
  unwritten: string[];
  /** The faults that this leads to: they explain everything that follows. */
  first: GuardFault[];
  /** What else concerns every agent. */
  common: GuardFault[];
  agents: AgentEvidence[];
  found: WantedAgents["found"];
  /** Found, but a person chose others. */
  leftOut: Runtime[];
}

interface AgentEvidence {
  target: Target;
  place: CheckRequest;
  ownersFile: string | null;
  /** Some policy can hold a call in it. */
  hasGuards: boolean;
  faults: GuardFault[];
  findings: Finding[];
}

function gather(host: Host, project: OpenProject, { isAsked }: { isAsked: boolean }): Evidence {
  const consented = readConsented(host, project);
  const { activations, key } = consented;
  const unmet = checkUnmet(checkRequirements(project.config, activations));
  const around = readAround(host, project);
  const isLost = project.isLedgerLost || around.isUnknown;
  const hasOwn = consented.policies.length + unmet.length > 0 || project.isLedgerLost;
  const policies = [...consented.policies, ...around.policies];
  if (!hasOwn && around.roots.length === 0) {
    return { consented, around, unwritten: [], first: [], common: [], agents: [], found: [], leftOut: [] };
  }
  const written = readWritten(host.drwnHome, key) ?? NOTHING_WRITTEN;
  const wanted = wantedAgents(host, project, { written });
  const runtimes = [...(hasOwn ? wanted.runtimes : []), ...around.runtimes];
  const isConcerned = (runtime: Runtime) =>
    isLost || unmet.length > 0 || policies.some((policy) => isFor(runtime, policy));
  const concerned = targetsOf(runtimes).filter(({ runtime }) => isConcerned(runtime));
  const isLeftOut = (one: Runtime) => !runtimes.includes(one) && isConcerned(one);
  // Root doesn't know which agents a machine's users start.
  const leftOut = hasOwn && host.scope !== "system" ? wanted.found.filter(isLeftOut) : [];
  const unwritten = findUnwritten(consented);
  const { program, ofAgents } = checkProgram(host, concerned);
  const above = checkAbove(host, project);
  const common = [
    ...(hasOwn ? checkState(host, project, consented) : []),
    ...around.faults,
    ...above,
    ...checkHome(host.drwnHome),
    ...program,
    ...faultsAmong(checkPreloads("the environment", (name) => host.env[name])),
    ...judgeUnmet({ host, root: project.root }, { unmet, targets: concerned }),
  ];
  const agents = concerned.map((target) =>
    gatherAgent(host, project, {
      ...{ target, key, policies, wiring: written.wiring, isAsked, isLost, isHeldAbove: above.length > 0 },
      own: ofAgents.get(target.runtime) ?? [],
    }),
  );
  const first = [
    ...(runtimes.length === 0 ? [noAgent(project.root)] : []),
    ...checkWritten(project, { cards: unwritten, replaced: consented.replaced }),
  ];
  return { consented, around, unwritten, first, common, agents, found: wanted.found, leftOut };
}

interface AgentRequest {
  target: Target;
  key: string;
  policies: readonly ConsentedPolicy[];
  wiring: (typeof NOTHING_WRITTEN)["wiring"];
  isAsked: boolean;
  /** A ledger is lost, and any entry of drwn will do. */
  isLost: boolean;
  /** The hook blocks every call, because of what holds in every folder. */
  isHeldAbove: boolean;
  /** Faults of the program that answers only this agent. */
  own: readonly GuardFault[];
}

function gatherAgent(
  host: Host,
  project: OpenProject,
  { target, key, policies, wiring, isAsked, isLost, isHeldAbove, own }: AgentRequest,
): AgentEvidence {
  const { root } = project;
  const { runtime } = target;
  const hasGuards = isLost || policies.some((policy) => isFor(runtime, policy) && isGuardIn(runtime, policy));
  // An entry that only the machine's owner can change counts before anything that a user or a repository says.
  const owners = target.ownersEntry?.({ host, root, policies: isLost ? [EVERY_CALL] : policies }) ?? null;
  if (owners !== null) {
    const place = { host, root, file: owners.file, isAsked };
    const found = [...owners.findings, ...(target.checkBeside?.(place) ?? [])];
    if (host.scope === "system") found.push(...checkRootsEntry(owners.file), ...findWaysRound(place, target));
    const findings = [...own.map(({ finding }) => finding), ...found];
    const faults = [...own, ...faultsAmong(found)];
    return { target, place, ownersFile: owners.file, hasGuards, faults, findings };
  }
  const wanted = isLost || isHeldAbove ? null : policies;
  const entry = checkEntry(host, { root, key, wiring, runtime, policies: wanted });
  const place = { host, root, file: entry.file, isAsked };
  // If the file isn't a settings file, there is nothing more to check.
  const findings =
    entry.file === ""
      ? []
      : [
          ...target.check(place),
          ...(target.checkBeside?.(place) ?? []),
          ...checkVariables(
            { root, cwd: host.cwd, isEverywhere: isAsked },
            [runtime],
            (folder) => target.checkBeside?.({ host, root: folder }) ?? [],
          ),
        ];
  return {
    target,
    place,
    ownersFile: null,
    hasGuards,
    faults: [...entry.faults, ...own, ...faultsAmong(findings), ...notReadIn(host.cwd, root, findings)],
    findings: [...[...entry.faults, ...own].map(({ finding }) => finding), ...findings],
  };
}

function judge({ consented, around, unwritten, first, common, agents, found, leftOut }: Evidence): Guarding {
  const others = [...agents.flatMap(({ faults }) => faults), ...common].filter(undoes);
  const cards = others.length === 0 ? unwritten : consented.policies.map(({ card }) => card);
  const findings = [
    ...[...first, ...common].map(({ finding }) => finding),
    ...agents.flatMap((agent) => agent.findings),
  ];
  return {
    stands: first.length + others.length === 0,
    agents: agents.map((agent) => ({
      ...judgeAgent(agent, [...first, ...agent.faults, ...common]),
      isFound: found.includes(agent.target.runtime),
      cards: cardsFor(agent.target.runtime, consented),
    })),
    leftOut: leftOut.map((runtime) => ({ runtime, title: titleOf(runtime) })),
    notInForce: [...new Set(cards)],
    replaced: consented.replaced,
    around: around.roots,
    findings: [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()],
  };
}

/** The gravest consequence comes first. */
const STANDINGS: readonly (readonly [Consequence, AgentStanding?])[] = [
  ["opens", "unguarded"],
  ["hides", "unknown"],
  ["pauses", "paused"],
  ["blocks", "blocked"],
  ["lags"],
];

function judgeAgent(
  { target, ownersFile, hasGuards }: AgentEvidence,
  faults: readonly GuardFault[],
): Omit<GuardedAgent, "cards" | "isFound"> {
  const { runtime } = target;
  const about = { runtime, title: titleOf(runtime), ownersFile };
  const stands = hasGuards ? "guarded" : "watched";
  for (const [consequence, standing = stands] of STANDINGS) {
    const found = faults.find(({ comesTo }) => comesTo === consequence);
    if (found === undefined) continue;
    const { message, hint } = found.finding;
    return { ...about, standing, because: { message, hint } };
  }
  return { ...about, standing: stands, because: null };
}
