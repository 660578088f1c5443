import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { expect, inject, test } from "vitest";
import { targetsOf } from "../../src/agents/targets.ts";
import { AGENT_IDS, type AgentId } from "../../src/policy/event.ts";
import { runClaude } from "./claude.ts";
import { codexModels, codexSchema, runCodex } from "./codex.ts";
import { inNewWorlds, world } from "./each-world.ts";
import type { Turn } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { commandLineOf, runOther } from "./run-others.ts";

/**
 * `npm run agents`: the tools of each program and its events for hooks, as the program itself tells or has them in its package, against what drwn
 * knows, with what drwn makes of each. A tool that nobody has judged may run a command that no guard sees.
 */

inNewWorlds();

const DONE = [{ text: "done" }];

interface Program {
  /** Why it can't be asked now; undefined: it can. */
  missing?: string | undefined;
  tools: () => Promise<string[]>;
  events: () => Promise<string[]> | string[];
  /** One of each that every version has: what was read is what was meant. */
  has: readonly [tool: string, event: string];
}

const PROGRAMS: Readonly<Record<AgentId, Program | string>> = {
  arawn: "it can't be had here: drwn knows its sources",
  astrid: "it can't be had here: drwn knows its sources",
  cursor: "it is an editor without a package: drwn knows its documentation",
  polytoken: "it can't be had here: drwn knows its documentation",
  "claude-code": { tools: claudeTools, events: claudeEvents, has: ["CronCreate", "PreSkillShellCommand"] },
  codex: { tools: codexTools, events: codexEvents, has: ["write_stdin", "PreToolUse"] },
  mastra: { tools: mastraTools, events: mastraEvents, has: ["mastra_workspace_execute_command", "beforeToolCall"] },
  "copilot-cli": {
    ...other("copilot"),
    tools: copilotTools,
    // Its program unpacks the description of its protocol.
    events: async () => {
      await runOther("copilot", world, { steps: DONE });
      return JSON.parse(textsIn(world.home, /\/api\.schema\.json$/u)[0] ?? "{}").definitions.HookType.enum;
    },
    has: ["manage_schedule", "preToolUse"],
  },
  "gemini-cli": {
    ...other("gemini", /[A-Z]_TOOL_NAME = "([a-z_]+)"/gu),
    events: () => inBundle("gemini", /HookEventName\d*\["\w+"\] = "(\w+)"/gu),
    has: ["read_many_files", "BeforeTool"],
  },
  "qwen-code": {
    ...other("qwen", /^\s+[A-Z_]+: "([a-z_]+)",?$/gmu, /ToolNames = \{[^}]*\}/gu),
    events: () => inBundle("qwen", /HookEventName\d*\["\w+"\] = "(\w+)"/gu),
    has: ["notebook_edit", "PreToolUse"],
  },
  opencode: { ...plugged("opencode"), has: ["apply_patch", "tool.execute.before"] },
  kilo: { ...plugged("kilo"), has: ["background_process", "tool.execute.before"] },
  pi: {
    ...other("pi", /"(\w+)"/gu, /type ToolName = [^;]*;/gu),
    events: () => inBundle("pi", /^\s+on\(event: "(\w+)"/gmu),
    has: ["powershell", "tool_call"],
  },
};

test.each(AGENT_IDS)("drwn knows every tool and every event of %s", { timeout: 300_000 }, async (agent) => {
  const program = PROGRAMS[agent];
  if (typeof program === "string" || program.missing !== undefined) {
    console.log(`${agent}: not read: ${typeof program === "string" ? program : program.missing}`);
    return;
  }
  const [{ tools = {}, events = {} } = {}] = targetsOf([agent]);
  const read = { tool: await program.tools(), event: await program.events() };
  expect([read.tool, read.event]).toEqual(program.has.map((name) => expect.arrayContaining([name])));
  expect([
    ...unjudged(agent, { what: "tool", read: read.tool, known: tools }),
    ...unjudged(agent, { what: "event", read: read.event, known: events }),
  ]).toEqual([]);
});

interface Read {
  what: "event" | "tool";
  read: readonly string[];
  known: Readonly<Record<string, string>>;
}

function unjudged(agent: AgentId, { what, read, known }: Read): string[] {
  const names = [...new Set(read)].filter((name) => !name.startsWith("mcp__")).sort();
  console.log(
    [`${agent}, each ${what}:`, ...names.map((name) => `  ${name}: ${known[name] ?? "NOT JUDGED"}`)].join("\n"),
  );
  return names.filter((name) => known[name] === undefined).map((name) => `${what} ${name}`);
}

/** The names of the tools in a request, in any of the four wire formats. */
function offered(turns: readonly Turn[]): string[] {
  return turns.flatMap(({ body }) => toolsIn(body).flatMap(namesOf));
}

interface Offer {
  name?: string;
  type?: string;
  description?: string;
  function?: { name: string };
  functionDeclarations?: { name: string }[];
  tools?: Offer[];
}

