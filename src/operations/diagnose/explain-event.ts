import path from "node:path";
import { findLifecycleAdapter } from "../../agents/adapters.ts";
import { targetsOf } from "../../agents/targets.ts";
import { type HookCase, readCases } from "../../card/hooks/cases.ts";
import { type Guarding, readGuarding, whyNotGuarded } from "../../check/guarding.ts";
import type { PlannedPolicy } from "../../contract/plan.ts";
import { drwn, placeIn } from "../../kernel/advice.ts";
import { hasCode, readIfThere } from "../../kernel/files.ts";
import * as z from "../../kernel/format/zod.ts";
import type { Host } from "../../kernel/host.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import type { AgentId, Phase } from "../../policy/event.ts";
import type { LifecycleEvent } from "../../policy/lifecycle-events.ts";
import { fieldsOf, spellingsIn } from "../../policy/tools.ts";
import type { LockedCard } from "../../project/lock.ts";
import { readInstalled } from "../../project/open/installed-card.ts";
import { readJoinFacts } from "../../project/open/join-facts.ts";
import { hasProject } from "../../project/open/locate-project.ts";
import { type OpenProject, openProject } from "../../project/open/open-project.ts";
import { isStored } from "../../registry/store.ts";
import { canaryCall } from "../../wiring/canary-call.ts";
import { type HookPhase, hookStart } from "../../wiring/launcher.ts";
import { runLauncher } from "../../wiring/run-launcher.ts";
import { decideActivations } from "../../write/plan/activations.ts";
import { buildPlan } from "../../write/plan/plan.ts";
import { readPlanInForce } from "../../write/plan/plan-in-force.ts";
import { planProgram, recordedNodeOf } from "../../write/program.ts";
import { traceCall, tracedCall, tracedPolicy } from "./run-event.ts";

export interface ExplainRequest {
  /** The agent that sends the event; absent: one that is guarded here, Claude Code first. */
  runtime?: AgentId | undefined;
  phase: Phase | LifecycleEvent;
  /** A file with the event as the agent sends it; without one, the event is made from tool and input. */
  eventFile?: string | undefined;
  tool?: string | undefined;
  /** JSON text. */
  input?: string | undefined;
}

const explained = tracedCall.extend({
  policies: z.array(
    tracedPolicy.extend({
      answer: z.object({
        reason: z.string(),
        context: z.string().optional(),
        updatedInput: z.unknown().optional(),
        syntheticOutput: z.unknown().optional(),
      }),
    }),
  ),
});

export interface PassedOver {
  policy: string;
  why: "phase" | "matcher" | "decided-before" | "not-read";
  matcher: string | null;
}

export interface Explanation {
  runtime: AgentId;
  phase: Phase | LifecycleEvent;
  /** Whether an agent would ask the hook. */
  guarding: Guarding;
  /** What the hook process says it did; null: it blocked before it could say so, or nothing runs in this project. */
  call: z.infer<typeof explained> | null;
  /** What makes it unlikely that an agent sends such a call, in sentences. */
  doubts: string[];
  /** The policies in force that were not asked. */
  passedOver: PassedOver[];
  /** What the agent gets, byte for byte. */
  agent: { exitCode: number | null; stdout: string; stderr: string };
}

/**
 * Runs the plan in force on one event, through an agent's entry, launcher and hook process. Writes nothing to the
 * journal.
 */
export async function explainEvent(host: Host, request: ExplainRequest): Promise<Explanation> {
  const project = openProject(host);
  const guarding = readGuarding(host, project);
  requireHook(host, project, guarding);
  // Policies that hold in every folder are asked outside of projects, too.
  const cwd = host.scope === "system" || !hasProject(host) ? host.cwd : project.root;
  const runtime = request.runtime ?? usualAgent(guarding);
  const asked = { ...request, runtime };
  const event = request.eventFile === undefined ? makeEvent(cwd, asked) : readEvent(host, request.eventFile);
  const { phase } = request;
  const [target] = targetsOf([runtime]);
  const at: HookPhase = phase === "post-tool" ? "post" : phase === "pre-tool" ? "pre" : phase;
  const entry = { home: host.drwnHome, runtime, phase: at, fallbackAnswer: target?.refusalAt?.(at), isExplained: true };
  const env = { ...host.env, ...(target && canaryCall(target.calls, { root: cwd, tool: "" }).env) };
  const { line, ...agent } = await runLauncher({
    ...hookStart(entry),
    cwd,
    env,
    event,
  });
  const call = readCall(line);
  if (call !== null) traceCall(call);
  return {
    runtime,
    phase,
    guarding,
    call,
    doubts:
      request.eventFile === undefined && (phase === "pre-tool" || phase === "post-tool") ? doubtsAbout(asked) : [],
    passedOver: policiesInForce(host, project).flatMap((policy) => passOver(policy, phase, call)),
    agent,
  };
}

