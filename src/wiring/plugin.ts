import path from "node:path";
import { layout } from "../contract/layout.ts";
import { ANSWERED } from "../contract/protocol.ts";
import type { Adapter, LifecycleAdapter } from "../hook-base/adapter/adapter.ts";
import { planDrwnFile } from "./drwn-file.ts";
import { missingFolders } from "./file-location.ts";
import {
  AGENT_TIMEOUT_SECONDS,
  type AgentContext,
  type HooksRequest,
  type PlannedHooks,
  type PolicyTrigger,
  wantedLifecycleEvents,
} from "./target.ts";

/** An agent that starts no hooks, but loads modules of the user's own into its process: one of them starts drwn's hook. */
export interface PluginAgent {
  adapter: Adapter;
  lifecycle: LifecycleAdapter;
  /** The user's folder of this agent. */
  configFolder(host: AgentContext["host"]): string;
  /** The folder in it from which the agent loads modules. */
  modulesFolder: string;
  /** What the agent calls such a module. */
  what: string;
  /** The part of the module that is about this agent: it exports what the agent expects. */
  body: string;
}

export function pluginFile({ configFolder, modulesFolder }: PluginAgent, host: AgentContext["host"]): string {
  return path.join(configFolder(host), modulesFolder, "drwn.js");
}

/** A module in the user's folder, which the agent loads by itself. */
export function planAgentPlugin(agent: PluginAgent, { host, own, others, originalOf }: HooksRequest): PlannedHooks {
  const file = pluginFile(agent, host);
  const place = { root: path.relative(host.home, file).startsWith("..") ? path.dirname(file) : host.home, file };
  const changes = planDrwnFile({
    ...place,
    text: own.length > 0 || others.length > 0 ? printPlugin(agent, host.drwnHome, [...own, ...others]) : null,
    isOurs: (text) => text.startsWith(HEAD),
    what: `${agent.what} for ${agent.adapter.title}`,
    mode: 0o600,
    created: originalOf(file)?.folders,
    outermost: agent.configFolder(host),
  });
  const isNew = changes.some(({ action }) => action === "create");
  const origin = { containers: {}, folders: missingFolders(place) };
  return { file, changes, originals: new Map(isNew ? [[file, origin]] : []) };
}

/** The first line, by which drwn knows the module again. */
const HEAD =
  "// Made by `drwn write` for this machine; what you change here is lost. To remove it: drwn uninstall, or delete this file.";

/**
 * The module's text, the same for every project on this machine. It runs in the agent's own process, so it only starts
 * the hook: before each call, at each lifecycle event that can be held, and at what else some policy wants. Unless the hook lets
 * the call or the prompt through, the agent doesn't make or send it.
 */
function printPlugin(
  { adapter, lifecycle, body }: PluginAgent,
  home: string,
  policies: readonly PolicyTrigger[],
): string {
  // The agent reads the module once, and a session lives on. So it always asks about what can be held, whatever is
  // approved later.
  const held = lifecycle.names.flatMap(([event]) => (lifecycle.powersAt(event)?.holds ? [event] : []));
  const events = wantedLifecycleEvents(lifecycle, [...policies, { matcher: null, phases: held }]).map(
    ([phase, name]) => [name, phase] as const,
  );
  const isAsked = policies.some(({ phases }) => phases.includes("post-tool"));
  return `${HEAD}
import { spawn } from "node:child_process";

const LAUNCHER = ${JSON.stringify(layout.launcher(home))};
const AGENT = ${JSON.stringify(adapter.runtime)};
/** The status with which the launcher says that it did its work. */
const ANSWERED = ${ANSWERED};
const ASKS_AFTER_CALLS = ${isAsked};
/** What drwn calls the lifecycle events that it is asked about. */
const LIFECYCLE_EVENTS = ${JSON.stringify(Object.fromEntries(events), null, 2)};
const PATIENCE_MS = ${AGENT_TIMEOUT_SECONDS * 1_000};
${SHARED}${body}`;
}

const SHARED = `
/** How the hook ended: its exit status (null: it was killed, or could not be started), and what it said. */
function runHook(phase, directory, event) {
  return new Promise((resolve) => {
    const child = spawn(LAUNCHER, [AGENT, phase, String(ANSWERED)], {
      cwd: directory,
      // By its name, which a link may have now: the launcher asks for it.
      env: { ...process.env, PWD: directory },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const said = { out: [], err: [] };
    const end = (status) => {
      clearTimeout(timer);
      const [out, err] = [said.out, said.err].map((chunks) => Buffer.concat(chunks).toString("utf8"));
      resolve({ status, out, err });
    };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      end(null);
    }, PATIENCE_MS);
    child.stdout.on("data", (chunk) => said.out.push(chunk));
    child.stderr.on("data", (chunk) => said.err.push(chunk));
    child.on("error", () => end(null));
    child.on("close", end);
    // The hook may end without having read its input.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });
}

function readAnswer({ status, out, err }) {
  if (status === 2) throw new Error(err.trim() || "drwn: this is blocked");
  if (status !== ANSWERED) throw new Error("drwn: the hook does not work, so this is blocked; run: drwn write (or remove this plugin)");
  if (out.trim() === "") return {};
  try {
    const answer = JSON.parse(out);
    if (typeof answer === "object" && answer !== null) return answer;
  } catch {
    // Silence isn't permission.
  }
  throw new Error("drwn: the answer of the hook cannot be read, so this is blocked; run: drwn doctor");
}

/** What the hook says about a lifecycle event. Throws if it can't say anything. */
async function answerAt(name, directory, fields) {
  const event = { hook_event_name: name, cwd: directory, ...fields };
  return readAnswer(await runHook(LIFECYCLE_EVENTS[name], directory, event));
}

/** The text for the model that comes with a lifecycle event. Throws if it may not happen. */
async function askAt(name, directory, fields) {
  const answer = await answerAt(name, directory, fields);
  if (typeof answer.deny === "string") throw new Error(answer.deny);
  return typeof answer.context === "string" ? answer.context : null;
}

/** For events that cannot be held: the journal says how the hook ended. */
async function tellOf(name, directory, fields) {
  try {
    return await askAt(name, directory, fields);
  } catch {
    return null;
  }
}

`;
