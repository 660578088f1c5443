import { ANSWERED } from "../../contract/hook-status.ts";
import { layout } from "../../contract/layout.ts";
import { AGENT_TIMEOUT_SECONDS, type PolicyTrigger, wantedLifecycleEvents } from "../../wiring/policy-triggers.ts";
import { opencodeLifecycle } from "./adapter/opencode-lifecycle.ts";

/** The first line of the plugin, by which drwn knows it again. */
export const PLUGIN_HEAD =
  "// Made by `drwn write` for this machine; what you change here is lost. To remove it: drwn uninstall, or delete this file.";

/**
 * The plugin's text, the same for every project on this machine. It runs in OpenCode's own process, so it only starts
 * the hook: before each call, at each moment that can be held, and at what else some policy wants. It
 * throws unless the hook lets the call or the prompt through, and OpenCode then doesn't make or send it.
 */
export function printPlugin(home: string, policies: readonly PolicyTrigger[]): string {
  // OpenCode reads the plugin once, and a session lives on. So the plugin always asks about what can be held, whatever
  // is approved later.
  const held = opencodeLifecycle.names.flatMap(([event]) => (opencodeLifecycle.powersAt(event)?.holds ? [event] : []));
  const lifecycleAdapter = wantedLifecycleEvents(opencodeLifecycle, [...policies, { matcher: null, phases: held }]).map(
    ([phase, name]) => [name, phase] as const,
  );
  const isAsked = policies.some(({ phases }) => phases.includes("post-tool"));
  return `${PLUGIN_HEAD}
import { spawn } from "node:child_process";

const LAUNCHER = ${JSON.stringify(layout.launcher(home))};
/** The status with which the launcher says that it did its work. */
const ANSWERED = ${ANSWERED};
const ASKS_AFTER_CALLS = ${isAsked};
/** What drwn calls the moments that it is asked about. */
const MOMENTS = ${JSON.stringify(Object.fromEntries(lifecycleAdapter), null, 2)};
const PATIENCE_MS = ${AGENT_TIMEOUT_SECONDS * 1_000};
${PLUGIN_BODY}`;
}

const PLUGIN_BODY = `
/** How the hook ended: its exit status (null: it was killed, or could not be started), and what it said. */
function runHook(phase, directory, event) {
  return new Promise((resolve) => {
    const child = spawn(LAUNCHER, ["opencode", phase, String(ANSWERED)], {
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

/** What the hook says about a moment. Throws if it may not happen. */
async function askAt(name, directory, fields) {
  const event = { hook_event_name: name, cwd: directory, ...fields };
  const answer = readAnswer(await runHook(MOMENTS[name], directory, event));
  if (typeof answer.deny === "string") throw new Error(answer.deny);
  return typeof answer.context === "string" ? answer.context : null;
}

/** For moments that cannot be held: the journal says how the hook ended. */
async function tellOf(name, directory, fields) {
  try {
    return await askAt(name, directory, fields);
  } catch {
    return null;
  }
}

const promptOf = (parts) => parts.filter(({ type, synthetic }) => type === "text" && !synthetic).map(({ text }) => text).join("\\n");

/** Only the moments that some hook wants. */
function momentsIn(directory) {
  const hooks = {
    "chat.message": async ({ sessionID }, { parts }) => {
      const context = await askAt("chat.message", directory, { session_id: sessionID, prompt: promptOf(parts) });
      const last = parts.at(-1);
      if (context === null || last === undefined) return;
      const { id, messageID } = last;
      parts.push({ id: id + "d", messageID, sessionID, type: "text", text: context, synthetic: true });
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const context = await askAt("experimental.session.compacting", directory, { session_id: sessionID });
      if (context !== null) output.context.push(context);
    },
  };
  // A subagent works in a session of its own.
  const children = new Set();
  const event = async ({ event: { type, properties = {} } }) => {
    const { sessionID = properties.info?.id } = properties;
    if (type === "session.created" && properties.info?.parentID) children.add(sessionID);
    if (MOMENTS[type] && !children.has(sessionID)) await tellOf(type, directory, { session_id: sessionID });
  };
  const wanted = Object.entries(hooks).filter(([name]) => MOMENTS[name]);
  return Object.fromEntries([...wanted, ["event", event]]);
}

export const Drwn = async ({ directory }) => ({
  ...momentsIn(directory),
  "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
    const event = { event: "tool.execute.before", tool, sessionID, callID, directory, args: output.args ?? {} };
    const answer = readAnswer(await runHook("pre", directory, event));
    if (typeof answer.deny === "string") throw new Error(answer.deny);
    if (answer.args === undefined) return;
    // OpenCode goes on with this very object.
    for (const key of Object.keys(output.args)) delete output.args[key];
    Object.assign(output.args, answer.args);
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
    const { title, output: text, metadata } = output ?? {};
    const result = { title, output: text, metadata };
    const event = { event: "tool.execute.after", tool, sessionID, callID, directory, args: args ?? {}, output: result };
    // The call cannot be undone: the journal says how the hook ended.
    if (ASKS_AFTER_CALLS) await runHook("post", directory, event);
    if (!MOMENTS["tool.execute.after"]) return;
    const moment = { session_id: sessionID, callID, tool, args: args ?? {}, output: result };
    const context = await tellOf("tool.execute.after", directory, moment);
    if (context !== null && typeof output?.output === "string") output.output += "\\n" + context;
  },
});
`;