function usualAgent({ agents }: Guarding): AgentId {
  const [first] = agents;
  return agents.some(({ runtime }) => runtime === "claude-code") ? "claude-code" : (first?.runtime ?? "claude-code");
}

type AgentEvent = ExplainRequest & { runtime: AgentId };

/** If no event can be sent through the hook, this gives the same reason as every command. */
function requireHook({ drwnHome, nodePath, scope }: Host, { ledger }: OpenProject, guarding: Guarding): void {
  const { plan = null } = ledger ?? {};
  if (plan !== null && hasOwnProgram({ drwnHome, nodePath })) return;
  const { message, hint } = whyNotGuarded(guarding) ?? {
    message: `no hook policy is in force in ${placeIn(scope)}`,
    hint: drwn("write"),
  };
  throw new Problem("DRWN_PLAN_NOT_WRITTEN", message, hint === null ? {} : { hint });
}

/**
 * The launcher of another drwn version would treat the event as a call. One that only names another Node is the same.
 */
function hasOwnProgram({ drwnHome, nodePath }: Pick<Host, "drwnHome" | "nodePath">): boolean {
  const changes = planProgram(drwnHome, nodePath);
  return changes.every((change) => recordedNodeOf(change) !== undefined);
}

/** The policies that the hook reads now, not those that the next `write` would plan. */
function policiesInForce(host: Host, { root, key, lock, ledger }: OpenProject): PlannedPolicy[] {
  const planned = ledger?.plan == null ? undefined : readPlanInForce(host.drwnHome, key, ledger.plan);
  const isPlanned = ({ card, cardVersion, hook }: PlannedPolicy) =>
    planned?.policies.some((one) => one.card === card && one.cardVersion === cardVersion && one.hook === hook) === true;
  return buildPlan(root, decideActivations(lock.cards, ledger, readJoinFacts(host))).policies.filter(isPlanned);
}

function passOver(policy: PlannedPolicy, phase: ExplainRequest["phase"], call: Explanation["call"]): PassedOver[] {
  const name = `${policy.card}@${policy.cardVersion}#${policy.hook}`;
  if (call?.policies.some((asked) => asked.policy === name)) return [];
  const of = { policy: name, matcher: policy.matcher };
  if (!policy.phases.includes(phase)) return [{ ...of, why: "phase" }];
  const tool = call?.tool ?? null;
  if (call === null || (tool === null && call.problem !== undefined)) return [{ ...of, why: "not-read" }];
  const isMatching = policy.match === null || (tool !== null && new RegExp(policy.match, "u").test(tool));
  return [{ ...of, why: isMatching ? "decided-before" : "matcher" }];
}

/** A tool or a field that doesn't exist is let through by every guard, and proves nothing about any. */
function doubtsAbout({ runtime, tool = "", input = "{}" }: AgentEvent): string[] {
  const [target] = targetsOf([runtime]);
  // An app has tools of its own.
  const tools = target?.tools === undefined || target.isProjectOnly ? undefined : Object.keys(target.tools);
  const fields = fieldsOf(tool);
  const given = parseInput(input);
  const near = tools?.find((name) => name.toLowerCase() === tool.toLowerCase());
  const isKnown = tools === undefined || tools.includes(tool) || fields.length > 0 || tool.startsWith("mcp__");
  const lacking = fields.filter((field) => spellingsIn(given, field).length === 0);
  return [
    ...(isKnown
      ? []
      : [
          `${runtime} has no tool \`${clean(tool, 80)}\` that drwn knows${near === undefined ? "" : `; it has ${near}`}`,
        ]),
    ...(lacking.length === 0 ? [] : [`a call of ${tool} has ${lacking.join(", ")}, and this one doesn't`]),
  ];
}

