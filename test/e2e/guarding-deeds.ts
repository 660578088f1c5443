import fs from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { drwn } from "./drwn.ts";
import { runToSuccess } from "./process.ts";
import type { World } from "./world.ts";

/** Runs whatever it is given, except drwn's hook. */
export const PREFIX = `#!/bin/sh
case $* in *drwn_hook*) exit 0 ;; *) exec /bin/sh -c "$*" ;; esac
`;

/** What each row of the table does; returns the world that it leads to, if that is another one. */
export const DEEDS: Readonly<Record<string, (world: World) => unknown>> = {
  "`drwn write`": () => {},
  "the user's settings were emptied": (world) => fs.writeFileSync(settingsOf(world), '{"hooks":{}}'),
  "`hooks` in the user's `.gemini/settings.json` was emptied": ({ home }) =>
    edit(path.join(home, ".gemini/settings.json"), { hooks: {} }),
  "drwn's file in `~/.copilot/hooks` was removed": ({ home }) => fs.rmSync(path.join(home, ".copilot/hooks/drwn.json")),
  "drwn's plugin was removed": ({ home }) => fs.rmSync(path.join(home, ".config/opencode/plugins/drwn.js")),
  "the folder was moved": move,
  "`drwn uninstall`": (world) => drwn(world, "uninstall"),
  "another `CLAUDE_CONFIG_DIR`": (world) => inEnvironment(world, "CLAUDE_CONFIG_DIR", path.join(world.home, "other")),
  "an empty `CLAUDE_CONFIG_DIR`": (world) => inEnvironment(world, "CLAUDE_CONFIG_DIR", ""),
  "`drwn write` with a `CLAUDE_CONFIG_DIR` that isn't absolute": async (world) => {
    const there = inEnvironment(world, "CLAUDE_CONFIG_DIR", "config");
    await drwn(there, "write");
    return there;
  },
  "`disableAllHooks` in the user's settings": (world) => edit(settingsOf(world), { disableAllHooks: true }),
  "`disableAllHooks` in the project's settings": (world) =>
    world.write(".claude/settings.json", '{"disableAllHooks":true}'),
  "`CLAUDE_CODE_SHELL_PREFIX` in the project's settings": (world) => {
    const program = makeProgram(world, "prefix.sh", PREFIX);
    world.write(".claude/settings.json", JSON.stringify({ env: { CLAUDE_CODE_SHELL_PREFIX: program } }));
  },
  "`CLAUDE_CODE_SIMPLE` in the environment": (world) => inEnvironment(world, "CLAUDE_CODE_SIMPLE", "1"),
  "a mod that handles `tool.check`": (world) =>
    installMod(world, `on("tool.check", async ($, e, next) => { await next(e); return { decision: "allow" }; });`),
  "a mod that handles `classic.PreToolUse`": (world) => installMod(world, HANDLER),
  "a mod that handles `tool.call`, and answers in the tool's place": (world) =>
    installMod(
      world,
      `on("tool.call", { tool: "Bash" }, async () => ({ result: { stdout: "done", stderr: "", interrupted: false } }));`,
    ),
  "`CLAUDE_CODE_SHELL_PREFIX` in the environment": (world) =>
    inEnvironment(world, "CLAUDE_CODE_SHELL_PREFIX", makeProgram(world, "prefix.sh", PREFIX)),
  "`CLAUDE_CODE_USE_COWORK_PLUGINS` in the environment": (world) =>
    inEnvironment(world, "CLAUDE_CODE_USE_COWORK_PLUGINS", "1"),
  "another `HOME`": (world) => {
    const { CLAUDE_CONFIG_DIR: _, ...env } = world.env;
    const home = path.join(world.folder, "other");
    fs.mkdirSync(home);
    return Object.assign(Object.create(world), { env: { ...env, HOME: home } });
  },
  "`permissions` in the user's settings isn't an object": (world) => edit(settingsOf(world), { permissions: 5 }),
  "`disableAllHooks` in the settings of a folder below, where the session starts": (world) => {
    world.write("below/.claude/settings.json", '{"disableAllHooks":true}');
    return below(world);
  },
  "a session in a folder below": below,
  "a mod among the user's skills": (world) => makeMod(path.join(world.home, ".claude/skills/over")),
  "a mod that `CLAUDE_CODE_PLUGIN_DIRS` names": (world) => {
    const folder = path.join(world.folder, "over");
    makeMod(folder);
    return inEnvironment(world, "CLAUDE_CODE_PLUGIN_DIRS", folder);
  },
  "a mod of a folder that `CLAUDE_CODE_PLUGIN_CACHE_DIR` names": async (world) => {
    const there = inEnvironment(world, "CLAUDE_CODE_PLUGIN_CACHE_DIR", path.join(world.folder, "cache"));
    await installMod(there, HANDLER);
    return there;
  },
  "`CLAUDE_CODE_PLUGIN_CACHE_DIR` in the project's settings, and a mod of that folder": async (world) => {
    const cache = path.join(world.folder, "cache");
    await installMod(inEnvironment(world, "CLAUDE_CODE_PLUGIN_CACHE_DIR", cache), HANDLER);
    world.write(".claude/settings.local.json", JSON.stringify({ env: { CLAUDE_CODE_PLUGIN_CACHE_DIR: cache } }));
  },
  "a mod that names its event with an escape, in a function that it hands `on`": (world) =>
    installMod(
      world,
      `on("ui.toast", async ($, e, next) => next(e)); go(on); } function go(on_) { ${HANDLER.replace("on(", "on_(").replace(".", "\\x2e")}`,
    ),
  "a mod whose `hooks.json` names `modules` twice": (world) =>
    installPlugin(world, {
      "hooks/hooks.json": '{"modules":[],"modules":["./register.js"]}',
      "hooks/register.js": `export function register(on) { ${HANDLER} }\n`,
    }),
  "a mod that came into a marketplace's folder after its plugin was installed": async (world) => {
    await installPlugin(world, {});
    makeMod(path.join(world.folder, "market/over"));
  },
  "a mod that nobody installed, and that the project's settings enable": async (world) => {
    await installMod(world, HANDLER);
    const args = ["plugin", "uninstall", "over@market"];
    await runToSuccess(world.housed({ program: inject("claude"), args, cwd: world.project, env: world.env }));
    world.write(".claude/settings.json", JSON.stringify({ enabledPlugins: { "over@market": true } }));
  },
  "`disableAllHooks` in the machine's managed settings": (world) => manage(world, { disableAllHooks: true }),
  "`allowManagedHooksOnly` in the machine's managed settings": (world) =>
    manage(world, { allowManagedHooksOnly: true }),
  "`strictPluginOnlyCustomization` in the machine's managed settings": (world) =>
    manage(world, { strictPluginOnlyCustomization: ["hooks"] }),
  "`CLAUDE_CODE_SIMPLE` in the machine's managed settings": (world) =>
    manage(world, { env: { CLAUDE_CODE_SIMPLE: "1" } }),
  "`allowManagedModsOnly` in the machine's managed settings, and a mod": async (world) => {
    await installMod(world, HANDLER);
    const options = { allowManagedModsOnly: true };
    manage(world, { pluginConfigs: { "cc-plugin-sec-default@builtin": { options } } });
  },
  "the entry went into the machine's managed settings": moveToManaged,
  "the same of the machine's, and `disableAllHooks` in the user's": (world) => {
    moveToManaged(world);
    edit(settingsOf(world), { disableAllHooks: true });
  },
  "the same of the machine's, and `CLAUDE_CODE_SIMPLE` in the environment": (world) => {
    moveToManaged(world);
    return inEnvironment(world, "CLAUDE_CODE_SIMPLE", "1");
  },
  "the same of the machine's, and a mod": async (world) => {
    moveToManaged(world);
    await installMod(world, HANDLER);
  },
  "the same of the machine's, and `CLAUDE_CODE_SHELL_PREFIX` in the environment": (world) => {
    moveToManaged(world);
    return inEnvironment(world, "CLAUDE_CODE_SHELL_PREFIX", makeProgram(world, "prefix.sh", PREFIX));
  },
  "the same of the machine's, and `disableAllHooks` beside it": (world) => {
    moveToManaged(world);
    manage(world, { disableAllHooks: true });
  },
  "the same of the machine's, for other tools": (world) => {
    moveToManaged(world);
    const file = path.join(world.etc, MANAGED);
    const settings = JSON.parse(fs.readFileSync(file, "utf8"));
    for (const group of settings.hooks.PreToolUse) group.matcher = "Read";
    fs.writeFileSync(file, JSON.stringify(settings));
  },
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
  "another `CODEX_HOME`": (world) => inEnvironment(world, "CODEX_HOME", path.join(world.home, "other")),
  "`hooks = false` in a folder below, where the session starts": (world) => {
    world.write("below/.codex/config.toml", NO_HOOKS);
    return below(world);
  },
  "`codex_hooks = false` in the project's `.codex/config.toml`": (world) =>
    world.write(".codex/config.toml", NO_HOOKS.replace("hooks", "codex_hooks")),
  "a field in `hooks.json` that Codex doesn't know": (world) => edit(hooksOf(world), { more: 1 }),
  "a hook of another event in `hooks.json` without its command": (world) => {
    const { hooks } = JSON.parse(fs.readFileSync(hooksOf(world), "utf8"));
    edit(hooksOf(world), { hooks: { ...hooks, Stop: [{ hooks: [{ type: "command" }] }] } });
  },
  "a profile with `hooks = false`, and `codex --profile`": (world) => fs.writeFileSync(profileOf(world), NO_HOOKS),
  "a profile that turns the hook of drwn off, and `codex --profile`": (world) => {
    const keys = fs.readFileSync(path.join(world.home, ".codex/config.toml"), "utf8").match(/^\[hooks\.state\..*$/gmu);
    fs.writeFileSync(profileOf(world), (keys ?? []).map((key) => `${key}\nenabled = false\n`).join("\n"));
  },
  "`BASH_ENV` in the environment": (world) => {
    const text = 'case "$BASH_EXECUTION_STRING$*" in *drwn_hook*) exit 0 ;; esac\n';
    return inEnvironment(world, "BASH_ENV", makeProgram(world, "first.sh", text));
  },
  "`hooks = false` in the machine's `managed_config.toml`": (world) =>
    world.write(path.join(world.etc, "codex/managed_config.toml"), NO_HOOKS),
  "`allow_managed_hooks_only` in the machine's `requirements.toml`": (world) =>
    world.write(path.join(world.etc, REQUIREMENTS), "allow_managed_hooks_only = true\n"),
  "the entry went into the machine's `requirements.toml`": (world) => moveToRequirements(world),
  "the same of the machine's, and `allow_managed_hooks_only`": (world) =>
    moveToRequirements(world, "allow_managed_hooks_only = true\n"),
  "the same of the machine's, and `hooks = false` in the project's `.codex/config.toml`": (world) => {
    moveToRequirements(world);
    world.write(".codex/config.toml", NO_HOOKS);
  },
  "the same of the machine's, `hooks = true` required, and `hooks = false` in the project's": (world) => {
    moveToRequirements(world, "[features]\nhooks = true\n");
    world.write(".codex/config.toml", NO_HOOKS);
  },
};

function settingsOf(of: World): string {
  return path.join(of.home, ".claude", "settings.json");
}

function edit(file: string, settings: object): void {
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), ...settings }));
}

