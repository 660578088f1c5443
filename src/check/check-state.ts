import fs from "node:fs";
import path from "node:path";
import { LOADER } from "../contract/code-cache.ts";
import { layout } from "../contract/layout.ts";
import { type Ledger, STRENGTH } from "../contract/ledger.ts";
import type { ShardHead } from "../contract/plan.ts";
import { isManagedHome } from "../contract/scopes.ts";
import { advise, drwn, placeIn } from "../kernel/advice.ts";
import { digestOf } from "../kernel/digest.ts";
import { lstatIfThere, readIfThere } from "../kernel/files.ts";
import type { Host } from "../kernel/host.ts";
import { type Finding, isProblem, type Problem } from "../kernel/problem.ts";
import { isProgram } from "../kernel/process.ts";
import { findNotOwnedByRoot } from "../kernel/root-ownership.ts";
import { clean } from "../kernel/text.ts";
import type { OpenProject } from "../project/open/open-project.ts";
import { isSameFolder } from "../trust/former-project.ts";
import { inodeRecordOf, lookupMarkers, mainMarker } from "../trust/project-key.ts";
import type { Change } from "../wiring/changes.ts";
import { readPlanInForce } from "../write/plan/plan-in-force.ts";
import { LAUNCHER, planProgram, type RecordedNode, recordedNodeOf, whyOpen } from "../write/program.ts";
import type { ConsentState } from "./consented.ts";
import { type Consequence, faultFinding, type GuardFault, NOT_WRITTEN } from "./fault.ts";

/** The cards with policies that somebody consented to but that are in no plan. */
export function findUnwritten({ planned, policies }: ConsentState): string[] {
  // `checkPlan` reports a plan that cannot be read.
  if (planned === null) return [];
  const missing = policies.filter(
    ({ card, cardVersion, name }) =>
      !planned.some((one) => one.card === card && one.cardVersion === cardVersion && one.hook === name),
  );
  return [...new Set(missing.map(({ card }) => card))];
}

export function checkWritten(
  { root }: OpenProject,
  { cards, replaced }: { cards: readonly string[]; replaced: ConsentState["replaced"] },
): GuardFault[] {
  const absent = `what you consented to in ${cards.join(", ")} is not written yet`;
  return [
    ...(cards.length === 0 ? [] : [fault("opens", root, absent)]),
    ...replaced.map(({ card, inForce, version }) => {
      const judge = version === inForce ? `${card} ${inForce} as it was before` : `${card} ${inForce}`;
      const message = `${judge} judges until ${version}, which you consented to, is written`;
      return fault("lags", root, message);
    }),
  ];
}

/** What the hook needs on this machine, as far as drwn can tell without starting anything. */
export function checkState(host: Host, project: OpenProject, consented: ConsentState): GuardFault[] {
  const { key, plan } = consented;
  const { root, ledger, formerPath, isLedgerLost } = project;
  const lost = checkLedger(project);
  if (formerPath !== null) {
    const place = inodeRecordOf(host.drwnHome, project.identity);
    // Whatever the folder's record names, the launcher blocks if that isn't this project.
    const isKnown = place !== null && keyIn(place) !== undefined;
    return lost.map((finding) => ({ comesTo: isKnown ? "blocks" : "opens", finding }));
  }
  if (isLedgerLost) {
    return [...lost.map((finding) => ({ comesTo: "blocks" as const, finding })), ...checkMarkers(host, project)];
  }
  return [
    ...lost.map((finding) => ({ comesTo: "nothing" as const, finding })),
    ...checkPause(host, root, ledger).map((finding) => ({ comesTo: "pauses" as const, finding })),
    ...(plan === null ? [] : [...checkMarkers(host, project), ...checkPlan(host, { key, plan })]),
    ...checkStrength(root, consented),
  ];
}

/** After a consent to enforce what was a shadow, until the next `write`. */
function checkStrength(root: string, { planned, policies }: ConsentState): GuardFault[] {
  const weaker = (planned ?? []).find((one) =>
    policies.some(
      ({ card, cardVersion, name, mode }) =>
        one.card === card &&
        one.cardVersion === cardVersion &&
        one.hook === name &&
        STRENGTH[one.mode] < STRENGTH[mode],
    ),
  );
  if (weaker === undefined) return [];
  return [
    fault("blocks", root, `the plan asks less of ${weaker.card} than you consented to, so every tool call is blocked`),
  ];
}

