import type { PlannedPolicy } from "../contract/plan.ts";
import type { JournalLine } from "../journal/line.ts";
import type { Finding } from "../kernel/finding.ts";
import { nameOf, wants } from "./stack.ts";

/** Fewer calls than that show no habit. */
const ENOUGH_CALLS = 10;

/** What the journal shows of policies that stand in each other's way. */
export function lintCalls(policies: readonly PlannedPolicy[], calls: readonly JournalLine[]): Finding[] {
  return [...findMeetingRewrites(policies, calls), ...policies.flatMap((policy) => findShadowed(policy, calls))];
}

/** What a policy rewrites is not known before it runs: the journal remembers it. */
function findMeetingRewrites(policies: readonly PlannedPolicy[], calls: readonly JournalLine[]): Finding[] {
  const names = new Set(policies.map(nameOf));
  const byTool = new Map<string, Set<string>>();
  for (const { tool, policies: asked } of calls) {
    if (tool === null) continue;
    for (const { policy, rewrote } of asked) {
      if (rewrote !== true || !names.has(policy)) continue;
      byTool.set(tool, (byTool.get(tool) ?? new Set()).add(policy));
    }
  }
  return [...byTool].flatMap(([tool, rewriting]) =>
    rewriting.size < 2
      ? []
      : [
          {
            code: "rewrites-meet",
            severity: "warning",
            subject: tool,
            message: `${[...rewriting].sort().join(" and ")} rewrite the input of the same tool: the last of them wins, once all have judged it`,
            hint: `drwn log --tool ${tool}`,
          },
        ],
  );
}

/** A guard that is never asked because others deny each call before its turn. */
function findShadowed(policy: PlannedPolicy, calls: readonly JournalLine[]): Finding[] {
  const name = nameOf(policy);
  if (policy.kind !== "enforcement" || !policy.phases.includes("pre-tool")) return [];
  const concerned = calls.filter(({ tool, phase }) => phase === "pre-tool" && tool !== null && wants(policy, tool));
  const denied = concerned.slice(-ENOUGH_CALLS);
  if (denied.length < ENOUGH_CALLS) return [];
  const deniers = new Set(denied.map(({ by, verdict }) => (verdict === "deny" ? by : undefined)));
  const [denier] = deniers;
  const isAsked = denied.some(({ policies: asked }) => asked.some((entry) => entry.policy === name));
  if (isAsked || deniers.size !== 1 || denier === undefined) return [];
  return [
    {
      code: "policy-shadowed",
      severity: "warning",
      subject: name,
      message: `is never asked: ${denier} denied the last ${ENOUGH_CALLS} calls that its matcher ${policy.matcher === null ? "" : `\`${policy.matcher}\` `}matches, before its turn`,
      hint: "drwn log --verdict deny",
    },
  ];
}