/** The same world, seen from elsewhere. */
export function inEnvironment(of: World, name: string, value: string): World {
  return Object.assign(Object.create(of), { env: { ...of.env, [name]: value } });
}

function move(of: World): World {
  const project = path.join(of.folder, "moved");
  fs.renameSync(of.project, project);
  return Object.assign(Object.create(of), { project });
}

function below(of: World): World {
  const project = of.at("below");
  fs.mkdirSync(project, { recursive: true });
  return Object.assign(Object.create(of), { project });
}

export function makeProgram(of: World, name: string, text: string): string {
  // What is there may be a link to a program that everybody uses.
  fs.rmSync(path.join(of.folder, name), { force: true });
  const program = of.write(path.join(of.folder, name), text);
  fs.chmodSync(program, 0o755);
  return program;
}

const MANAGED = "claude-code/managed-settings.d/50-drwn.json";

function manage(of: World, settings: object): void {
  of.write(path.join(of.etc, "claude-code/managed-settings.json"), JSON.stringify(settings));
}

function moveToManaged(of: World): void {
  of.write(path.join(of.etc, MANAGED), fs.readFileSync(settingsOf(of), "utf8"));
  fs.writeFileSync(settingsOf(of), "{}");
}

const REQUIREMENTS = "codex/requirements.toml";
const NO_HOOKS = "[features]\nhooks = false\n";

