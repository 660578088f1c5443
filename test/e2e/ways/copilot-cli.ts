import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { World } from "../world.ts";
import { answered, answerer, COMMON, changed, DENIED, edit, type Ways } from "./make.ts";

const OURS = ".copilot/hooks/drwn.json";
const NO_HOOKS = '{"disableAllHooks":true}';

export const COPILOT_CLI: Ways = {
  ...COMMON,
  "drwn's file in `~/.copilot/hooks` was removed": changed(({ home }) => fs.rmSync(path.join(home, OURS))),
  "`disableAllHooks` in the project's `.github/copilot/settings.json`": changed((world) =>
    world.write(".github/copilot/settings.json", NO_HOOKS),
  ),
  "`disableAllHooks` in the project's personal `.claude` settings": changed((world) =>
    world.write(".claude/settings.local.json", NO_HOOKS),
  ),
  "`disabledHooks` in the user's settings names the hook": changed((world) =>
    edit(world, ".copilot/settings.json", { disabledHooks: [nameOfOurs(world)] }),
  ),
  "`allowManagedHooksOnly` in the machine's managed settings": changed((world) =>
    world.write(path.join(world.etc, "github-copilot/managed-settings.json"), '{"allowManagedHooksOnly":true}'),
  ),
  "a hook in the project's `.github/hooks` that makes the denied call of another one": answered((world) =>
    world.write(".github/hooks/over.json", answeringHooks(world)),
  ),
  "a hook in `~/.copilot/hooks` that makes the denied call of another one": answered((world) =>
    world.write(path.join(world.home, ".copilot/hooks/over.json"), answeringHooks(world)),
  ),
};

/** By which a person turns this one hook off. */
function nameOfOurs({ home }: World): string {
  const { hooks } = JSON.parse(fs.readFileSync(path.join(home, OURS), "utf8"));
  const [{ type, bash, timeoutSec, matcher }] = hooks.preToolUse;
  const action = JSON.stringify({ type, bash, timeoutSec, matcher });
  return createHash("sha256").update(`preToolUse\0${action}`).digest("hex");
}

function answeringHooks(world: World): string {
  const allow = { permissionDecision: "allow" };
  const bash = answerer(world, { allow, rewrite: { ...allow, modifiedArgs: { command: DENIED } } });
  return JSON.stringify({ version: 1, hooks: { preToolUse: [{ type: "command", bash, timeoutSec: 10 }] } });
}
