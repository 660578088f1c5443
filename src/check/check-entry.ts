import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { CANARY_TOOL } from "../contract/plan.ts";
import { advise, drwn } from "../kernel/advice.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { traceProcess } from "../kernel/trace.ts";
import type { AgentId } from "../policy/event.ts";
import { canaryCall } from "../wiring/canary-call.ts";
import { type Change, isOnlyStricter, readTarget } from "../wiring/changes.ts";
import { isInside } from "../wiring/file-location.ts";
import { homesNamedIn, hookStart, isHomeLost } from "../wiring/launcher.ts";
import type { PolicyTrigger, Target } from "../wiring/target.ts";
import type { SettingsLevel } from "../wiring/write-record.ts";
import { EVERY_CALL, type OtherPolicies } from "../write/plan/plan-in-force.ts";
import { planWiring } from "../write/plan-wiring.ts";
import { whyOpen } from "../write/program.ts";
import { hintFor } from "./check-home.ts";
import { faultFinding, type GuardFault, NOT_WRITTEN } from "./fault.ts";

interface EntryRequest {
  root: string;
  key: string;
  wiring: SettingsLevel;
  runtime: AgentId;
  /** null: nobody knows what they were, so any entry of drwn will do. */
  policies: readonly PolicyTrigger[] | null;
  /** What the other projects of this machine need. */
  others: OtherPolicies;
}

/** The file through which the agent asks the hook, and what keeps it from asking. Nothing is verified or started. */
export function checkEntry(
  host: Host,
  { runtime, policies, ...place }: EntryRequest,
): { file: string; faults: GuardFault[] } {
  const of = { policies: policies ?? [EVERY_CALL], runtimes: [runtime], former: [], shared: "keep" } as const;
  try {
    const { agents, settings } = planWiring({ host, ...place, ...of });
    const file = agents[0]?.file ?? "";
    const isOfEntry = ({ path }: Change) => path === file || path === realPath(file);
    const change = settings.find(isOfEntry);
    const lost = findLostHome(host.drwnHome, file);
    if (lost !== undefined) return { file, faults: [lostHome(file, lost)] };
    const owners = () => checkOwners(host, place.root, file);
    if (change === undefined || isOnlyStricter(change)) return { file, faults: owners() };
    const isThere = change.before?.includes(layout.launcher(host.drwnHome)) === true;
    const isEnough = () =>
      policies === null ||
      planWiring({ host, ...place, ...of, isBeforeLoss: true }).settings.every((one) => !isOfEntry(one));
    if (isThere && isEnough()) return { file, faults: owners() };
    const message = isThere
      ? "drwn's entry was edited, or is from another version"
      : "its settings don't have drwn's entry";
    return { file, faults: [{ comesTo: "opens", finding: faultFinding(NOT_WRITTEN, file, message, drwn("write")) }] };
  } catch (error) {
    if (!isProblem(error)) throw error;
    const finding = faultFinding(NOT_WRITTEN, runtime, error.message, error.hint ?? drwn("doctor"));
    return { file: "", faults: [{ comesTo: "opens", finding }] };
  }
}

/** Whether another user could take the entry away, or put hooks beside it. A project's files may be a team's. */
function checkOwners(host: Host, root: string, file: string): GuardFault[] {
  if (file === "" || isInside(root, file)) return [];
  const places = [...upToHome(host.home, file), ...upToHome(realPath(host.home), realPath(file))];
  return [...new Set(places)].flatMap((place): GuardFault[] => {
    const why = whyOpen(place, host.drwnHome);
    if (why === undefined || (!isBeside(place, file) && isSticky(place))) return [];
    const message = `${clean(place, 1000)} ${why}, who could take drwn's entry away`;
    return [{ comesTo: "opens", finding: faultFinding("home-open", place, message, hintFor(place, host.drwnHome)) }];
  });
}

/** The file, its folder, and the folders above it that are in the home. */
function upToHome(home: string, file: string): string[] {
  const folder = path.dirname(file);
  const above = isInside(home, path.dirname(folder)) ? upToHome(home, folder) : [folder];
  return [file, ...above];
}

/** What others put beside the entry may be hooks, too. */
function isBeside(place: string, file: string): boolean {
  return [file, path.dirname(file), realPath(path.dirname(file))].includes(place);
}

/** Only its owner can take what is another user's out of such a folder. */
function isSticky(folder: string): boolean {
  const { mode, uid } = fs.lstatSync(folder);
  return (mode & 0o1000) !== 0 && (uid === 0 || uid === process.getuid?.());
}

function realPath(file: string): string {
  return fs.existsSync(file) ? fs.realpathSync(file) : file;
}

/** The home whose launcher another entry of drwn starts, if nothing of that home is left: it blocks every call. */
function findLostHome(own: string, file: string): string | undefined {
  const homes = homesNamedIn(readTarget(file)?.toString() ?? "");
  return homes.find((home) => home !== own && isHomeLost(home));
}

function lostHome(file: string, home: string): GuardFault {
  const old = clean(home, 1000);
  const message = `its settings ask the hook in ${old}, which is gone, so every tool call is blocked`;
  const hint = advise`take the entries that name ${old} out of ${file}, then run: ${drwn("write")}`;
  return { comesTo: "blocks", finding: faultFinding("home-gone", file, message, hint) };
}

const PATIENCE_MS = 20_000;

interface CanaryRequest {
  /** Exactly what an agent starts. */
  program: string;
  args: readonly string[];
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The event as the agent would report it. */
  event: Readonly<Record<string, unknown>>;
  /** Digest of the plan that must answer. */
  plan: string;
}

/** Sends an event that no policy sees through the agent's hook. */
export async function tryHook(
  { drwnHome: home, env, scope }: Host,
  root: string,
  { target, plan }: { target: Target; plan: string },
): Promise<GuardFault[]> {
  const { runtime, calls } = target;
  const call = canaryCall(calls, { root, tool: CANARY_TOOL });
  return await sendCanary({
    ...hookStart({ home, runtime, phase: "pre" }),
    root,
    env: { ...env, ...call.env, ...(scope === "system" ? { HOME: "" } : {}) },
    event: call.event,
    plan,
  });
}

/** Runs the hook as the agent would, on an event that no policy sees, and reports when no answer of this plan comes. */
async function sendCanary(request: CanaryRequest): Promise<GuardFault[]> {
  const { status, stdout, stderr } = await runHook(request);
  if (status === 0 && stdout.includes(`drwn:canary:${request.plan}`)) return [];
  const answer =
    status === null ? "no answer in time" : (stdout + stderr).trim() || `exit status ${status} and no answer`;
  const message = `the hook command does not answer for this plan: ${answer}`;
  // The launcher holds a call like this when it cannot have it judged.
  const comesTo = status === 2 && stdout === "" ? "blocks" : "hides";
  return [{ comesTo, finding: faultFinding("hook-does-not-answer", "hook", message, drwn("write")) }];
}

function runHook({
  program,
  args,
  root,
  env,
  event,
}: CanaryRequest): Promise<{ status: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const ended = traceProcess(program, args);
    const child = spawn(program, args, {
      cwd: root,
      env: { ...env },
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", ({ message }) => resolve({ status: 2, stdout: "", stderr: message }));
    child.on("close", (status) => {
      ended(status);
      resolve({ status, stdout, stderr });
    });
    // The hook may end without having read its input.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });
}
