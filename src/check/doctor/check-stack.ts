import { targetsOf } from "../../agents/targets.ts";
import { DEADLINES } from "../../contract/deadlines.ts";
import type { PolicyPhase } from "../../contract/ledger.ts";
import type { PlannedPolicy } from "../../contract/plan.ts";
import type { JournalLine } from "../../journal/segments.ts";
import { selectCalls } from "../../journal/select.ts";
import { advise, type CommandScope, drwn, placeIn, type Text } from "../../kernel/advice.ts";
import type { Finding } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import type { AgentId } from "../../policy/event.ts";
import { isLifecycleEvent, powersOf } from "../../policy/lifecycle-events.ts";

/** How many of the last calls doctor looks at. */
const LOOKED_AT = 5_000;

export interface StackRequest {
  home: string;
  scope?: CommandScope;
  key: string;
  policies: readonly PlannedPolicy[];
  runtimes: readonly AgentId[];
}

/** What is odd about the policies in force together, though each is fine alone. */
export function checkStack({ home, scope, key, policies, runtimes }: StackRequest): Finding[] {
  const calls = selectCalls({ home, key }, {}, LOOKED_AT);
  const tools = knownTools(runtimes, calls);
  const active = policies.filter(({ mode }) => mode !== "shadow");
  const ofTools = active.filter(({ phases }) => phases.some(isAboutTools));
  return [
    ...(tools === undefined
      ? []
      : ofTools.flatMap((policy) => lintTools(policy, { tools, whose: `the agents of ${placeIn(scope)}` }))),
    ...lintDeadlines(active, [...(tools ?? []), ...literalTools(ofTools)]),
    ...active.flatMap((policy) => findUnasked(policy, calls)),
  ];
}

/** Undefined: nobody knows the tools of one of the agents. */
function knownTools(runtimes: readonly AgentId[], calls: readonly JournalLine[]): Set<string> | undefined {
  const tools = new Set(calls.flatMap(({ tool, phase }) => (isAboutTools(phase) ? (tool ?? []) : [])));
  for (const { tools: own } of targetsOf(runtimes)) {
    if (own === undefined) return undefined;
    for (const tool of Object.keys(own)) tools.add(tool);
  }
  return tools;
}

function lintTools(policy: PlannedPolicy, known: KnownTools): Finding[] {
  return lintMatcher(policy, known).map(({ code, message }) => warning(code, policyNameOf(policy), message));
}

