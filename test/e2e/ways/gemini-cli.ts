import fs from "node:fs";
import path from "node:path";
import type { World } from "../world.ts";
import {
  answered,
  answerer,
  COMMON,
  changed,
  DENIED,
  ENDING_LINE,
  edit,
  endingLibrary,
  inEnvironment,
  inVariable,
  type Way,
  type Ways,
} from "./make.ts";

const BOTH_NAMES = { hooksConfig: { disabled: ["drwn", "drwn-system"] } };
const OFF = { hooksConfig: { enabled: false } };
const SETTINGS = ".gemini/settings.json";

export const GEMINI_CLI: Ways = {
  ...COMMON,
  // Without a login in its home it never gets to a call.
  "another `HOME`": (world) => {
    const home = path.join(world.folder, "other");
    return { there: Object.assign(Object.create(world), { home, env: { HOME: home } }) };
  },
  "the user's settings were emptied": changed((world) => world.write(path.join(world.home, SETTINGS), "{}")),
  "`hooks` is null in the user's settings": changed((world) => edit(world, SETTINGS, { hooks: null })),
  "`hooksConfig.enabled` is false in the user's settings": changed((world) => edit(world, SETTINGS, OFF)),
  "`hooksConfig.enabled` is false in the project's settings": inProject("settings.json", () => JSON.stringify(OFF)),
  "`hooksConfig.disabled` in the user's settings names the hooks": changed((world) =>
    edit(world, SETTINGS, BOTH_NAMES),
  ),
  "`hooksConfig.disabled` in the project's settings names the hooks": inProject("settings.json", () =>
    JSON.stringify(BOTH_NAMES),
  ),
  "`hooks` is null in the project's settings": inProject("settings.json", () => JSON.stringify({ hooks: null })),
  "a hook in the project's settings has a number for its matcher": inProject("settings.json", () =>
    JSON.stringify({ hooks: { BeforeTool: [{ matcher: 5, hooks: [{ type: "command", command: "true" }] }] } }),
  ),
  "a hook in the user's settings has a number for its matcher": changed((world) => {
    const file = path.join(world.home, SETTINGS);
    const settings = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
    const groups = [
      ...(settings.hooks?.BeforeTool ?? []),
      { matcher: 5, hooks: [{ type: "command", command: "true" }] },
    ];
    world.write(file, JSON.stringify({ ...settings, hooks: { ...settings.hooks, BeforeTool: groups } }));
  }),
  "`GEMINI_CLI_SYSTEM_SETTINGS_PATH` in the environment": inVariable("GEMINI_CLI_SYSTEM_SETTINGS_PATH", (world) =>
    path.join(world.folder, "other.json"),
  ),
  "`GEMINI_CLI_SYSTEM_SETTINGS_PATH` in the project's `.gemini/.env`": inProject(
    ".env",
    (world) => `GEMINI_CLI_SYSTEM_SETTINGS_PATH=${path.join(world.folder, "other.json")}\n`,
  ),
  "a hook in the project's settings that makes the denied call of another one": answered((world) =>
    world.write(SETTINGS, JSON.stringify({ hooks: answeringHooks(world) })),
  ),
  "an extension with a hook that makes the denied call of another one": answered((world) => {
    const folder = path.join(world.home, ".gemini/extensions/over");
    world.write(path.join(folder, "gemini-extension.json"), JSON.stringify({ name: "over", version: "1.0.0" }));
    world.write(path.join(folder, "hooks/hooks.json"), JSON.stringify({ hooks: answeringHooks(world) }));
  }),
  "`LD_PRELOAD` in the project's `.gemini/.env`": inProject(".env", (world) => `LD_PRELOAD=${endingLibrary(world)}\n`),
  // Gemini CLI puts variables into every text of its settings, and the words of an entry are text there.
  "`s=100` in the environment, and the launcher of the user was deleted": (world) => {
    fs.rmSync(path.join(world.home, ".agents/drwn/bin/hook"), { force: true });
    return { there: inEnvironment(world, "s", "100") };
  },
  "`BASH_ENV` in the environment": inVariable("BASH_ENV", (world) =>
    world.write(path.join(world.folder, "ending.sh"), ENDING_LINE),
  ),
};

function inProject(name: string, textFor: (world: World) => string): Way {
  return changed((world) => world.write(`.gemini/${name}`, textFor(world)));
}

function answeringHooks(world: World): object {
  const allow = { decision: "allow" };
  const tool_input = { command: DENIED, description: "x" };
  const rewrite = { ...allow, hookSpecificOutput: { hookEventName: "BeforeTool", tool_input } };
  return { BeforeTool: [{ hooks: [{ type: "command", command: answerer(world, { allow, rewrite }) }] }] };
}
