import path from "node:path";
import type { Server } from "../../card/server.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { type Finding, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { pathsIn } from "../../wiring/entries/other-hooks.ts";
import { type PluginAgent, planAgentPlugin } from "../../wiring/plugin.ts";
import { checkProgramVersion } from "../../wiring/program-version.ts";
import { planServers } from "../../wiring/servers.ts";
import type { Target } from "../../wiring/target.ts";
import { judgeEvents, judgeTools, type ToolsByEffect } from "../../wiring/tool-effects.ts";
import { opencode, opencodeLifecycle } from "./adapter.ts";
import { opencodeConfigFolder } from "./paths.ts";

/** An agent with OpenCode's plugins: OpenCode itself, or a fork of it. */
export interface OpencodeFork extends Pick<PluginAgent, "adapter" | "configFolder"> {
  program: { title: string; program: string; from: string; tried: string };
  /** Tools beside those with canonical names. */
  tools: ToolsByEffect;
  /** The project's settings, in which MCP servers are. */
  settings: string;
  /** The folders of a project in which plugins may be. */
  projectFolders: readonly string[];
  /** The variable that keeps it from loading plugins. */
  pure: string;
}

export const OPENCODE_OTHERS = {
  reads: ["lsp"],
  writes: ["apply_patch", "patch"],
  "uses the network": ["codesearch"],
  "speaks with a person": ["plan_exit", "question"],
  // What becomes of a call to a tool that isn't there.
  nothing: ["invalid"],
} as const satisfies ToolsByEffect;

/** What plugins can take part in, beside the reports that come by `event`. */
const EVENTS = judgeEvents(opencodeLifecycle, ["tool.execute.before"], {
  "nothing: it changes what the model is sent": [
    "chat.headers",
    "chat.params",
    "experimental.chat.messages.transform",
    "experimental.chat.system.transform",
    "experimental.provider.small_model",
    "tool.definition",
  ],
  "nothing: it changes what the model has said": ["experimental.text.complete"],
  "nothing: it sets variables of a command, which tool.execute.before has before that": ["shell.env"],
  "nothing: chat.message has the prompt that becomes of a person's command": ["command.execute.before"],
  "nothing: it decides whether a turn goes on by itself": ["experimental.compaction.autocontinue"],
  "nothing: a person or an editor answers it, and tool.execute.before was before it": [
    ...["permission.asked", "permission.v2.asked", "question.asked", "question.v2.asked", "suggestion.shown"],
    ...["kilocode.agent_manager.requested", "kilocode.agent_manager.start", "kilocode.notebook.requested"],
  ],
  "nothing: a person is asked whether to connect again": ["session.network.asked"],
  "nothing: it says whether a prompt waits for its time": ["session.wakeup"],
  "nothing: a program moves the terminal": ["command.execute", "prompt.append", "session.select", "toast.show"].map(
    (act) => `tui.${act}`,
  ),
});

export const opencodeTarget = targetOfFork({
  adapter: opencode,
  program: { title: "OpenCode", program: "opencode", from: "opencode-ai", tried: "1.18.33" },
  tools: OPENCODE_OTHERS,
  configFolder: opencodeConfigFolder,
  settings: "opencode.json",
  projectFolders: [".opencode"],
  pure: "OPENCODE_PURE",
});

export function targetOfFork(fork: OpencodeFork): Target {
  const { runtime, title, canonicalTools } = fork.adapter;
  return {
    runtime,
    tools: judgeTools(canonicalTools, fork.tools),
    events: EVENTS,
    planHooks: (request) => planAgentPlugin(pluginOf(fork), request),
    skillsFolder: (root) => path.join(root, ".agents", "skills"),
    startsServers: "starts no MCP server before its `enabled` is set to true",
    planServers: ({ servers, ...request }) =>
      planServers({
        ...request,
        extras: "comments and trailing commas",
        servers: toOpencodeServers(servers, title),
        field: "mcp",
        switch: SWITCH,
        file: path.join(request.root, fork.settings),
      }),
    checkBeside: ({ root }) => checkPlugins(root, fork),
    check: ({ host, file }) => [
      ...(host.env[fork.pure] ? [notLoaded(file, fork)] : []),
      ...checkProgramVersion(fork.program, host.env),
    ],
    calls: {
      events: ["tool.execute.before", "tool.execute.after"],
      fields: ({ event, tool, input, root, session }) => ({
        event,
        tool,
        args: input,
        directory: root,
        sessionID: session,
      }),
      result: { output: { title: "", output: "", metadata: {} } },
      rootVariable: "PWD",
    },
  };
}

/** It throws unless the hook lets the call or the prompt through, and the agent then doesn't make or send it. */
function pluginOf({ adapter, configFolder }: OpencodeFork): PluginAgent {
  return { adapter, configFolder, lifecycle: opencodeLifecycle, modulesFolder: "plugins", what: "plugin", body: BODY };
}

