import { targetsOf } from "../agents/targets.ts";
import { sayIn } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import type { Finding } from "../kernel/problem.ts";
import type { AgentId } from "../policy/event.ts";
import type { OpenProject } from "../project/open/open-project.ts";
import { checkPreloads } from "../wiring/program-version.ts";
import { type CheckRequest, NOT_INSTALLED, type Target } from "../wiring/target.ts";
import { NOTHING_WRITTEN, readWriteRecord } from "../wiring/write-record.ts";
import { EVERY_CALL, type OtherPolicies, otherPolicies } from "../write/plan/plan-in-force.ts";
import { checkRequirements } from "../write/plan/requirements.ts";
import { type WantedAgents, wantedAgents } from "../write/plan-wiring.ts";
import {
  type Answer,
  type Answers,
  aboutAgent,
  isStillAbout,
  isUnanswered,
  readAnswers,
  recallFaults,
  saveAnswers,
} from "./answer-cache.ts";
import { checkEntry, tryHook } from "./check-entry.ts";
import { checkCodeCache, checkHome } from "./check-home.ts";
import { checkProgram, checkState, checkWritten, findUnwritten } from "./check-state.ts";
import { checkVariables } from "./check-variables.ts";
import {
  type ConsentedPolicy,
  type ConsentState,
  cardsFor,
  checkUnmet,
  isGuardIn,
  judgeUnmet,
  readConsented,
  runsIn,
} from "./consented.ts";
import { checkAbove, type EnclosingGuards, readEnclosingGuards } from "./enclosing-guards.ts";
import {
  breaksGuard,
  type Consequence,
  checkManagedEntry,
  faultsAmong,
  findBypasses,
  type GuardFault,
  noAgent,
  notReadIn,
  titleOf,
} from "./fault.ts";
import type { AgentState, GuardedAgent, Guarding } from "./guarded-agent.ts";
import { guardingOfLost } from "./lost-home.ts";

export { type AgentState, agentsByState, commandToAdd, type GuardedAgent, type Guarding } from "./guarded-agent.ts";

/** From files and the environment alone: nothing is started. */
export function readGuarding(host: Host, project: OpenProject): Guarding {
  return orLost(host, judge(gather(host, project, { asks: "none" })));
}

/** Which agents' programs are asked: those that haven't said of their files as they are that they load the hook, or all. */
type Asks = "none" | "unanswered" | "all";

interface Examination {
  asks: Asks;
  /** Sends an event through each agent's hook. */
  isHookTried: boolean;
}

/** The same, with what the agents' programs say. What they say is recorded for those who don't ask them. */
export async function examineGuarding(
  host: Host,
  project: OpenProject,
  { asks, isHookTried }: Examination,
): Promise<Guarding> {
  const evidence = gather(host, project, { asks });
  const { first, common, consented } = evidence;
  // If anything is missing or altered, the hook isn't tried.
  const isTried = isHookTried && [...first, ...common].every(({ comesTo }) => comesTo === "nothing");
  const plan = isTried ? consented.plan : null;
  const notAsked: string[] = [];
  const asked = evidence.agents.map(async (agent) => {
    const { target, faults, findings } = agent;
    const answering = plan === null ? [] : tryHook(host, project.root, { target, plan });
    const [answered, found] = await Promise.all([answering, askAgent(host, evidence, agent)]);
    const said = found.filter(({ code }) => code !== NOT_INSTALLED);
    const isMute = agent.place.isAsked && target.question === undefined;
    const why = found.find(({ code }) => code === NOT_INSTALLED)?.message ?? (isMute ? NO_WAY : null);
    if (why !== null && host.scope !== "system") notAsked.push(`${titleOf(target.runtime)} (${why})`);
    faults.push(...faultsAmong(said), ...answered);
    findings.push(...said, ...answered.map(({ finding }) => finding));
  });
  const [forged] = await Promise.all([plan === null ? [] : checkCodeCache(host), ...asked]);
  common.push(...forged);
  keepAnswers(host, evidence);
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
  return agents.find(({ state }) => state !== "guarded" && state !== "watched")?.because ?? null;
}

interface Evidence {
  consented: ConsentState;
  /** What the agents answered before. */
  answers: Answers;
  enclosing: EnclosingGuards;
  /** The cards that no plan has. */
  unwritten: string[];
  /** The faults that this leads to: they explain everything that follows. */
  first: GuardFault[];
  /** What else concerns every agent. */
  common: GuardFault[];
  agents: AgentEvidence[];
  found: WantedAgents["found"];
  /** Found, but a person chose others. */
  leftOut: AgentId[];
}

interface AgentEvidence {
  target: Target;
  /** What it said when it was asked last; undefined: nobody knows. */
  answer: Answer | undefined;
  place: CheckRequest;
  managedFile: string | null;
  /** Some policy can hold a call in it. */
  hasGuards: boolean;
  faults: GuardFault[];
  findings: Finding[];
}

