import fs from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { codexHooks } from "../codex.ts";
import type { World } from "../world.ts";
import { answeringHooks } from "./claude-code.ts";
import { below, COMMON, changed, ENDING_LINE, edit, inVariable, makeProgram, type Ways, withFlags } from "./make.ts";

/** As if a person had trusted every hook. */
const TRUSTED = ["--dangerously-bypass-hook-trust"];
const NO_HOOKS = "[features]\nhooks = false\n";
const HOOKS = ".codex/hooks.json";
const CONFIG = ".codex/config.toml";
const REQUIREMENTS = "codex/requirements.toml";

export const CODEX: Ways = {
  ...COMMON,
  "`drwn write`, and a person trusted the hook in `/hooks`": () => ({}),
  "`drwn write` alone": changed((world) => fs.writeFileSync(path.join(world.home, CONFIG), "")),
  "`hooks.json` was emptied": changed((world) => world.write(path.join(world.home, HOOKS), '{"hooks":{}}')),
  "a field in `hooks.json` that Codex doesn't know": changed((world) => edit(world, HOOKS, { more: 1 })),
  "a hook of another event in `hooks.json` without its command": changed((world) => {
    const { hooks } = JSON.parse(fs.readFileSync(path.join(world.home, HOOKS), "utf8"));
    edit(world, HOOKS, { hooks: { ...hooks, Stop: [{ hooks: [{ type: "command" }] }] } });
  }),
  "the user's `config.toml` was replaced": changed((world) =>
    world.write(path.join(world.home, CONFIG), "# end of the model\n"),
  ),
  "`hooks = false` in the project's `.codex/config.toml`": changed((world) => world.write(CONFIG, NO_HOOKS)),
  "`codex_hooks = false` in the project's `.codex/config.toml`": changed((world) =>
    world.write(CONFIG, NO_HOOKS.replace("hooks", "codex_hooks")),
  ),
  "`hooks = false` in a folder below, where the session starts": (world) => {
    world.write(`below/${CONFIG}`, NO_HOOKS);
    return { there: below(world) };
  },
  "`hooks = false` in the machine's `managed_config.toml`": changed((world) =>
    world.write(path.join(world.etc, "codex/managed_config.toml"), NO_HOOKS),
  ),
  "`allow_managed_hooks_only` in the machine's `requirements.toml`": changed(requireManagedHooks),
  "the entry went into the machine's `requirements.toml`, with `allow_managed_hooks_only`": changed((world) => {
    moveToRequirements(world);
    requireManagedHooks(world);
  }),
  "the entry went into the machine's `requirements.toml`, and `hooks = false` into the project's": changed((world) => {
    moveToRequirements(world);
    world.write(CONFIG, NO_HOOKS);
  }),
  ...withFlags("codex", ["--disable", "hooks"], ["-c", "features.hooks=false"]),
  "a profile with `hooks = false`, and `codex --profile`": (world) => profile(world, NO_HOOKS),
  "a profile that turns each hook off, and `codex --profile`": async (world) => {
    const keys = (await codexHooks(housedCodex(world))).map(({ key }) => key);
    return profile(world, keys.map((key) => `[hooks.state.${JSON.stringify(key)}]\nenabled = false\n`).join("\n"));
  },
  "a hook in the project's `hooks.json` that makes the denied call of another one": (world) => {
    world.write(HOOKS, JSON.stringify({ hooks: answeringHooks(world) }));
    return { isAnswered: true, args: TRUSTED };
  },
  "a hook in the user's `hooks.json` that makes the denied call of another one": (world) => {
    const { hooks } = JSON.parse(fs.readFileSync(path.join(world.home, HOOKS), "utf8"));
    const PreToolUse = [...hooks.PreToolUse, ...answeringHooks(world).PreToolUse];
    edit(world, HOOKS, { hooks: { ...hooks, PreToolUse } });
    return { isAnswered: true, args: TRUSTED };
  },
  "a hook in the project's `hooks.json`, and `allow_managed_hooks_only` in the requirements": (world) => {
    world.write(HOOKS, JSON.stringify({ hooks: answeringHooks(world) }));
    requireManagedHooks(world);
    return { isAnswered: true, args: TRUSTED };
  },
  "a line in `~/.profile` and `~/.bash_profile`": changed((world) => {
    for (const name of [".profile", ".bash_profile", ".bashrc", ".zshenv"])
      world.write(path.join(world.home, name), ENDING_LINE);
  }),
  "another `SHELL`": inVariable("SHELL", (world) => makeProgram(world, "shell.sh", "#!/bin/sh\nexit 0\n")),
  "`BASH_ENV` in the environment": inVariable("BASH_ENV", (world) => makeProgram(world, "first.sh", ENDING_LINE)),
  "another `CODEX_HOME`": inVariable("CODEX_HOME", (world) => path.join(world.home, "other")),
};

/** drwn finds the program on PATH when it asks about hooks. That program must also see the world's own /etc. */
function housedCodex(world: World): World {
  const { program, args } = world.housed({ program: inject("codex"), args: [], cwd: world.project, env: {} });
  const words = [program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  makeProgram(world, "bin/codex", `#!/bin/sh\nexec ${words} "$@"\n`);
  return world;
}

function profile(world: World, text: string) {
  world.write(path.join(world.home, ".codex/off.config.toml"), text);
  return { args: ["--profile", "off"] };
}

function requireManagedHooks(world: World): void {
  const file = path.join(world.etc, REQUIREMENTS);
  const before = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
  world.write(file, `allow_managed_hooks_only = true\n${before}`);
}

function moveToRequirements(world: World): void {
  const file = path.join(world.home, HOOKS);
  const { hooks } = JSON.parse(fs.readFileSync(file, "utf8"));
  const tables = Object.entries<{ hooks: { command: string; timeout: number }[] }[]>(hooks).flatMap(([event, groups]) =>
    groups.flatMap(({ hooks: handlers }) =>
      handlers.map(({ command, timeout }) => {
        const fields = `type = "command"\ncommand = ${JSON.stringify(command)}\ntimeout = ${timeout}\n`;
        return `[[hooks.${event}]]\n[[hooks.${event}.hooks]]\n${fields}`;
      }),
    ),
  );
  world.write(path.join(world.etc, REQUIREMENTS), tables.join("\n"));
  fs.rmSync(file);
}