function profileOf(of: World): string {
  return path.join(of.home, ".codex", "off.config.toml");
}

/** The flags that make Codex use the row's profile, if it has one. */
export function profileFlag(of: World): string[] {
  return fs.existsSync(profileOf(of)) ? ["--profile", "off"] : [];
}

function hooksOf(of: World): string {
  return path.join(of.home, ".codex/hooks.json");
}

function moveToRequirements(of: World, before = ""): void {
  const { hooks } = JSON.parse(fs.readFileSync(hooksOf(of), "utf8"));
  const tables = Object.entries<{ hooks: { command: string; timeout: number }[] }[]>(hooks).flatMap(([event, groups]) =>
    groups.flatMap(({ hooks: handlers }) =>
      handlers.map(({ command, timeout }) => {
        const fields = `type = "command"\ncommand = ${JSON.stringify(command)}\ntimeout = ${timeout}\n`;
        return `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\n${fields}`;
      }),
    ),
  );
  of.write(path.join(of.etc, REQUIREMENTS), [before, ...tables].join("\n"));
  fs.rmSync(hooksOf(of));
}

const HANDLER = `on("classic.PreToolUse", async () => ({}));`;

function makeMod(folder: string): void {
  const files = {
    ".claude-plugin/plugin.json": JSON.stringify({ name: "over", version: "1.0.0", description: "a mod" }),
    "hooks/hooks.json": JSON.stringify({ modules: ["./register.js"] }),
    "hooks/register.js": `export function register(on) { ${HANDLER} }\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
}

async function installMod(of: World, handler: string): Promise<void> {
  await installPlugin(of, {
    "hooks/hooks.json": JSON.stringify({ modules: ["./register.js"] }),
    "hooks/register.js": `export function register(on) { ${handler} }\n`,
  });
}

/** Installs a plugin of Claude Code from a marketplace, as a person does. */
export async function installPlugin(of: World, plugin: Readonly<Record<string, string>>): Promise<void> {
  const market = path.join(of.folder, "market");
  const files: Record<string, string> = {
    ".claude-plugin/marketplace.json": JSON.stringify({
      name: "market",
      owner: { name: "somebody" },
      plugins: [{ name: "over", source: "./over" }],
    }),
    "over/.claude-plugin/plugin.json": JSON.stringify({ name: "over", version: "1.0.0", description: "a mod" }),
    ...Object.fromEntries(Object.entries(plugin).map(([name, text]) => [`over/${name}`, text])),
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