/** Codex's models with code mode get them in their input. */
function toolsIn(body: unknown): Offer[] {
  const { tools = [], input } = body as Offer & { input?: unknown };
  return [...tools, ...(Array.isArray(input) ? input.flatMap((part: Offer) => part.tools ?? []) : [])];
}

/** With those that a program of the model can call, which are described in the tool that runs it. */
function namesOf({ name, type = "", description = "", function: own, functionDeclarations, tools }: Offer): string[] {
  if (functionDeclarations !== undefined) return functionDeclarations.map((one) => one.name);
  if (tools !== undefined) return tools.flatMap(namesOf);
  const nested = name === "exec" ? [...description.matchAll(/^### `(\w+)`$/gmu)].map(([, one = ""]) => one) : [];
  return [own?.name ?? name ?? type, ...nested];
}

/** What it offers first, those that its model can search for, and those whose input its package describes. */
async function claudeTools(): Promise<string[]> {
  const { turns, events } = await runClaude(world, { steps: DONE });
  const started = events.find(({ subtype }) => subtype === "init") as { tools: string[] };
  const types = textsIn(path.join(path.dirname(inject("claude")), "../claude-code"), /sdk-tools\.d\.ts$/u).join("\n");
  const described = [...types.matchAll(/^export interface (?:File)?(\w+)Input /gmu)].map(([, name = ""]) => name);
  return [...offered(turns), ...started.tools, ...described.filter((name) => name !== "Mcp")];
}

function claudeEvents(): string[] {
  const empty = path.join(world.folder, "empty");
  fs.mkdirSync(empty);
  const request = { type: "control_request", request_id: "1", request: { subtype: "get_hooks_listing" } };
  const { stdout } = spawnSync(
    inject("claude"),
    ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--strict-mcp-config"],
    { cwd: empty, env: world.env, input: `${JSON.stringify(request)}\n`, encoding: "utf8" },
  );
  return stdout.split("\n").flatMap((line) => {
    if (!line.includes("eventCatalog")) return [];
    const answer: { response: { response: { eventCatalog: { name: string }[] } } } = JSON.parse(line);
    return answer.response.response.eventCatalog.map(({ name }) => name);
  });
}

/** Each of its models is offered other tools. */
async function codexTools(): Promise<string[]> {
  const tools: string[] = [];
  for (const model of ["mock-model", ...codexModels(world)]) {
    const { turns } = await runCodex(world, { steps: DONE, model });
    tools.push(...offered(turns));
  }
  return tools;
}

function codexEvents(): string[] {
  const { definitions } = codexSchema(world) as { definitions: { HookEventName: { enum: string[] } } };
  return definitions.HookEventName.enum.map((name) => name.slice(0, 1).toUpperCase() + name.slice(1));
}

/** Those that it makes for an app, and exports the names of. */
async function mastraTools(): Promise<string[]> {
  const core = path.join(inject("mastra"), "@mastra/core/dist");
  const { stdout } = spawnSync(
    inject("node22"),
    ["-p", `JSON.stringify(require(${JSON.stringify(path.join(core, "workspace/index.cjs"))}).WORKSPACE_TOOLS)`],
    { encoding: "utf8", env: world.env },
  );
  const groups: Record<string, Record<string, string>> = JSON.parse(stdout);
  const code = textsIn(core, /\.js$/u).join("\n");
  const made = [
    ...code.matchAll(/createTool\(\{\s*id: "([^"]+)"/gu),
    ...code.matchAll(/^const (?!FALLBACK)[A-Z_]*TOOL_(?:ID|NAME) = "([^"]+)"/gmu),
  ];
  return [...Object.values(groups).flatMap((names) => Object.values(names)), ...made.map(([, name = ""]) => name)];
}

function mastraEvents(): string[] {
  const types = textsIn(path.join(inject("mastra"), "@mastra/core/dist/tools"), /\.d\.ts$/u).join("\n");
  const [, hooks = ""] = /interface ToolHooks<.*?\{\n(.*?)\n\}/su.exec(types) ?? [];
  return [...hooks.matchAll(/^ {4}(\w+)\?:/gmu)].map(([, name = ""]) => name);
}

/** What it offers a model, and the names that its package has: all that match, in all that matches `within`. */
function other(client: OtherClient, names?: RegExp, within?: RegExp): Pick<Program, "missing" | "tools"> {
  return {
    missing: inject("others")[client] === undefined ? missing(client) : undefined,
    tools: async () => {
      const { turns } = await runOther(client, world, { steps: DONE });
      return [...offered(turns), ...(names === undefined ? [] : inBundle(client, names, within))];
    },
  };
}

/** What it offers a model, what its server offers each model that it knows, and all that it can make, offered or not. */
async function copilotTools(): Promise<string[]> {
  const { turns } = await runOther("copilot", world, { steps: DONE });
  const { program, env, cwd } = commandLineOf("copilot", world, { url: "http://127.0.0.1:9", how: "alone" });
  const server = spawn(program, ["--headless", "--stdio", "--no-auto-update"], {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
  });
  const connection = createMessageConnection(server.stdout, server.stdin);
  try {
    const { models } = await connection.ask<{ models: { id: string }[] }>("models.getBuiltInCatalog", {});
    const ids = models.map(({ id }) => ({ model: id }));
    const lists = await Promise.all(ids.map((model) => connection.ask<ToolList>("tools.list", model)));
    const session = await connection.ask<object>("session.create", { workingDirectory: cwd });
    const made = await connection.ask<ToolList>("session.tools.getBuiltinDescriptors", session);
    return [...offered(turns), ...[...lists, made].flatMap(({ tools }) => tools.map(({ name }) => name))];
  } finally {
    server.kill();
    await once(server, "close");
  }
}

interface ToolList {
  tools: { name: string }[];
}

/** JSON-RPC, each message after a header with its length. */
function createMessageConnection(from: Readable, to: Writable) {
  const waiting = new Map<number, (answer: { result: never; error?: unknown }) => void>();
  let bytes = Buffer.alloc(0);
  from.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const [header, length] = /^Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/u.exec(bytes.toString("latin1")) ?? [];
      const end = (header?.length ?? 0) + Number(length);
      if (header === undefined || bytes.length < end) return;
      const message = JSON.parse(bytes.toString("utf8", header.length, end));
      bytes = bytes.subarray(end);
      waiting.get(message.id)?.(message);
    }
  });
  let id = 0;
  return {
    async ask<T>(method: string, params: object): Promise<T> {
      const text = JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params });
      to.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
      const { result, error } = await new Promise<{ result: T; error?: unknown }>((resolve) =>
        waiting.set(id, resolve),
      );
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result;
    },
  };
}