/** Asks one agent what it loaded. If it doesn't answer, what it said before of the same files still counts. */
async function askAgent(host: Host, { consented, answers }: Evidence, agent: AgentEvidence): Promise<Finding[]> {
  const { target, place } = agent;
  // Root starts no program that a user may have put on the path.
  if (!place.isAsked || target.question === undefined || host.scope === "system") return [];
  const about = aboutAgent(target, place);
  const { findings, isAnswered } = await target.question.ask(place);
  if (isAnswered) {
    // What drwn reads in the files needs no record.
    const read = new Set(target.check({ ...place, isAsked: false }).map(({ code }) => code));
    const faults = faultsAmong(findings).map(({ finding }) => finding);
    const untold = faults.filter(({ code }) => !read.has(code));
    const isKept = about !== undefined && (untold.length > 0 || faults.length === 0);
    const told = untold.map(({ hint, ...one }) => ({ ...one, hint: hint === null ? null : sayIn(host.scope, hint) }));
    agent.answer = isKept ? { ...about, findings: told } : undefined;
    return findings;
  }
  if (agent.answer === undefined || !isStillAbout(agent.answer)) {
    agent.answer = undefined;
    return findings;
  }
  const at = { home: host.drwnHome, key: consented.key };
  return [...findings, ...recallFaults(at, answers, target).map(({ finding }) => finding)];
}

function keepAnswers(host: Host, { consented: { key }, answers, agents }: Evidence): void {
  if (agents.length === 0 || host.scope === "system") return;
  const given = agents.flatMap(({ target, answer }) => (answer === undefined ? [] : [[target.runtime, answer]]));
  saveAnswers({ home: host.drwnHome, key }, answers, Object.fromEntries(given));
}

function gather(host: Host, project: OpenProject, { asks }: { asks: Asks }): Evidence {
  const consented = readConsented(host, project);
  const { activations, key } = consented;
  const unmet = checkUnmet(checkRequirements(project.config, activations));
  const enclosing = readEnclosingGuards(host, project);
  const isLost = project.isLedgerLost || enclosing.isUnknown;
  const hasOwn = consented.policies.length + unmet.length > 0 || project.isLedgerLost;
  const policies = [...consented.policies, ...enclosing.policies];
  if (!hasOwn && enclosing.roots.length === 0) {
    return {
      consented,
      enclosing,
      answers: {},
      unwritten: [],
      first: [],
      common: [],
      agents: [],
      found: [],
      leftOut: [],
    };
  }
  const written = readWriteRecord(host.drwnHome, key) ?? NOTHING_WRITTEN;
  const wanted = wantedAgents(host, project, { written });
  const runtimes = [...(hasOwn ? wanted.runtimes : []), ...enclosing.runtimes];
  const isConcerned = (runtime: AgentId) =>
    isLost || unmet.length > 0 || policies.some((policy) => runsIn(runtime, policy));
  const concerned = targetsOf(runtimes).filter(({ runtime }) => isConcerned(runtime));
  const isLeftOut = (one: AgentId) => !runtimes.includes(one) && isConcerned(one);
  // Root doesn't know which agents a machine's users start.
  const leftOut = hasOwn && host.scope !== "system" ? wanted.found.filter(isLeftOut) : [];
  const unwritten = findUnwritten(consented);
  const above = checkAbove(host, project);
  const common = [
    ...(hasOwn ? checkState(host, project, consented) : []),
    ...enclosing.faults,
    ...above,
    ...checkHome(host.drwnHome),
    ...checkProgram(host),
    ...faultsAmong(checkPreloads("the environment", (name) => host.env[name])),
    ...judgeUnmet({ host, root: project.root }, { unmet, targets: concerned }),
  ];
  const answers = host.scope === "system" ? {} : readAnswers(host.drwnHome, key);
  const others = otherPolicies(host.drwnHome, key);
  const agents = concerned.map((target) =>
    gatherAgent(host, project, {
      target,
      key,
      policies,
      wiring: written.wiring,
      asks,
      answers,
      isLost,
      isHeldAbove: above.length > 0,
      others,
    }),
  );
  const first = [
    ...(runtimes.length === 0 ? [noAgent(project.root)] : []),
    ...checkWritten(project, { cards: unwritten, replaced: consented.replaced }),
  ];
  return { consented, enclosing, answers, unwritten, first, common, agents, found: wanted.found, leftOut };
}

interface AgentRequest {
  target: Target;
  key: string;
  policies: readonly ConsentedPolicy[];
  wiring: (typeof NOTHING_WRITTEN)["wiring"];
  asks: Asks;
  answers: Answers;
  /** A ledger is lost, and any entry of drwn will do. */
  isLost: boolean;
  /** The hook blocks every call, because of what holds in every folder. */
  isHeldAbove: boolean;
  others: OtherPolicies;
}

