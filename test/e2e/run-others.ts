import fs from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { type ModelRun, type Subscript, startMockModel } from "./mock-model.ts";
import type { OtherClient } from "./other-clients.ts";
import { type ProcessRequest, runProcess } from "./process.ts";
import type { Step } from "./wire-format.ts";
import type { World } from "./world.ts";

export interface OtherRun extends ModelRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Driven {
  /** The words for an unattended run, and for one in a person's terminal. */
  prompt: Readonly<Record<"alone" | "attended", readonly string[]>>;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The program that starts this one. */
  by?: string;
}

/** How each client is told to use the scripted model, and to use its tools without asking. */
const DRIVERS: Readonly<Record<OtherClient, (world: World, start: Start) => Driven>> = {
  gemini: driveGemini,
  copilot: driveCopilot,
  opencode: (world, start) => driveOpencode(world, start, "opencode.json"),
  kilo: (world, start) => driveOpencode(world, start, "kilo.json"),
  qwen: driveQwen,
  pi: drivePi,
};

interface Script extends Pick<ProcessRequest, "leaveAfter"> {
  /** Further arguments of the client. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  steps: readonly Step[];
  subagent?: Subscript;
  writesPatches?: boolean;
}

/** Runs one whole turn of the real program against the scripted model, with every permission of its own. */
export async function runOther(client: OtherClient, world: World, script: Script): Promise<OtherRun> {
  const { steps, subagent, args = [], env = {}, writesPatches = false, ...waits } = script;
  const model = await startMockModel(steps, subagent);
  try {
    const started = commandLineOf(client, world, { url: model.url, how: "alone", writesPatches });
    const request = {
      ...started,
      args: [...started.args, ...args],
      env: { ...started.env, ...env },
      timeoutMs: 150_000,
      ...waits,
    };
    const { code, stdout, stderr } = await runProcess(world.session(request));
    return { code, stdout, stderr, ...model.seen() };
  } finally {
    await model.close();
  }
}

interface Start {
  /** The URL of the scripted model. */
  url: string;
  how: "alone" | "attended";
  /** The state of somebody who has just cloned the project: neither the folder nor any tool is allowed. */
  isNew?: boolean;
  /** The model has a name for which Copilot CLI and OpenCode offer `apply_patch` instead of tools for single files. */
  writesPatches?: boolean;
}

/** The command that starts this client in the project, with its first prompt. */
export function commandLineOf(client: OtherClient, world: World, start: Start): ProcessRequest {
  const installed = world.programs[client] ?? inject("others")[client];
  if (installed === undefined) throw new Error(`${client} is not installed`);
  const { prompt, args, env, by } = DRIVERS[client](world, start);
  const words = [...prompt[start.how], ...args];
  return {
    program: by ?? installed,
    args: by === undefined ? words : [installed, ...words],
    cwd: world.project,
    env: { ...world.env, ...env },
  };
}

/** The tool that runs a shell command. */
const SHELL: Readonly<Record<OtherClient, string>> = {
  gemini: "run_shell_command",
  copilot: "bash",
  opencode: "bash",
  kilo: "bash",
  qwen: "run_shell_command",
  pi: "bash",
};

/** Each command in a separate call, then the end of the turn. */
export function commandsOf(client: OtherClient, ...commands: string[]): Step[] {
  const calls = commands.map((command) => ({
    tool: SHELL[client],
    input: { command, description: "a step of the script" },
  }));
  return [...calls, { text: "done" }];
}

function driveGemini(world: World, { url, isNew = false }: Start): Driven {
  const file = path.join(world.home, ".gemini", "settings.json");
  const settings: object = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(
    file,
    JSON.stringify({
      ...settings,
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: isNew } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  );
  return {
    by: process.execPath,
    prompt: { alone: ["-p", "go"], attended: ["-i", "go"] },
    args: ["-m", "gemini-2.5-pro", ...(isNew ? [] : ["--approval-mode", "yolo", "--skip-trust"])],
    env: { GEMINI_API_KEY: "mock", GOOGLE_GEMINI_BASE_URL: url, GEMINI_TELEMETRY_ENABLED: "false" },
  };
}

function driveQwen(_: World, { url, isNew = false }: Start): Driven {
  return {
    by: process.execPath,
    prompt: { alone: ["-p", "go"], attended: ["-i", "go"] },
    args: ["--auth-type", "openai", ...(isNew ? [] : ["--yolo"])],
    env: { OPENAI_API_KEY: "mock", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "m" },
  };
}

/** Pi needs Node 22, and asks nobody before it runs a tool, but before it reads what a project has for it. */
function drivePi(world: World, { url, isNew = false }: Start): Driven {
  const folder = path.join(world.home, ".pi", "agent");
  const mock = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "mock", models: [{ id: "m" }] };
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "models.json"), JSON.stringify({ providers: { mock } }));
  return {
    by: inject("node22"),
    prompt: { alone: ["-p", "go"], attended: ["go"] },
    args: ["--model", "mock/m", ...(isNew ? [] : ["--approve"])],
    env: { PI_OFFLINE: "1" },
  };
}

/**
 * `COPILOT_ALLOW_ALL` must be exactly "true": only that also trusts the folder, and Copilot CLI loads no hooks in an
 * untrusted one.
 */
function driveCopilot(_: World, { url, isNew = false, writesPatches = false }: Start): Driven {
  const model = writesPatches ? "gpt-5.5" : "mock-model";
  return {
    prompt: { alone: ["-p", "go"], attended: ["-i", "go"] },
    args: ["--model", model],
    env: {
      ...(isNew ? {} : { COPILOT_ALLOW_ALL: "true" }),
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "mock",
      COPILOT_MODEL: model,
      ...(writesPatches ? { COPILOT_PROVIDER_WIRE_API: "responses" } : {}),
    },
  };
}

/** Kilo is a fork of OpenCode. */
function driveOpencode(world: World, { url, writesPatches = false }: Start, settingsFile: string): Driven {
  const model = writesPatches ? "gpt-5" : "m";
  const mock = {
    npm: "@ai-sdk/openai-compatible",
    name: "Mock",
    options: { baseURL: `${url}/v1`, apiKey: "mock" },
    models: { [model]: { name: model, tool_call: true } },
  };
  const file = world.at(settingsFile);
  const settings: object = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  world.write(
    settingsFile,
    JSON.stringify({ ...settings, model: `mock/${model}`, autoupdate: false, provider: { mock } }),
  );
  return {
    prompt: {
      alone: settingsFile === "kilo.json" ? ["run", "--auto", "go"] : ["run", "go"],
      attended: ["--prompt", "go"],
    },
    args: [],
    env: {
      XDG_DATA_HOME: path.join(world.home, "data"),
      XDG_CACHE_HOME: path.join(world.home, "cache"),
      XDG_STATE_HOME: path.join(world.home, "state"),
      npm_config_offline: "true",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      KILO_DISABLE_AUTOUPDATE: "1",
      KILO_DISABLE_SESSION_INGEST: "1",
      KILO_DISABLE_MODELS_FETCH: "1",
      KILO_DISABLE_LSP_DOWNLOAD: "1",
    },
  };
}
