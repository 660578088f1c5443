import fs from "node:fs";
import path from "node:path";
import { checkHome } from "../../check/check-home.ts";
import { checkChanges } from "../../check/doctor/check-changes.ts";
import {
  checkConsents,
  checkRequestedOptions,
  checkRequests,
  checkSkillConsents,
} from "../../check/doctor/check-consents.ts";
import { checkEventCoverage, checkImports } from "../../check/doctor/check-hooks.ts";
import { checkConsentLog, checkJournal, checkSettingsLog } from "../../check/doctor/check-records.ts";
import { checkRepository } from "../../check/doctor/check-repository.ts";
import { checkStack, type StackRequest } from "../../check/doctor/check-stack.ts";
import type { Diagnosis, HookIssue } from "../../check/doctor/diagnosis.ts";
import { NOT_WRITTEN } from "../../check/fault.ts";
import { commandToAdd, examineGuarding, type Guarding } from "../../check/guarding.ts";
import { HOOKER } from "../../dialects/dialects.ts";
import { type InspectedFile, inspectPolicies } from "../../dialects/hooker/inspect.ts";
import { adviseIn, type CommandScope, drwn, placeIn } from "../../kernel/advice.ts";
import { packageFile, readIfThere } from "../../kernel/files.ts";
import type { Host } from "../../kernel/host.ts";
import { type Finding, isProblem, type Problem } from "../../kernel/problem.ts";
import { shellQuote } from "../../kernel/text.ts";
import { checkLinks } from "../../project/fetch/relink-folders.ts";
import { readLock } from "../../project/lock.ts";
import { findWaitingOptions } from "../../project/open/installed-card.ts";
import { findGlobalBeside, locateRoot } from "../../project/open/locate-project.ts";
import { lookAtProject, type OpenProject } from "../../project/open/open-project.ts";
import { readConsentLog } from "../../trust/consent-log.ts";
import { describeLimits, findEventCoverage, findIsolationGaps } from "../../write/limits.ts";
import { planWrite, type WritePlan } from "../../write/plan-write.ts";
import { findRequested } from "../machine/consents.ts";
import { contradictFromTranscripts } from "./status.ts";

interface DiagnosisOfBoth extends Diagnosis {
  /** The same for what holds in every folder; null: nothing does, or the question was about that. */
  global: Diagnosis | null;
}

/** Diagnoses the project, and also what holds in every folder. */
export async function diagnoseBoth(host: Host): Promise<DiagnosisOfBoth> {
  const other = findGlobalBeside(host);
  const own = await diagnoseProject(host);
  const global = other === undefined ? null : adviseIn("global", await diagnoseProject(other));
  return { ...own, ok: own.ok && global?.ok !== false, global };
}

/** Works out again what `write` would do, so that the two cannot disagree; reads the settings and asks the hook. */
export async function diagnoseProject(host: Host): Promise<Diagnosis> {
  const { root, isGlobal } = locateRoot(host);
  const findings = [
    ...(isGlobal ? [] : checkRepository(root, host.drwnHome)),
    ...checkHome(host.drwnHome).map(({ finding }) => finding),
    ...checkSettings(host),
  ];
  const hookIssues: HookIssue[] = [];
  let guarding: Guarding | null = null;
  try {
    const project = lookAtProject(host);
    findings.push(...(await checkLinks(host, project)));
    // Works out what would be written while the hook answers.
    const [examined, worked] = await Promise.allSettled([
      examineGuarding(host, project, { asks: "all", isHookTried: true }).then((found) =>
        contradictFromTranscripts(host, found, project),
      ),
      planAgain(host, project),
    ]);
    guarding = settled(examined);
    const planned = settled(worked);
    const changes = checkChanges(planned, { ...guarding, scope: host.scope });
    findings.push(...beside(changes.findings, guarding.findings), ...planned.unserved);
    for (const check of [checkConsents(host, planned.activations, guarding.notInForce), changes]) {
      findings.push(...check.findings);
      hookIssues.push(...check.hookIssues);
    }
    findings.push(...checkSkillConsents(planned.withheld));
    findings.push(...checkEventCoverage(findEventCoverage(planned)));
    findings.push(...checkLeftOut(guarding, host.scope));
    findings.push(...checkImports(planned.cards));
    findings.push(...checkJournaled(host, planned));
    hookIssues.push(...issuesOf(guarding.findings, planned, hookIssues));
    findings.push(...checkConsentLog(project.ledger, readConsentLog(host.drwnHome, project.key)));
    findings.push(...checkRequests(findRequested(project)), ...checkRequestedOptions(findWaitingOptions(project)));
    findings.push(...describeLimits(planned), ...findIsolationGaps(planned.plan.policies));
  } catch (error) {
    if (!isProblem(error)) throw error;
    const found = {
      ...toFinding(error),
      severity: isChoice(error, guarding) ? ("warning" as const) : ("error" as const),
    };
    if (findings.every(({ message }) => message !== found.message)) findings.push(found);
    hookIssues.push(...issuesWhenUnplanned(root, error));
    findings.push(...beside(findings, guarding?.findings ?? []));
  }
  return {
    ok: findings.every(({ severity }) => severity !== "error") && guarding?.ok !== false,
    guarding,
    findings,
    hookIssues,
  };
}

