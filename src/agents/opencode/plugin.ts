import { hookCommand } from "../../materialize/launcher.ts";
import { AGENT_TIMEOUT_SECONDS } from "../../materialize/wanted.ts";

/** The first line of the plugin, by which it is known for ours. */
export const PLUGIN_HEAD =
  "// Made by `drwn write` for this machine; what you change here is lost. To be rid of it: drwn uninstall, or remove this file.";

/**
 * The plugin's text: the same for every project of this machine. It runs in OpenCode's own process, so it does nothing but
 * start the hook for each call, and throws when that has not said that the call may be made: OpenCode then does not make it.
 */
export function printPlugin(home: string): string {
  const commands = {
    before: hookCommand({ home, runtime: "opencode", phase: "pre" }),
    after: hookCommand({ home, runtime: "opencode", phase: "post" }),
  };
  return `${PLUGIN_HEAD}
import { spawn } from "node:child_process";

const COMMANDS = ${JSON.stringify(commands, null, 2)};
const PATIENCE_MS = ${AGENT_TIMEOUT_SECONDS * 1_000};
${PLUGIN_BODY}`;
}

const PLUGIN_BODY = `
/** How the hook ended: its exit status (null: it was killed, or could not be started), and what it said. */
function runHook(command, directory, event) {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: directory,
      env: { ...process.env, CLAUDE_PROJECT_DIR: directory },
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
  if (status === 2) throw new Error(err.trim() || "drwn: the call is blocked");
  if (status !== 0) throw new Error("drwn: the hook did not answer, so the call is blocked; run: drwn doctor");
  if (out.trim() === "") return {};
  try {
    const answer = JSON.parse(out);
    if (typeof answer === "object" && answer !== null) return answer;
  } catch {
    // No answer is no permission.
  }
  throw new Error("drwn: the answer of the hook cannot be read, so the call is blocked; run: drwn doctor");
}

export const Drwn = async ({ directory }) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
    const event = { event: "tool.execute.before", tool, sessionID, callID, directory, args: output.args ?? {} };
    const answer = readAnswer(await runHook(COMMANDS.before, directory, event));
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
    // What has been done is not undone: how this ends is in the journal.
    await runHook(COMMANDS.after, directory, event);
  },
});
`;