/** Launcher and hook processes. */
export function checkProgram({ drwnHome, nodePath, scope }: Host): GuardFault[] {
  // Without the loader, Node compiles the program itself; without the one for calls, the launcher starts the other one.
  const spared = [LOADER, CALLS].map((name) => layout.hookProgram(drwnHome, name));
  const isSpared = (change: Change | Problem) =>
    !isProblem(change) && change.before === null && spared.includes(change.path);
  return [
    ...(scope === "system" ? checkManagedNode(nodePath) : []),
    ...checkExecutable(drwnHome),
    ...changesOf(drwnHome, nodePath).flatMap((change) => (isSpared(change) ? [] : judgeCopy(drwnHome, change))),
  ];
}

/** The program that answers only tool calls. */
const CALLS = "hook-calls.cjs";

/** If a user can replace this Node, they can decide every call. */
function checkManagedNode(node: string): GuardFault[] {
  const found = findNotOwnedByRoot(node);
  if (found === null) return [];
  const message = `${clean(node, 1000)} starts the hook, but ${clean(found.file, 1000)} ${found.fault}`;
  return [fault("blocks", node, message)];
}

function judgeCopy(home: string, change: Change | Problem): GuardFault[] {
  if (isProblem(change)) {
    const { message, hint = drwn("write") } = change;
    return [{ comesTo: "blocks", finding: faultFinding(NOT_WRITTEN, home, message, hint) }];
  }
  const { path, what, before, after } = change;
  const recorded = recordedNodeOf(change);
  if (recorded !== undefined) return judgeNode(path, recorded);
  if (before === null) return [fault("blocks", path, `the ${what} is missing`)];
  // `checkHome` reports one that others can change, whatever its bytes are.
  if (after !== null && before.equals(after)) return whyOpen(path, home) === undefined ? judgeMode(change, home) : [];
  return [fault("hides", path, `the ${what} was altered, or is from another version of drwn`)];
}

/** A file system may forbid what the mode allows. */
function checkExecutable(home: string): GuardFault[] {
  const launcher = layout.launcher(home);
  const stat = lstatIfThere(launcher);
  if (stat?.isFile() !== true || (stat.mode & 0o111) !== 0o111 || isProgram(launcher)) return [];
  const message = `the file system of ${clean(home, 1000)} lets nobody execute the hook launcher (noexec), so every tool call is blocked`;
  const hint = advise`mount it without noexec, or: ${drwn("uninstall")}, then set DRWN_HOME to a folder elsewhere and begin anew there`;
  return [{ comesTo: "blocks", finding: faultFinding("launcher-not-executable", launcher, message, hint) }];
}

/** The bytes are right. A mode that only lets its user write less, or others of a user's own home read less, is no fault. */
function judgeMode({ path, what, mode = 0 }: Change, home: string): GuardFault[] {
  const actual = fs.statSync(path).mode & 0o777;
  const needed = mode & (isManagedHome(home) ? 0o555 : 0o500);
  if ((actual & needed) === needed && (actual & ~mode) === 0) return [];
  const message = `the ${what} has the mode ${actual.toString(8).padStart(3, "0")} in place of ${mode.toString(8)}`;
  if (what !== LAUNCHER || isProgram(path)) return [fault("hides", path, message)];
  return [fault("blocks", path, `${message}, so it can't be executed, and every tool call is blocked`)];
}

/** A recorded Node that works is no fault: somebody may have several Nodes. */
export function judgeNode(launcher: string, { node, state, instead }: RecordedNode): GuardFault[] {
  if (state === "fit") return [];
  const name = clean(node, 1000);
  const gone = `the Node that starts the hook, ${name}, is gone`;
  const starts = instead === null ? `${name} starts the hook` : `${gone}, and ${instead} starts the hook`;
  if (state === "mute") {
    return [nodeFault("blocks", launcher, `${starts}, but runs no JavaScript, so every tool call is blocked`)];
  }
  if (state === "unfit") return [nodeFault("hides", launcher, `${starts}, which isn't a Node that drwn supports`)];
  if (instead === null) return [nodeFault("blocks", launcher, `${gone}, so every tool call is blocked`)];
  return [nodeFault("nothing", launcher, `${gone}; ${instead} starts it instead`)];
}

function nodeFault(comesTo: Consequence, launcher: string, message: string): GuardFault {
  const finding = faultFinding("node-gone", launcher, message, drwn("write"));
  return { comesTo, finding: comesTo === "nothing" ? { ...finding, severity: "warning" } : finding };
}

/** What `write` would put there; a problem: something else is in its place, and no hook starts. */
function changesOf(home: string, nodePath: string): (Change | Problem)[] {
  try {
    return planProgram(home, nodePath);
  } catch (error) {
    if (isProblem(error)) return [error];
    throw error;
  }
}

