import type { Ledger } from "../../contract/ledger.ts";
import { type CommandScope, drwn, sayIn } from "../../kernel/advice.ts";
import type { Finding } from "../../kernel/problem.ts";
import type { Change } from "../../wiring/changes.ts";
import type { CardActivation } from "../../write/plan/activations.ts";
import { LEDGER_CHANGE } from "../../write/plan/hook-state.ts";
import type { WritePlan } from "../../write/plan-write.ts";
import { recordedNodeOf } from "../../write/program.ts";
import { judgeNode } from "../check-state.ts";
import type { Guarding } from "../guarding.ts";
import type { HookIssue } from "./diagnosis.ts";

/**
 * Whatever `write` would change isn't applied: each change becomes a finding, and each guard it concerns becomes an
 * issue. An agent for which the machine's owner has put the entry needs none from the user.
 */
export function checkChanges(
  planned: WritePlan,
  { agents, scope }: Pick<Guarding, "agents"> & { scope: CommandScope },
): { findings: Finding[]; hookIssues: HookIssue[] } {
  const needless = findNeedless(planned, agents);
  const findings = planned.changes.flatMap((change): Finding[] => {
    const { action, path, what } = change;
    const recorded = recordedNodeOf(change);
    if (recorded !== undefined) return judgeNode(path, recorded).map(({ finding }) => finding);
    const message = `${what}: \`${sayIn(scope, drwn("write"))}\` would ${action} it`;
    const severity = needless.includes(path) || isNote(change) ? "warning" : "error";
    return [{ code: "not-written", severity, subject: path, message, hint: drwn("write") }];
  });
  const reason = whyNotApplied(planned, needless);
  if (reason === undefined) return { findings, hookIssues: [] };
  return { findings, hookIssues: planned.activations.flatMap((activation) => describeIssue(activation, reason)) };
}

function findNeedless({ agents: planned, parts }: WritePlan, agents: Guarding["agents"]): string[] {
  const owned = agents.filter(({ managedFile }) => managedFile !== null).map(({ runtime }) => runtime);
  const files = planned.filter(({ runtime }) => owned.includes(runtime)).map(({ file }) => file);
  const isAll = parts.settings.every(({ path }) => files.includes(path));
  return [...files, ...(isAll ? parts.records.map(({ path }) => path) : [])];
}

/** Consents with the same plan: `write` would only note that a version was yanked. */
function isNote({ what, before, after }: Change): boolean {
  if (what !== LEDGER_CHANGE || before === null || after === null) return false;
  const [now, next] = [before, after].map((bytes) => JSON.stringify((JSON.parse(bytes.toString()) as Ledger).plan));
  return now !== "null" && now === next;
}

/** The one reason that explains the rest; undefined when everything that hooks need is in place. */
function whyNotApplied({ parts, agents }: WritePlan, needless: readonly string[]): string | undefined {
  const [bundle] = parts.bundles;
  if (bundle?.before != null) return `a compiled policy was altered: ${bundle.path}`;
  if (parts.state.some((change) => !isNote(change))) return "the consents are not written yet";
  if (bundle !== undefined) return `a compiled policy is missing: ${bundle.path}`;
  const program = parts.program.find((change) => recordedNodeOf(change) === undefined);
  if (program !== undefined) return `the ${program.what} is missing or was altered: ${program.path}`;
  const unwired = agents.find(
    ({ file }) => !needless.includes(file) && parts.settings.some(({ path }) => path === file),
  );
  if (unwired !== undefined) return `the hook entry is missing from ${unwired.file}, or was edited`;
  return undefined;
}

function describeIssue({ card, locked, activation }: CardActivation, reason: string): HookIssue[] {
  if (activation.state !== "active" && activation.state !== "joins") return [];
  const hooks = activation.state === "active" ? activation.approval.hooks : (locked?.hooks ?? []);
  const version = locked?.version ?? (activation.state === "active" ? activation.approval.cardVersion : "");
  return [{ card, version, hooks: hooks.map(({ name }) => name), reason, fix: drwn("write") }];
}