function notLoaded(file: string, { pure, adapter }: OpencodeFork) {
  const message = `\`${pure}\` keeps ${adapter.title} from loading plugins, and with them drwn's hook`;
  return { code: "hooks-disabled", severity: "error", subject: file, message, hint: `unset ${pure}` } as const;
}

/** OpenCode 1.18.33 reads both. */
const FOLDERS = ["plugin", "plugins"];

/**
 * Finds plugins of the project: each can change a call that drwn has judged. OpenCode asks them after drwn's, whatever
 * their names are.
 */
function checkPlugins(root: string, { projectFolders, adapter }: OpencodeFork): Finding[] {
  return projectFolders
    .flatMap((folder) => pluginsIn(path.join(root, folder)))
    .map((file) =>
      besideFinding("other-plugin", file, `${adapter.title} runs this plugin of the project after drwn's: ${CAN}`),
    );
}

const CAN = "it can change a call after the guards have allowed it";

function besideFinding(code: string, file: string, message: string): Finding {
  return { code, severity: "warning", subject: file, message, hint: `read ${file}, and remove it if it isn't yours` };
}

function pluginsIn(folder: string): string[] {
  return FOLDERS.flatMap((name) => pathsIn(path.join(folder, name))).filter((file) => /\.[jt]s$/u.test(file));
}

/** The field by which a person tells OpenCode whether to start the server. */
const SWITCH = "enabled";

/**
 * OpenCode has the program and its arguments in one list, and its own names for the ways to reach a server. It starts
 * the servers of its configuration without asking anybody, so every server is off until a person turns it on.
 */
function toOpencodeServers(servers: Readonly<Record<string, unknown>>, agent: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers as Record<string, Server>).map(([name, server]) => {
      requireNoReference(name, [name, server], agent);
      return [name, { ...toOpencode(server), [SWITCH]: false }];
    }),
  );
}

function toOpencode(server: Server): Record<string, unknown> {
  if ("url" in server) {
    const headers = server.headers === undefined ? {} : { headers: named(server.headers) };
    return { type: "remote", url: variables(server.url), ...headers };
  }
  const environment = server.env === undefined ? {} : { environment: named(server.env) };
  return { type: "local", command: [server.command, ...(server.args ?? [])].map(variables), ...environment };
}

function named(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, variables(value)]));
}

/** Other agents write `${NAME}`. */
function variables(text: string): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/gu, "{env:$1}");
}

// `{file:…}` and `{env:…}`, any other word in their place except the `${NAME:-default}` of other agents, and a brace
// before a variable: OpenCode replaces variables first, so that `{fi${NOTHING}le:…}` becomes a file.
const REFERENCE = /\{(?:\w*\$\{|\s*(?:env|file)\s*:|\w*:(?!-))/iu;

const DEFAULT = /\$\{[A-Za-z_]\w*:-[^}]*\}/u;

/**
 * OpenCode replaces `{file:path}` with the file's content and `{env:NAME}` with the variable anywhere in the text of
 * its configuration, before it reads it as JSON. A header could carry the user's private key to the server, and a
 * missing file makes OpenCode refuse the whole configuration.
 */
function requireNoReference(name: string, value: unknown, agent: string): void {
  for (const text of textsOf(value)) {
    const at = text.search(REFERENCE);
    if (at >= 0) throw refused(name, text.slice(at), `which ${agent} would replace with what is on this machine`);
    // A default would reach the server unchanged.
    const [fallback] = DEFAULT.exec(text) ?? [];
    if (fallback !== undefined) throw refused(name, fallback, `and ${agent} has no defaults for variables`);
  }
}

function refused(name: string, found: string, why: string): Problem {
  return new Problem(
    "DRWN_SERVER_REFUSED",
    `the MCP server \`${clean(name, 80)}\` has \`${clean(found, 120)}\`, ${why}`,
    { hint: advise`remove the card that brings it: \`${drwn("remove")}\` with its name` },
  );
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}

const BODY = `const promptOf = (parts) => parts.filter(({ type, synthetic }) => type === "text" && !synthetic).map(({ text }) => text).join("\\n");

/** Only the lifecycle events that some hook wants. */
function lifecycleHooksIn(directory) {
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
    if (LIFECYCLE_EVENTS[type] && !children.has(sessionID)) await tellOf(type, directory, { session_id: sessionID });
  };
  const wanted = Object.entries(hooks).filter(([name]) => LIFECYCLE_EVENTS[name]);
  return Object.fromEntries([...wanted, ["event", event]]);
}

export const Drwn = async ({ directory }) => ({
  ...lifecycleHooksIn(directory),
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
    if (!LIFECYCLE_EVENTS["tool.execute.after"]) return;
    const call = { session_id: sessionID, callID, tool, args: args ?? {}, output: result };
    const context = await tellOf("tool.execute.after", directory, call);
    if (context !== null && typeof output?.output === "string") output.output += "\\n" + context;
  },
});
`;