function checkMarkers({ drwnHome: home }: Host, { identity, key, root }: OpenProject): GuardFault[] {
  const isOwn = (file: string) => keyIn(file) === key;
  const files = lookupMarkers(home, identity);
  if (files.some(isOwn)) {
    const [own, ...shared] = files;
    const isMain = identity.gitPath !== null && own === mainMarker(home, identity);
    if (identity.gitCommonDir === null || isMain || shared.some(isOwn)) return [];
    return [fault("opens", root, "the hook knows this folder, but not the other worktrees of its repository")];
  }
  const place = inodeRecordOf(home, identity);
  const isKnown = place !== null && keyIn(place) === key;
  return [fault(isKnown ? "blocks" : "opens", root, "the record by which the hook knows this project is gone")];
}

function keyIn(file: string): string | undefined {
  return attempt(() => readIfThere(file)?.toString().split("\n")[0]);
}

function checkPlan({ drwnHome: home }: Host, { key, plan }: { key: string; plan: string }): GuardFault[] {
  const file = layout.plan(home, key, plan);
  const found = attempt(() => readPlanInForce(home, key, plan));
  if (found === undefined || !found.isSound) return [fault("blocks", file, `the plan ${GONE}`)];
  const altered = findAltered(found.code);
  return altered === undefined ? [] : [fault("blocks", altered, `a compiled policy ${GONE}`)];
}

const GONE = "is missing or was altered";

/** The first file that is missing or altered, among these and those beside them that their shards share. */
function findAltered(code: ReadonlyMap<string, string>): string | undefined {
  const files = new Map(code);
  // The loop comes to what is added meanwhile: shards share an SDK, which is checked once.
  for (const [file, digest] of files) {
    const text = attempt(() => readIfThere(file));
    if (text === undefined || digestOf(text) !== digest) return file;
    const head = text.subarray(0, text.indexOf("\n")).toString();
    if (!head.startsWith("//{")) continue;
    const { policies } = JSON.parse(head.slice(2)) as ShardHead;
    for (const sdk of policies.flatMap((policy) => policy.sdk ?? []))
      files.set(path.join(path.dirname(file), `${sdk}.cjs`), sdk);
  }
  return undefined;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}

function fault(comesTo: Consequence, subject: string, message: string): GuardFault {
  return { comesTo, finding: faultFinding(NOT_WRITTEN, subject, message, drwn("write")) };
}

/** A lost ledger isn't a withdrawal: the hook blocks every call until a person says what they want. */
function checkLedger({ isLedgerLost, ledgerFault, root, formerPath, ledger }: OpenProject): Finding[] {
  if (ledgerFault !== null) return [damaged(root, ledgerFault)];
  if (formerPath !== null) return [movedFrom(formerPath, root)];
  if (ledger !== undefined && !isSameFolder(ledger.project)) return [replaced(ledger.project.path)];
  if (!isLedgerLost) return [];
  return [
    {
      code: "consents-lost",
      severity: "error",
      subject: root,
      message: "the record of what you consented to here is gone, so the hook blocks every tool call",
      hint: advise`${drwn("trust")}, or ${drwn("card untrust", "<card>", "--hooks")} and ${drwn("write")}`,
    },
  ];
}

function damaged(subject: string, { code, message, hint = drwn("doctor") }: Problem): Finding {
  const name = code === "DRWN_LEDGER_UNSAFE" ? "ledger-unsafe" : "ledger-invalid";
  return faultFinding(name, subject, `${message}, so the hook blocks every tool call`, hint);
}

function movedFrom(formerPath: string, root: string): Finding {
  return {
    code: "project-moved",
    severity: "error",
    subject: root,
    message: `this folder was ${formerPath}, where you consented to hook policies; none of them runs here, and every tool call is blocked until a person decides`,
    hint: "drwn trust --adopt, or: drwn trust --no-adopt",
  };
}

function replaced(path: string): Finding {
  return {
    code: "project-replaced",
    severity: "warning",
    subject: path,
    message: "isn't the folder in which you gave your consents; they stay in force, but no new version joins by itself",
    hint: advise`${drwn("card trust", "<card>", "--hooks")}, to say that they are meant for this one`,
  };
}

/** A person asked for the pause, but nobody should overlook it. */
function checkPause({ scope, now }: Pick<Host, "scope" | "now">, root: string, ledger: Ledger | undefined): Finding[] {
  const until = ledger?.pausedUntil ?? null;
  if (until === null || Date.parse(until) <= now().getTime()) return [];
  return [
    {
      code: "paused",
      severity: "warning",
      subject: root,
      message: `the hook policies of ${placeIn(scope)} are paused until ${until}: none of them runs`,
      hint: drwn("pause", "--end"),
    },
  ];
}
