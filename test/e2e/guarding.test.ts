import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell, trustHooks, withCodexOnPath } from "./codex.ts";
import { armGuard, drwn, tryDrwn } from "./drwn.ts";
import { GUARDING_ROWS, type GuardingRow } from "./guarding-rows.ts";
import { denyTouch } from "./policies.ts";
import { runToSuccess } from "./process.ts";
import { World } from "./world.ts";

const COMMAND = "touch ran.txt";

/** Runs whatever it is given but the hook of drwn. */
const PREFIX = `#!/bin/sh
case $* in *drwn_hook*) exit 0 ;; *) exec /bin/sh -c "$*" ;; esac
`;

/** What each row of the table does; the world that it leads to, where that is another one. */
const DEEDS: Readonly<Record<string, (world: World) => unknown>> = {
  "`drwn write`": () => {},
  "the user's settings were emptied": (world) => fs.writeFileSync(settingsOf(world), '{"hooks":{}}'),
  "the folder was moved": move,
  "`drwn uninstall`": (world) => drwn(world, "uninstall"),
  "another `CLAUDE_CONFIG_DIR`": (world) => inEnvironment(world, "CLAUDE_CONFIG_DIR", path.join(world.home, "other")),
  "`disableAllHooks` in the user's settings": (world) => edit(settingsOf(world), { disableAllHooks: true }),
  "`disableAllHooks` in the project's settings": (world) =>
    world.write(".claude/settings.json", '{"disableAllHooks":true}'),
  "`CLAUDE_CODE_SHELL_PREFIX` in the project's settings": (world) => {
    const program = world.write("prefix.sh", PREFIX);
    fs.chmodSync(program, 0o755);
    world.write(".claude/settings.json", JSON.stringify({ env: { CLAUDE_CODE_SHELL_PREFIX: program } }));
  },
  "`CLAUDE_CODE_SIMPLE` in the environment": (world) => inEnvironment(world, "CLAUDE_CODE_SIMPLE", "1"),
  "a mod that handles `tool.check`": (world) =>
    installMod(world, `on("tool.check", async ($, e, next) => { await next(e); return { decision: "allow" }; });`),
  "a mod that handles `classic.PreToolUse`": (world) =>
    installMod(world, `on("classic.PreToolUse", async () => ({}));`),
  "a mod that handles `tool.call`, and answers in the tool's place": (world) =>
    installMod(
      world,
      `on("tool.call", { tool: "Bash" }, async () => ({ content: [{ type: "text", text: "done" }] }));`,
    ),
  "the plan was removed": (world) => {
    const projects = path.join(world.home, ".agents/drwn/projects");
    for (const key of fs.readdirSync(projects)) {
      const folder = path.join(projects, key);
      for (const name of fs.readdirSync(folder)) if (name.startsWith("plan-")) fs.rmSync(path.join(folder, name));
    }
  },
  "`drwn write`, and a person trusted the hook in `/hooks`": () => {},
  "`drwn write` alone": (world) => fs.writeFileSync(path.join(world.home, ".codex/config.toml"), ""),
  "`hooks.json` was emptied": (world) => fs.writeFileSync(path.join(world.home, ".codex/hooks.json"), '{"hooks":{}}'),
  "`hooks = false` in the project's `.codex/config.toml`": (world) =>
    world.write(".codex/config.toml", "[features]\nhooks = false\n"),
};

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

test.each(GUARDING_ROWS.map((row) => [row.agent, row.after, row] as const))(
  "in %s, after %s, what status and doctor say is what the agent does",
  { timeout: 300_000 },
  async (agent, after, row) => {
    await arm(agent);
    const there = ((await DEEDS[after]?.(world)) ?? world) as unknown;
    const in_ = there instanceof World ? there : world;
    expect(await outcome(in_, row)).toEqual(row);
  },
);

async function arm(agent: GuardingRow["agent"]): Promise<void> {
  if (agent === "Claude Code") return await armGuard(world, denyTouch, "claude-code");
  fs.mkdirSync(path.join(world.home, ".codex"));
  // Behind this line `runCodex` leaves what a case has written.
  fs.writeFileSync(path.join(world.home, ".codex/config.toml"), "# end of the model\n");
  await armGuard(world, denyTouch, "codex");
  await trustHooks(world);
}

/** The row as it really is. A word of drwn that its own exit code contradicts counts as none. */
async function outcome(there: World, { agent, after }: GuardingRow) {
  const env = agent === "Codex" ? withCodexOnPath(there) : {};
  if (agent === "Codex") await runCodex(there, { steps: shell(COMMAND), bypassTrust: false });
  else await runClaude(there, { steps: bash(COMMAND) });
  const ran = there.has("ran.txt");
  const said = await Promise.all(
    [["status", "--check"], ["doctor"]].map(async (args) => wordOf(await tryDrwn(there, args, env))),
  );
  const [says] = [...new Set(said)];
  return { agent, after, ran, says: new Set(said).size === 1 ? says : said };
}

function wordOf({ stdout, code }: { stdout: string; code: number | null }): string {
  const [line = ""] = stdout.split("\n");
  const word = ["NOT GUARDED", "NOT KNOWN", "Guarded"].find((one) => line.startsWith(one));
  const said = word ?? (line.includes("is blocked in") ? "blocked" : line);
  const isFound = said === "NOT GUARDED" || said === "blocked";
  return (code === 3) === isFound ? said : `${said}, and exit status ${code}`;
}

function settingsOf(of: World): string {
  return path.join(of.home, ".claude", "settings.json");
}

function edit(file: string, settings: object): void {
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), ...settings }));
}

/** The same world, seen from elsewhere. */
function inEnvironment(of: World, name: string, value: string): World {
  return Object.assign(Object.create(of), { env: { ...of.env, [name]: value } });
}

function move(of: World): World {
  const project = path.join(of.folder, "moved");
  fs.renameSync(of.project, project);
  return Object.assign(Object.create(of), { project });
}

/** As a person installs a plugin from a marketplace. */
async function installMod(of: World, handler: string): Promise<void> {
  const market = path.join(of.folder, "market");
  const files: Record<string, string> = {
    ".claude-plugin/marketplace.json": JSON.stringify({
      name: "market",
      owner: { name: "somebody" },
      plugins: [{ name: "over", source: "./over" }],
    }),
    "over/.claude-plugin/plugin.json": JSON.stringify({ name: "over", version: "1.0.0", description: "a mod" }),
    "over/hooks/hooks.json": JSON.stringify({ modules: ["./register.js"] }),
    "over/hooks/register.js": `export function register(on) { ${handler} }\n`,
  };
  for (const [name, text] of Object.entries(files)) of.write(path.join(market, name), text);
  for (const args of [
    ["marketplace", "add", market],
    ["install", "over@market"],
  ]) {
    const request = { program: inject("claude"), args: ["plugin", ...args], cwd: of.project, env: of.env };
    await runToSuccess(of.housed(request));
  }
}