/** How a matcher begins that may mean tools of MCP servers, which nobody lists. */
const OPEN_BEGINNING = /^(?:[*?[]|m|$)/u;

interface KnownTools {
  tools: ReadonlySet<string>;
  /** Whose they are, as the end of a sentence. */
  whose: string;
}

type Matching = Pick<PlannedPolicy, "kind" | "match" | "matcher">;

/** The parts of a matcher that name no known tool. */
export function lintMatcher(policy: Matching, { tools, whose }: KnownTools): { code: string; message: string }[] {
  const { matcher, kind } = policy;
  if (matcher === null || alternativesOf(matcher).some((text) => OPEN_BEGINNING.test(text))) return [];
  const unknown = alternativesOf(matcher).filter((text) => /^\w+$/u.test(text) && !tools.has(text));
  if (![...tools].some((tool) => wants(policy, tool))) {
    const consequence = kind === "enforcement" ? "so this guard never runs" : "so it never runs";
    return [
      {
        code: "matcher-matches-nothing",
        message: `\`${clean(matcher, 200)}\` matches no known tool of ${whose}, ${consequence}`,
      },
    ];
  }
  // What an exception to every tool doesn't know is asked about.
  if (matcher.startsWith("!")) return [];
  return unknown.map((text) => ({
    code: "matcher-names-unknown-tool",
    message: `\`${clean(text, 200)}\` in \`${clean(matcher, 200)}\` isn't a known tool of ${whose}`,
  }));
}

function alternativesOf(matcher: string): string[] {
  return matcher
    .replace(/^!/u, "")
    .split(/[{},|]/u)
    .filter((text) => text !== "");
}

function literalTools(policies: readonly PlannedPolicy[]): string[] {
  return policies.flatMap(({ matcher }) =>
    matcher === null ? [] : alternativesOf(matcher).filter((text) => /^\w+$/u.test(text)),
  );
}

const ANY_OTHER = "any other tool";

/** One finding, for the tool or the lifecycle event whose policies may take longest. */
function lintDeadlines(policies: readonly PlannedPolicy[], tools: readonly string[]): Finding[] {
  const before = policies.filter(({ phases }) => phases.includes("pre-tool"));
  const lifecycleEvents = new Set(policies.flatMap(({ phases }) => phases.filter(isLifecyclePolicy)));
  const sums = [
    ...[...new Set([...tools, ANY_OTHER])].map((tool) => ({
      what: tool,
      when: "before a call",
      asked: before.filter((policy) => (tool === ANY_OTHER ? policy.match === null : wants(policy, tool))),
    })),
    ...[...lifecycleEvents].map((lifecycleEvent) => ({
      what: lifecycleEvent,
      when: `on ${lifecycleEvent}`,
      asked: policies.filter(({ phases }) => phases.includes(lifecycleEvent)),
    })),
  ].map((sum) => ({ ...sum, milliseconds: sum.asked.reduce((total, { timeoutMs }) => total + timeoutMs, 0) }));
  const longest = sums.sort((one, other) => other.milliseconds - one.milliseconds)[0];
  if (longest === undefined || longest.milliseconds <= DEADLINES.total) return [];
  const { what, when, asked, milliseconds } = longest;
  return [
    warning(
      "deadlines-add-up",
      what,
      `${asked.length} policies may take ${milliseconds / 1000} s together ${when}, but they share ${DEADLINES.total / 1000} s: a policy that isn't asked by then fails, and blocks if it enforces`,
      advise`${drwn("log", "--stats")} shows what they really take; ask their authors for a smaller timeoutMs`,
    ),
  ];
}

function isLifecyclePolicy(phase: PolicyPhase): boolean {
  return phase !== "pre-tool" && phase !== "post-tool";
}

function warning(code: string, subject: string, message: string, hint: Text | null = null): Finding {
  return { code, severity: "warning", subject, message, hint };
}

/** A policy that wanted a person to decide where the agent can't ask one; only the journal knows for which calls. */
function findUnasked(policy: PlannedPolicy, calls: readonly JournalLine[]): Finding[] {
  const name = policyNameOf(policy);
  const places = new Set<string>();
  for (const { runtime, tool, phase, policies: asked } of calls) {
    const isLetThrough = asked.some(
      ({ policy: asking, decision, carried }) =>
        asking === name && decision === "ask" && carried !== undefined && isLetThroughBy(policy, carried),
    );
    if (isLetThrough) places.add(`${phase === "pre-tool" ? (tool ?? "a tool") : phase} in ${runtime}`);
  }
  if (places.size === 0) return [];
  return [
    {
      code: "ask-let-through",
      severity: "warning",
      subject: name,
      message: `wanted a person to decide where the agent can ask nobody, so it was let through: ${[...places].sort().join(", ")}`,
      hint: drwn("card trust", policy.card, "--hooks", "--ask-fallback", "deny"),
    },
  ];
}

/** Whether an ask that was let through like this would be again, under the terms of the consent. */
function isLetThroughBy({ askFallback }: PlannedPolicy, carried: string): boolean {
  return carried === "log-only" || carried === "none" || (carried === "allow" && askFallback !== "deny");
}

/** The policy's name in the journal. */
function policyNameOf({ card, cardVersion, hook }: PlannedPolicy): string {
  return `${card}@${cardVersion}#${hook}`;
}

/** Whether a matcher sees the name of a tool in this phase. */
export function isAboutTools(phase: string): boolean {
  if (phase === "pre-tool" || phase === "post-tool") return true;
  return isLifecycleEvent(phase) && powersOf(phase).subject === "tool";
}

/** Whether the policy is asked about this tool. */
export function wants({ match }: Pick<PlannedPolicy, "match">, tool: string): boolean {
  return match === null || new RegExp(match, "u").test(tool);
}