/**
 * An agent with OpenCode's plugins: its server knows its tools and what the hook `event` is told, and its program names what plugins are
 * asked.
 */
function plugged(client: OtherClient): Omit<Program, "has"> {
  const { missing, tools } = other(client);
  let description: Description | undefined;
  return {
    missing,
    tools: async () => {
      const [served, ids] = await servedBy<[Description, string[]]>(client, ["/doc", "/experimental/tool/ids"]);
      description = served;
      return [...(await tools()), ...ids];
    },
    events: () => [
      ...inBundle(client, /\.trigger\("([a-z._]+)",(?<=(?:yield\*[\w$]{1,4}|\.plugin)\.trigger\("[a-z._]+",)/gu),
      ...toldEvents(description?.components.schemas ?? {}).filter((name) => !HAPPENED.test(name)),
    ],
  };
}

/** Ends the name of an event that says what has happened, or how far something is: nobody can decide about it. */
const HAPPENED =
  /(?:^|[.-])(?!asked|requested)(?:\w+ed|available|close|delta|diagnostics|diff|error|idle|open|progress|ready|status|success|sync|synthetic|warning)$/u;

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  properties?: { type?: { enum?: string[] }; payload?: Schema };
}

interface Description {
  components: { schemas: Record<string, Schema> };
}

function toldEvents(
  schemas: Readonly<Record<string, Schema>>,
  schema = schemas["GlobalEvent"]?.properties?.payload,
): string[] {
  const { anyOf, properties } = (schema?.$ref === undefined ? schema : schemas[path.basename(schema.$ref)]) ?? {};
  return anyOf?.flatMap((one) => toldEvents(schemas, one)) ?? properties?.type?.enum ?? ["an event without a name"];
}

/** What its server answers at each of these paths. */
async function servedBy<T extends unknown[]>(client: OtherClient, paths: { [I in keyof T]: string }): Promise<T> {
  const { program, env, cwd } = commandLineOf(client, world, { url: "http://127.0.0.1:9", how: "alone" });
  const server = spawn(program, ["serve", "--port", "0"], { cwd, env: { PATH: process.env["PATH"], ...env } });
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/u.exec(line) ?? [];
      if (url === undefined) continue;
      return (await Promise.all(paths.map(async (one) => (await fetch(url + one)).json()))) as T;
    }
    throw new Error(`${client} serve named no address`);
  } finally {
    server.kill();
    await once(server, "close");
  }
}

/** What an expression finds in the package of a client, or in its program. */
function inBundle(client: OtherClient, names: RegExp, within?: RegExp): string[] {
  const program = inject("others")[client] ?? "";
  const isScript = program.endsWith(".js");
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(program)?.[0] ?? "";
  const texts = isScript ? textsIn(folder, /(?:\.d\.ts|\.js)$/u) : [fs.readFileSync(program, "latin1")];
  return texts
    .flatMap((text) => (within === undefined ? [text] : [...text.matchAll(within)].map(([part]) => part)))
    .flatMap((text) => [...text.matchAll(names)].map(([, name = ""]) => name));
}

function textsIn(folder: string, files: RegExp): string[] {
  return fs.readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    return entry.isFile() && files.test(file) ? [fs.readFileSync(file, "utf8")] : [];
  });
}
