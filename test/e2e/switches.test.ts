import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import type { Runtime } from "../../src/policy/event.ts";
import { bash, runClaude } from "./claude.ts";
import { runCodex, shell, withCodexOnPath } from "./codex.ts";
import { armGuard, diagnose } from "./drwn.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { denyTouch } from "./policies.ts";
import { commandsOf, runOther } from "./run-others.ts";
import { World, whyNoEtc } from "./world.ts";

/** A file below `~`, `/etc` or the project, and the content to add to it. */
type Switch = readonly [file: string, content: object | string | ((world: World) => object)];

interface Agent {
  runtime: Runtime;
  client?: OtherClient;
  /** Lets the agent try what the guard denies. */
  run: (world: World) => Promise<unknown>;
  /** What turns its hooks off, by what doctor says about it. */
  switches: Readonly<Record<string, readonly Switch[]>>;
}

function runScript(client: OtherClient): Pick<Agent, "client" | "run"> {
  return { client, run: (world) => runOther(client, world, { steps: commandsOf(client, COMMAND) }) };
}

const COMMAND = "touch ran.txt";
const ALL = { disableAllHooks: true };
const NO_HOOKS = "[features]\nhooks = false\n";
const OFF = { hooksConfig: { enabled: false } };
const WITHOUT_US = { hooksConfig: { disabled: ["drwn"] } };

/** The setting with which a person turns one hook off in Copilot CLI. */
function disableDrwn({ home }: World): object {
  const { hooks } = JSON.parse(fs.readFileSync(path.join(home, ".copilot", "hooks", "drwn.json"), "utf8"));
  const [{ type, bash, timeoutSec, matcher }] = hooks.preToolUse;
  const action = JSON.stringify({ type, bash, timeoutSec, matcher });
  return { disabledHooks: [createHash("sha256").update(`preToolUse\0${action}`).digest("hex")] };
}

const AGENTS: readonly Agent[] = [
  {
    runtime: "claude-code",
    run: (world) => runClaude(world, { steps: bash(COMMAND) }),
    switches: {
      "hooks-disabled": [
        ["~/.claude/settings.json", ALL],
        ["~/.claude/settings.json", { env: { CLAUDE_CODE_SIMPLE: "1" } }],
        ["~/.claude/settings.json", { env: { CLAUDE_CODE_SAFE_MODE: "true" } }],
        [".claude/settings.json", ALL],
        [".claude/settings.local.json", ALL],
      ],
      "hooks-managed": [
        ["/etc/claude-code/managed-settings.json", ALL],
        ["/etc/claude-code/managed-settings.d/more.json", { allowManagedHooksOnly: true }],
      ],
    },
  },
  {
    runtime: "codex",
    run: (world) => runCodex(world, { steps: shell(COMMAND) }),
    switches: {
      "codex-hook-missing": [
        [".codex/config.toml", NO_HOOKS],
        ["/etc/codex/config.toml", NO_HOOKS],
        ["/etc/codex/requirements.toml", "allow_managed_hooks_only = true\n"],
      ],
    },
  },
  {
    runtime: "copilot-cli",
    ...runScript("copilot"),
    switches: {
      "hooks-disabled": [
        [".github/copilot/settings.json", ALL],
        ["~/.copilot/settings.json", disableDrwn],
        [".claude/settings.local.json", ALL],
      ],
      "hooks-managed": [
        ["/etc/github-copilot/managed-settings.json", { allowManagedHooksOnly: true }],
        ["/etc/github-copilot/managed-settings.json", { strictPluginOnlyCustomization: ["hooks"] }],
      ],
    },
  },
  {
    runtime: "gemini-cli",
    ...runScript("gemini"),
    switches: {
      "hooks-disabled": [
        ["~/.gemini/settings.json", OFF],
        [".gemini/settings.json", WITHOUT_US],
      ],
      "hooks-managed": [
        ["/etc/gemini-cli/settings.json", WITHOUT_US],
        ["/etc/gemini-cli/system-defaults.json", OFF],
      ],
    },
  },
];

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.remove());

test.for(AGENTS.map((agent) => [agent.runtime, agent] as const))(
  "doctor names whatever keeps %s from running hooks, and without hooks nothing is held",
  { timeout: 600_000 },
  async ([runtime, { client, run, switches }], { skip }) => {
    if (client !== undefined) skip(inject("others")[client] === undefined, missing(client));
    const reason = whyNoEtc();
    skip(reason !== undefined, reason);
    if (runtime === "codex") fs.mkdirSync(path.join(world.home, ".codex"));
    await armGuard(world, denyTouch, runtime);
    expect(await outcome(runtime, run)).toEqual({
      ran: false,
      codes: expect.not.arrayContaining(Object.keys(switches)),
    });
    for (const [code, places] of Object.entries(switches)) {
      for (const place of places) {
        const undo = turn(place);
        expect([place, await outcome(runtime, run)]).toEqual([
          place,
          { ran: true, codes: expect.arrayContaining([code]) },
        ]);
        undo();
      }
    }
  },
);

/** Whether the call was made, and what doctor finds. */
async function outcome(runtime: Runtime, run: Agent["run"]): Promise<{ ran: boolean; codes: string[] }> {
  fs.rmSync(world.at("ran.txt"), { force: true });
  await run(world);
  const { findings } = await diagnose(world, runtime === "codex" ? withCodexOnPath(world) : {});
  return { ran: world.has("ran.txt"), codes: findings.map(({ code }) => code) };
}

/** Turns the switch, and returns a function that turns it back. */
function turn([name, given]: Switch): () => void {
  const content = typeof given === "function" ? given(world) : given;
  const file = placeOf(name);
  const before = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : null;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const text = typeof content === "string" ? content : JSON.stringify({ ...JSON.parse(before ?? "{}"), ...content });
  fs.writeFileSync(file, text);
  return () => {
    if (before === null) fs.rmSync(file);
    else fs.writeFileSync(file, before);
    fs.rmSync(world.etc, { recursive: true, force: true });
  };
}

function placeOf(name: string): string {
  if (name.startsWith("~/")) return path.join(world.home, name.slice(2));
  return name.startsWith("/etc/") ? path.join(world.etc, name.slice(5)) : world.at(name);
}
