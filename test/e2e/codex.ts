import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { type CodexHooks, listCodexHooks } from "../../src/agents/codex/check.ts";
import { type ModelRun, type Subscript, startMockModel } from "./mock-model.ts";
import { type ProcessRequest, runProcess } from "./process.ts";
import type { Script, Step } from "./wire-format.ts";
import type { World } from "./world.ts";

export interface CodexRun extends ModelRun {
  code: number | null;
  stderr: string;
}

interface CodexRequest {
  steps: Script;
  subagent?: Subscript;
  cwd?: string;
  /** Runs hooks that the user has not trusted. */
  bypassTrust?: boolean;
  /** The state of somebody who has just cloned the project. */
  isNew?: boolean;
  /** The model decides which tools are offered. */
  model?: string;
  /** More words for the program. */
  args?: readonly string[];
  /** The program doesn't read the user's config.toml, so its command line says what that would. */
  ignoresConfig?: boolean;
}

/**
 * Runs one whole `codex exec` turn of the real program against the scripted model, with every permission of Codex's
 * own.
 */
export async function runCodex(world: World, request: CodexRequest): Promise<CodexRun> {
  const {
    steps,
    subagent,
    cwd = world.project,
    bypassTrust = true,
    isNew = false,
    model: name = "mock-model",
    args = [],
    ignoresConfig = false,
  } = request;
  const model = await startMockModel(steps, subagent);
  try {
    configure(world, { url: model.url, isNew });
    const provider = ignoresConfig ? ["--ignore-user-config", ...providerFlags(model.url)] : [];
    const trust = bypassTrust ? ["--dangerously-bypass-hook-trust"] : [];
    const { code, stderr } = await runProcess(
      world.session({
        program: world.programs["codex"] ?? inject("codex"),
        args: ["exec", "--json", "--skip-git-repo-check", ...trust, "-m", name, ...args, ...provider, "go"],
        cwd,
        env: codexEnv(world),
      }),
    );
    return { code, stderr, ...model.seen() };
  } finally {
    await model.close();
  }
}

/** Does what a person does in Codex's /hooks: trusts every hook as it is now. */
export async function trustHooks(world: World): Promise<void> {
  const hooks = await codexHooks(world);
  const tables = hooks.map(
    ({ key, currentHash }) => `[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = ${JSON.stringify(currentHash)}\n`,
  );
  fs.appendFileSync(path.join(world.home, ".codex", "config.toml"), `\n${tables.join("\n")}`);
}

/**
 * The command that starts the program in a person's terminal, with its first prompt. Without the flag it leaves a
 * daemon behind.
 */
export function codexInTerminal(world: World, provider: Provider): ProcessRequest {
  configure(world, provider);
  const args = ["--dangerously-bypass-hook-trust", "-m", "mock-model", "go"];
  return { program: inject("codex"), args, cwd: world.project, env: codexEnv(world) };
}

/** What the real program says about the hooks that it finds for the project. */
export async function codexHooks(world: World): Promise<CodexHooks["hooks"]> {
  const answer = await listCodexHooks({ env: withCodexOnPath(world), cwd: world.project });
  if (typeof answer === "string") throw new Error(`codex app-server: ${answer}`);
  return answer.hooks;
}

/** The environment of a user who has the pinned Codex on PATH. */
export function withCodexOnPath(world: World): Record<string, string> {
  const bin = path.join(world.folder, "bin");
  fs.mkdirSync(bin, { recursive: true });
  const link = path.join(bin, "codex");
  if (!fs.existsSync(link)) fs.symlinkSync(inject("codex"), link);
  return { ...codexEnv(world), PATH: `${bin}:${process.env["PATH"]}` };
}

function codexEnv(world: World): Record<string, string> {
  return { CODEX_HOME: path.join(world.home, ".codex"), ...world.env, MOCK_KEY: "mock", RUST_LOG: "error" };
}

interface Provider {
  url: string;
  isNew: boolean;
}

const HEAD = "# for the scripted model\n";

/** Puts the model in front of whatever else the file holds. */
function configure(world: World, provider: Provider): void {
  const file = path.join(world.env["CODEX_HOME"] ?? path.join(world.home, ".codex"), "config.toml");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const kept = fs.existsSync(file) ? (fs.readFileSync(file, "utf8").split("# end of the model\n")[1] ?? "") : "";
  fs.writeFileSync(file, `${HEAD}${modelConfig(world, provider)}# end of the model\n${kept}`);
}

function modelConfig(world: World, { url, isNew }: Provider): string {
  return `model = "mock-model"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false

[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0

${isNew ? "" : `[projects."${world.project}"]\ntrust_level = "trusted"\n`}`;
}

function providerFlags(url: string): string[] {
  const mock = `{name="mock",base_url="${url}/v1",wire_api="responses",env_key="MOCK_KEY"}`;
  const values = [`model_providers.mock=${mock}`, 'model_provider="mock"', 'approval_policy="never"'];
  return [...values.flatMap((value) => ["-c", value]), "--sandbox", "danger-full-access"];
}

/** Each command in a separate call, then the end of the turn. */
export function shell(...commands: string[]): Step[] {
  return [...commands.map((cmd) => ({ tool: "exec_command", input: { cmd } })), { text: "done" }];
}

/** The models that the program knows. */
export function codexModels(world: World): string[] {
  const { models } = JSON.parse(askCodex(world, "debug", "models")) as { models: { slug: string }[] };
  return models.map(({ slug }) => slug);
}

/** The description of its protocol that the program prints. */
export function codexSchema(world: World): unknown {
  const folder = path.join(world.folder, "schema");
  askCodex(world, "app-server", "generate-json-schema", "--out", folder);
  return JSON.parse(fs.readFileSync(path.join(folder, "codex_app_server_protocol.v2.schemas.json"), "utf8"));
}

function askCodex(world: World, ...args: string[]): string {
  fs.mkdirSync(path.join(world.home, ".codex"), { recursive: true });
  return spawnSync(inject("codex"), args, { env: codexEnv(world), encoding: "utf8", maxBuffer: 1e8 }).stdout;
}