async function planAgain(host: Host, project: OpenProject): Promise<WritePlan> {
  if (project.ledgerFault !== null) throw project.ledgerFault;
  return await planWrite(host, project, { wiring: undefined });
}

function settled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}

/** A card that isn't installed isn't a fault if nobody has consented to anything. */
function isChoice({ code }: Problem, guarding: Guarding | null): boolean {
  return code === "DRWN_CARD_NOT_INSTALLED" && guarding?.ok === true && guarding.agents.length === 0;
}

/** The findings that add something: `known` already names each file that `write` would change. */
function beside(known: readonly Finding[], others: readonly Finding[]): Finding[] {
  const isSaid = ({ code, subject, message }: Finding) =>
    known.some((one) =>
      one.code === code ? code === NOT_WRITTEN || one.subject === subject : one.message === message,
    );
  return others.filter((finding) => !isSaid(finding));
}

function checkSettings({ drwnHome }: Host): Finding[] {
  try {
    return checkSettingsLog(drwnHome);
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [toFinding(error)];
  }
}

/** One hint for all of them: two would undo each other, or repeat each other's work. */
function checkLeftOut({ leftOut }: Guarding, scope: CommandScope): Finding[] {
  if (leftOut.length === 0) return [];
  return [
    {
      code: "agent-not-guarded",
      severity: "warning",
      subject: leftOut.map(({ title }) => title).join(", "),
      message: `found here, and left out by the choice of other agents: no policy of ${placeIn(scope)} runs in it`,
      hint: commandToAdd(leftOut),
    },
  ];
}

function checkJournaled(
  { drwnHome, scope, notes: home = drwnHome }: Host,
  { project, plan, planDigest, agents }: WritePlan,
): Finding[] {
  if (planDigest === null) return [];
  const runtimes = agents.map(({ runtime }) => runtime);
  return checkCalls({ home, scope, key: project.key, policies: plan.policies, runtimes });
}

/** Only a warning if the journal cannot be read: guards work without it. */
function checkCalls(request: StackRequest): Finding[] {
  try {
    return [...checkJournal(request.home, request.key), ...checkStack(request)];
  } catch (error) {
    if (!isProblem(error)) throw error;
    return [{ ...toFinding(error), severity: "warning", subject: "journal" }];
  }
}

/** A fault of the settings or of the hook concerns every guard in force that has no issue of its own. */
function issuesOf(findings: readonly Finding[], { plan }: WritePlan, known: readonly HookIssue[]): HookIssue[] {
  const fault = findings.find(({ severity }) => severity === "error");
  if (fault === undefined) return [];
  const cards = new Map<string, HookIssue>();
  for (const { card, cardVersion, hook } of plan.policies) {
    if (known.some((issue) => issue.card === card)) continue;
    const hooks = [...(cards.get(card)?.hooks ?? []), hook];
    cards.set(card, { card, version: cardVersion, hooks, reason: fault.message, fix: fault.hint ?? drwn("doctor") });
  }
  return [...cards.values()];
}

/** When not even a plan can be made, nothing newly installed or repaired can reach an agent. */
function issuesWhenUnplanned(root: string, problem: Problem): HookIssue[] {
  try {
    const cards = readLock(root)?.cards ?? [];
    return cards.flatMap(({ name, version, hooks }) =>
      hooks.length === 0
        ? []
        : [
            {
              card: name,
              version,
              hooks: hooks.map((hook) => hook.name),
              reason: problem.message,
              fix: problem.hint ?? drwn("doctor"),
            },
          ],
    );
  } catch (error) {
    if (isProblem(error)) return [];
    throw error;
  }
}

function toFinding({ code, message, details, hint }: Problem): Finding {
  return {
    code: code
      .toLowerCase()
      .replaceAll("_", "-")
      .replace(/^drwn-/u, ""),
    severity: "error",
    subject: "project",
    message: [message, ...details].join("; "),
    hint: hint ?? null,
  };
}

export interface HookerReport {
  /** The broadest first, as hooker evaluates them. */
  files: (InspectedFile & { path: string })[];
  /** False if a file, or a policy in it, has no effect. */
  ok: boolean;
  /** The command that replaces hooker's own program in the settings of an agent. */
  command: string;
}

/** Every policies.rb that an event from this folder would meet. Runs none of them. */
export function inspectHooker(host: Host): HookerReport {
  const files: HookerReport["files"] = [];
  for (let folder = host.cwd; ; folder = path.dirname(folder)) {
    const file = path.join(folder, ".claude", "policies.rb");
    if (fs.existsSync(file)) files.unshift({ path: file, ...inspect(file) });
    if (folder === path.dirname(folder)) break;
  }
  const isSound = ({ error, findings }: InspectedFile): boolean =>
    error === null && findings.every(({ level }) => level === "warning");
  const command = [host.nodePath, packageFile(HOOKER.program)].map(shellQuote).join(" ");
  return { files, ok: files.every(isSound), command };
}

function inspect(file: string): InspectedFile {
  const unread = (why: string): InspectedFile => ({ error: why, policies: 0, findings: [], programs: [] });
  try {
    const bytes = readIfThere(file);
    return bytes === undefined ? unread("it is gone") : inspectPolicies(bytes);
  } catch (error) {
    if (isProblem(error)) return unread(error.message);
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    return unread(`it cannot be read: ${code}`);
  }
}
