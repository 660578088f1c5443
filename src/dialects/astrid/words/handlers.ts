import { runCommand } from "../../../helpers/handlers/command.ts";
import { callHttp } from "../../../helpers/handlers/http.ts";
import type { ExtismResult } from "../../../helpers/handlers/wasm.ts";
import { contextJson, contextVariables, renderTemplate } from "./context.ts";
import {
  fromRoot,
  type HandlerCall,
  type HandlerResult,
  MOST_BYTES,
  millisecondsOf,
  readOutput,
} from "./handler-result.ts";
import type { CommandHandler, HttpHandler } from "./hook.ts";
import { parseOutput, parseWasmOutput } from "./result.ts";

/** Starts the program directly, in an environment of its own. Its output counts only if it exits with 0. */
export async function askCommand(handler: CommandHandler, call: HandlerCall): Promise<HandlerResult> {
  const end = await runCommand({
    command: handler.command,
    args: handler.args,
    input: contextJson(call.context, call.previous),
    env: { ...commandEnvironment(call.env, handler.env), ...contextVariables(call.context) },
    cwd: handler.workingDir === null ? call.root : fromRoot(call.root, handler.workingDir),
    isSupervised: call.isSupervised === true,
    timeoutMs: millisecondsOf(call),
    maxOutputBytes: MOST_BYTES,
  });
  if (end.kind === "timeout") return { status: "timeout", timeoutSecs: call.timeoutSecs };
  if (end.kind === "unstartable") return { status: "failure", error: `it cannot be started: ${end.reason}` };
  const { code, stdout, stderr, truncated } = end;
  if (code !== 0) return { status: "failure", error: `Command exited with code ${code ?? -1}`, stderr };
  if (truncated) return { status: "failure", error: `it printed more than ${MOST_BYTES} bytes`, stderr };
  return readOutput(() => parseOutput(stdout));
}

const WITH_BODY = ["POST", "PUT", "PATCH"];

/** Sends the event, as JSON unless the hook says otherwise. An answer counts only if its status is a success. */
export async function askServer(handler: HttpHandler, call: HandlerCall): Promise<HandlerResult> {
  const { url, method, bodyTemplate } = handler;
  const { context, previous } = call;
  const sendsBody = WITH_BODY.includes(method);
  const isTyped = Object.keys(handler.headers).some((name) => name.toLowerCase() === "content-type");
  const end = await callHttp({
    url,
    method,
    headers: { ...(sendsBody && !isTyped ? { "Content-Type": "application/json" } : {}), ...handler.headers },
    ...(sendsBody
      ? { body: bodyTemplate === null ? contextJson(context, previous) : renderTemplate(bodyTemplate, context) }
      : {}),
    timeoutMs: millisecondsOf(call),
    maxBytes: MOST_BYTES,
  });
  if (end.kind === "timeout") return { status: "timeout", timeoutSecs: call.timeoutSecs };
  if (end.kind === "failed") return { status: "failure", error: end.reason };
  if (end.status < 200 || end.status > 299) return { status: "failure", error: `it answers with status ${end.status}` };
  return readOutput(() => parseOutput(end.body));
}

/** The memory of a module: as much as Astrid gives it. */
export const WASM_BYTES = 64 * 1024 * 1024;

/** What a call of a module's function amounts to. */
export function readWasmResult(end: ExtismResult): HandlerResult {
  if (end.kind === "failed") return { status: "failure", error: end.reason };
  if (end.code !== 0) return { status: "failure", error: `it returned ${end.code}` };
  return readOutput(() => parseWasmOutput(end.output));
}

/** The variables of the environment that a command may have. */
const PASSED = ["HOME", "USER", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TMP", "TEMP"];
const PATH = "/usr/bin:/bin:/usr/local/bin";

/** Variables that could replace a program or lead it elsewhere: no hook may set them. */
const BLOCKED = new Set(
  (
    "ASTRID_HOME LD_PRELOAD LD_LIBRARY_PATH NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONSTARTUP PERL5LIB RUBYLIB BASH_ENV ENV " +
    "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR OPENSSL_CONF " +
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY ASTRID_SOCKET_PATH ASTRID_SESSION_TOKEN PATH"
  ).split(" "),
);
const BLOCKED_BEGINNINGS = ["LD_", "DYLD_", "NPM_CONFIG_"];

/** Whether a hook's own `env` may not set it: Astrid leaves it out, with a warning. */
export function isBlockedVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return PASSED.includes(upper) || BLOCKED.has(upper) || BLOCKED_BEGINNINGS.some((start) => upper.startsWith(start));
}

/**
 * The environment of a command before its event is added: a short list of this machine's variables, then what the hook
 * sets.
 */
function commandEnvironment(
  machine: Readonly<Record<string, string | undefined>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = { PATH };
  for (const name of PASSED) {
    const value = machine[name];
    if (value !== undefined && (name !== "HOME" || isPlainPath(value))) env[name] = value;
  }
  for (const [name, value] of Object.entries(own)) if (!isBlockedVariable(name)) env[name] = value;
  return env;
}

function isPlainPath(path: string): boolean {
  return path.startsWith("/") && !path.split("/").includes("..");
}
