import fs from "node:fs";
import { skillsOf } from "../../card/manifest.ts";
import type { DescribedServer } from "../../card/server.ts";
import { checkConsents, checkRequestedOptions, checkSkillConsents } from "../../check/doctor/check-consents.ts";
import { NOT_WRITTEN } from "../../check/fault.ts";
import { examineGuarding, type Guarding, readGuarding } from "../../check/guarding.ts";
import { layout } from "../../contract/layout.ts";
import { drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { type Finding, isProblem, type Problem } from "../../kernel/problem.ts";
import { checkLinks, LINK_EDITED, relinkFolders } from "../../project/fetch/relink-folders.ts";
import { findWaitingOptions, type InstalledCard } from "../../project/open/installed-card.ts";
import { locateProject } from "../../project/open/locate-project.ts";
import { lookAtProject, type OpenProject, withProject } from "../../project/open/open-project.ts";
import { findAgentSession, inAgentSession } from "../../project/open/require-person.ts";
import { OWN_REGISTRY } from "../../trust/activation.ts";
import { type HeldVersion, recordHeld, recordLedgerChange } from "../../trust/consent-log.ts";
import { rememberRelease } from "../../trust/releases.ts";
import { applyChanges, type Change } from "../../wiring/changes.ts";
import { isInside } from "../../wiring/file-location.ts";
import { readWriteRecord } from "../../wiring/write-record.ts";
import { cacheCode } from "../../write/code-cache.ts";
import { describeLimits, describeServerStarts } from "../../write/limits.ts";
import { findDroppedGuards } from "../../write/plan/plan-in-force.ts";
import { sweepState } from "../../write/plan/remove-unused.ts";
import { describeServers, planWrite, type WritePlan, type WriteRequest } from "../../write/plan-write.ts";
import { recordedNodeOf } from "../../write/program.ts";
import { keepInputsFromTheStart } from "../preferences.ts";

export interface WriteResult extends WritePlan {
  /** The state after everything is written; in a preview, the present one. */
  guarding: Guarding;
  /** The cards' MCP servers, with what each would start and be given. */
  servers: DescribedServer[];
  /** What a person should know: hooks that are not, or no longer, in step, and limits of the agents. */
  findings: Finding[];
}

/**
 * Makes the project's approved policies, skills and MCP servers reach the agents. It works out and verifies everything
 * before it touches the first file; if it is killed in between, running it again is enough.
 */
export async function writeProject(host: Host, request: WriteRequest): Promise<WriteResult> {
  const { drwnHome: home } = host;
  const written = await withProject(host, (project) =>
    withLock(layout.lock(home, "machine"), async () => {
      keepInputsFromTheStart(host, project.key);
      const planned = await planWrite(host, await relinkFolders(host, project), request);
      refuseDroppedGuards(host, planned);
      recordJoined(host, planned);
      recordWaiting(host, planned);
      applyChanges(planned.changes);
      applyChanges(planned.parts.closing);
      noteWrite(host, planned);
      rememberReleases(host, planned);
      const { plan, shards, nextLedger: ledger } = planned;
      sweepState({ home, key: project.key, plan, shards, ledger, now: host.now() });
      if (planned.plan.policies.length > 0) {
        await cacheCode(home, host.nodePath, { key: project.key, plan: ledger?.plan ?? "", shards });
      }
      return planned;
    }),
  );
  const now = projectAfter(written);
  // Starting an agent takes a second, so one that has said of the same files that it loads the hook isn't asked again.
  const asks = written.changes.some(({ path: file }) => !isInside(home, file)) ? "all" : "unanswered";
  const guarding = await examineGuarding(host, now, { asks, isHookTried: false });
  const result = withFindings(host, written, guarding);
  const edited = (await checkLinks(host, now)).filter(({ code }) => code === LINK_EDITED);
  return { ...result, findings: [...result.findings, ...edited] };
}

/** `status` compares later sessions with the journal; a write that changes nothing has looked at the entries, too. */
function noteWrite(host: Host, { project }: WritePlan): void {
  const record = layout.written(host.drwnHome, project.key);
  if (fs.existsSync(record)) fs.utimesSync(record, host.now(), host.now());
}

/** The project as it is after everything is written. */
export function projectAfter({ project, nextConfig, nextLedger }: WritePlan): OpenProject {
  return { ...project, config: nextConfig, ledger: nextLedger };
}

/** Whether the project was written to an agent before: then a person has decided where its cards go. */
export function isWrittenHere(host: Host): boolean {
  return (readWriteRecord(host.drwnHome, locateProject(host).key)?.runtimes ?? []).length > 0;
}

/** What `writeProject` would do. */
export async function previewWrite(host: Host, request: WriteRequest): Promise<WriteResult> {
  const project = lookAtProject(host);
  const preview = withFindings(host, await planWrite(host, project, request), readGuarding(host, project));
  // The changes already say what would be written.
  const findings = preview.findings.filter(({ code }) => code !== NOT_WRITTEN);
  return { ...preview, findings: [...findings, ...(await checkLinks(host, project))] };
}

/** A guard that isn't in force, and why `write` would not fix it. */
export interface Unwritable {
  guarding: Guarding;
  problem: Problem;
}

/** What `writeProject` would do; if it can do nothing and a guard isn't in force, why not. */
export async function checkWrite(host: Host, request: WriteRequest): Promise<WriteResult | Unwritable> {
  try {
    return await previewWrite(host, request);
  } catch (error) {
    if (!isProblem(error)) throw error;
    const guarding = readGuarding(host, lookAtProject(host));
    if (guarding.ok) throw error;
    return { guarding, problem: error };
  }
}

/**
 * Logs, before the ledger is replaced, which versions joined a consent by themselves, and which options the project
 * made stricter.
 */
function recordJoined({ drwnHome: home, now }: Host, { project: { key, ledger }, nextLedger }: WritePlan): void {
  if (nextLedger === undefined) return;
  const word = { by: "project", time: now().toISOString() } as const;
  recordLedgerChange({ home, key }, { before: ledger, after: nextLedger }, word);
}

/** Logs the versions in the lock that wait for a person. */
function recordWaiting(host: Host, { project: { key, ledger }, activations }: WritePlan): void {
  if (ledger === undefined) return;
  const held = activations.flatMap(({ grant, locked, activation }): HeldVersion[] => {
    if (grant === null || locked === null || activation.state !== "waits") return [];
    // It will join by itself.
    if (activation.why.because === "age") return [];
    const { version, tree } = locked;
    return [{ grant, version, tree, inForce: activation.approval?.cardVersion ?? "nothing" }];
  });
  recordHeld({ home: host.drwnHome, key }, ledger, { held, now: host.now() });
}

/** An agent may bring the agents' files up to date, but only a person may drop a guard. */
function refuseDroppedGuards(host: Host, { project, plan, unwired, isNarrowed }: WritePlan): void {
  const { drwnHome: home } = host;
  const session = findAgentSession(host);
  if (session === undefined) return;
  const [agent] = unwired;
  if (agent !== undefined) throw inAgentSession(session, `take the guards out of ${agent}`, drwn("write"));
  if (isNarrowed)
    throw inAgentSession(session, "take the guards out of sessions in folders below", drwn("write", "--project"));
  const { key, ledger } = project;
  const [guard] = findDroppedGuards({ home, key, ledger, next: plan });
  if (guard !== undefined) throw inAgentSession(session, `put a plan in force that drops ${guard}`, drwn("write"));
}

/** For cards that were locked before this machine recorded releases: their waiting time starts now. */
function rememberReleases({ drwnHome: home, now }: Host, { cards }: WritePlan): void {
  for (const { locked } of cards) if (locked.source !== OWN_REGISTRY) rememberRelease(home, locked.tree, now());
}

function withFindings(host: Host, planned: WritePlan, guarding: Guarding): WriteResult {
  const { isGlobal, lock, root } = planned.project;
  const names = new Set(lock.cards.map(({ name }) => name));
  // Without a lock's card: it left the lock, or isn't on this machine.
  const asked = planned.activations.filter(({ card, locked }) => locked !== null || !names.has(card));
  const { findings } = checkConsents(host, asked, guarding.notInForce);
  const servers = isGlobal ? [] : describeServers(planned.cards);
  const options = findWaitingOptions({ root, ledger: planned.nextLedger });
  const ofSkills = isGlobal ? planned.cards.flatMap(leftOut) : checkSkillConsents(planned.withheld);
  return {
    ...planned,
    guarding,
    servers,
    findings: [
      ...guarding.findings,
      ...findings,
      ...planned.unserved,
      ...ofSkills,
      ...checkRequestedOptions(options),
      ...(servers.length === 0 ? [] : describeServerStarts(planned)),
      ...describeLimits(planned),
    ],
  };
}

/** With --global a card brings only its hook policies. */
function leftOut({ locked, manifest }: InstalledCard): Finding[] {
  const parts = [
    ...skillsOf(manifest).map((name) => `the skill ${name}`),
    ...Object.keys(manifest.servers ?? {}).map((name) => `the MCP server ${name}`),
  ];
  if (parts.length === 0) return [];
  const message = `${parts.join(", ")}: not for every folder; add the card to a project to get this`;
  return [{ code: "hooks-alone", severity: "warning", subject: locked.name, message, hint: null }];
}

export { isWaiting } from "../../check/doctor/check-consents.ts";
export { AGENT_IDS } from "../../policy/event.ts";
export { LINK_CHANGED } from "../../project/fetch/relink-folders.ts";
export type { WriteRequest } from "../../write/plan-write.ts";

/** Whether the change only makes another Node start the hook: somebody who has two of them has undone nothing. */
export function isOtherNode(change: Change): boolean {
  return recordedNodeOf(change)?.state === "fit";
}