function gatherAgent(
  host: Host,
  project: OpenProject,
  { target, key, policies, wiring, asks, answers, isLost, isHeldAbove, others }: AgentRequest,
): AgentEvidence {
  const { root } = project;
  const { runtime } = target;
  const hasGuards = isLost || policies.some((policy) => runsIn(runtime, policy) && isGuardIn(runtime, policy));
  const isAskedAgain = (place: CheckRequest) =>
    asks === "unanswered" && host.scope !== "system" && isUnanswered(answers, target, place);
  const placeOf = (file: string): CheckRequest => {
    const place = { host, root, file };
    // An agent isn't asked if drwn can't read its settings.
    return { ...place, isAsked: file !== "" && (asks === "all" || isAskedAgain(place)) };
  };
  // Asking any agent rewrites a damaged record, even where this agent's program isn't there.
  const isMadeAnew = answers === null && asks !== "none";
  const recalled = ({ isAsked }: CheckRequest) =>
    isAsked || isMadeAnew ? [] : recallFaults({ home: host.drwnHome, key }, answers, target);
  const answer = answers?.[runtime];
  // An entry that only the machine's owner can change counts before anything that a user or a repository says.
  const owners = target.managedEntry?.({ host, root, policies: isLost ? [EVERY_CALL] : policies }) ?? null;
  if (owners !== null) {
    const place = placeOf(owners.file);
    const found = [...owners.findings, ...(target.checkBeside?.(place) ?? [])];
    if (host.scope === "system") found.push(...checkManagedEntry(owners.file), ...findBypasses(place, target));
    const faults = recalled(place);
    const findings = [...faults.map(({ finding }) => finding), ...found];
    return {
      target,
      answer,
      place,
      managedFile: owners.file,
      hasGuards,
      faults: [...faults, ...faultsAmong(found)],
      findings,
    };
  }
  const wanted = isLost || isHeldAbove ? null : policies;
  const entry = checkEntry(host, { root, key, wiring, runtime, policies: wanted, others });
  const place = placeOf(entry.file);
  // If the file isn't a settings file, there is nothing more to check.
  const findings =
    entry.file === ""
      ? []
      : [
          ...target.check(place),
          ...(target.checkBeside?.(place) ?? []),
          ...checkVariables(
            { root, cwd: host.cwd, isEverywhere: place.isAsked === true },
            [runtime],
            (folder) => target.checkBeside?.({ host, root: folder }) ?? [],
          ),
        ];
  const faults = [...entry.faults, ...recalled(place)];
  return {
    target,
    answer,
    place,
    managedFile: null,
    hasGuards,
    faults: [...faults, ...faultsAmong(findings), ...notReadIn(host.cwd, root, findings)],
    findings: [...faults.map(({ finding }) => finding), ...findings],
  };
}

function judge({ consented, enclosing, unwritten, first, common, agents, found, leftOut }: Evidence): Guarding {
  const others = [...agents.flatMap(({ faults }) => faults), ...common].filter(breaksGuard);
  const cards = others.length === 0 ? unwritten : consented.policies.map(({ card }) => card);
  const findings = [
    ...[...first, ...common].map(({ finding }) => finding),
    ...agents.flatMap((agent) => agent.findings),
  ];
  return {
    ok: first.length + others.length === 0,
    agents: agents.map((agent) => ({
      ...judgeAgent(agent, [...first, ...agent.faults, ...common]),
      isFound: found.includes(agent.target.runtime),
      cards: cardsFor(agent.target.runtime, consented),
    })),
    leftOut: leftOut.map((runtime) => ({ runtime, title: titleOf(runtime) })),
    notInForce: [...new Set(cards)],
    replaced: consented.replaced,
    enclosing: enclosing.roots,
    findings: [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()],
  };
}

/** The gravest consequence comes first. */
const STATE_OF: readonly (readonly [Consequence, AgentState?])[] = [
  ["opens", "unguarded"],
  ["hides", "unknown"],
  ["pauses", "paused"],
  ["blocks", "blocked"],
  ["lags"],
];

function judgeAgent(
  { target, managedFile, hasGuards }: AgentEvidence,
  faults: readonly GuardFault[],
): Omit<GuardedAgent, "cards" | "isFound"> {
  const { runtime } = target;
  const about = { runtime, title: titleOf(runtime), managedFile };
  const healthy = hasGuards ? "guarded" : "watched";
  for (const [consequence, state = healthy] of STATE_OF) {
    const found = faults.find(({ comesTo }) => comesTo === consequence);
    if (found === undefined) continue;
    const { message, hint } = found.finding;
    return { ...about, state, because: { message, hint } };
  }
  return { ...about, state: healthy, because: null };
}