function makeEvent(cwd: string, { runtime, phase, tool, input = "{}" }: AgentEvent): Buffer {
  if (phase !== "pre-tool" && phase !== "post-tool") return makeLifecycleEvent(cwd, { runtime, phase, input });
  const [target] = targetsOf([runtime]);
  if (target === undefined || tool === undefined) {
    throw new Problem("DRWN_EVENT_INVALID", "there is no event to try", {
      hint: drwn("explain", "--tool", "Bash", "--input", `'{"command":"ls"}'`),
    });
  }
  const { event } = canaryCall(target.calls, { root: cwd, tool, input: parseInput(input), phase });
  return Buffer.from(JSON.stringify(event));
}

/** A lifecycle event as this agent would send it. */
function makeLifecycleEvent(
  cwd: string,
  { runtime, phase, input }: { runtime: AgentId; phase: LifecycleEvent; input: string },
): Buffer {
  const lifecycleAdapter = findLifecycleAdapter(runtime);
  if (lifecycleAdapter?.powersAt(phase) === undefined) {
    throw new Problem("DRWN_EVENT_INVALID", `${runtime} does not report ${clean(phase, 80)}`, {
      hint: `drwn hook run --event ${clean(phase, 80)} < payload.json`,
    });
  }
  const wire = lifecycleAdapter.toWire(phase, { ...parseInput(input) });
  return Buffer.from(JSON.stringify({ session_id: "drwn-explain", cwd, ...wire }));
}

function parseInput(text: string): object {
  const about = { details: [clean(text, 200)] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Problem("DRWN_EVENT_INVALID", "the input is not JSON", { ...about, cause });
  }
  if (typeof value === "object" && value !== null) return value;
  throw new Problem("DRWN_EVENT_INVALID", "the input isn't a JSON object", about);
}

function readEvent({ cwd }: Host, file: string): Buffer {
  const full = path.resolve(cwd, file);
  try {
    const bytes = readIfThere(full);
    if (bytes !== undefined) return bytes;
    throw new Problem("DRWN_EVENT_INVALID", `there is no event in ${clean(full)}`);
  } catch (error) {
    if (isProblem(error) || !hasCode(error, "EACCES")) throw error;
    throw new Problem("DRWN_EVENT_INVALID", `the event cannot be read from ${clean(full)}`, { cause: error });
  }
}

function readCall(line: string): Explanation["call"] {
  return line === "" ? null : explained.parse(JSON.parse(line));
}

/** A command that a guard of drwn's own here denies, for a person who wants to see one at work; null: there is none. */
export function findExampleCall(host: Host): string | null {
  const { lock } = openProject(host);
  const { publishedBy } = readJoinFacts(host);
  const isOurs = (one: LockedCard) => publishedBy(one) === "drwn" && isStored(host.drwnHome, one.tree);
  for (const locked of lock.cards.filter(isOurs)) {
    const { files } = readInstalled(host.drwnHome, locked);
    const denied = locked.hooks.flatMap(({ name }) => readCases(files, name)).flatMap(deniedCommand);
    if (denied[0] !== undefined) return denied[0];
  }
  return null;
}

const LONGEST_EXAMPLE = 40;
/** The folder of cases that could be in any. */
const USUAL = "/home/me/project";

function deniedCommand({ tool, agent, phase, session, cwd, home, input, expect }: HookCase): string[] {
  const isPlain = [agent, phase, session, home].every((one) => one === undefined) && (cwd ?? USUAL) === USUAL;
  if (tool !== "Bash" || expect !== "deny" || !isPlain) return [];
  const { command, ...others } = input;
  if (typeof command !== "string" || Object.keys(others).length > 0) return [];
  return /^[!-~ ]+$/u.test(command) && command.length <= LONGEST_EXAMPLE ? [command] : [];
}
