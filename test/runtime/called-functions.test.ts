import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { expect, test } from "vitest";
import { allAdapters } from "../../src/agents/adapters/calls.ts";
import { layout } from "../../src/contract/layout.ts";
import { type ArmedHome, armHome, hookNode } from "../support/armed-home.ts";
import { eventOf } from "../support/conformance.ts";

// V8 compiles these functions of the hook programs while it reads them, in place of reading them twice: .scripts/compile-at-once.mjs.
// With DRWN_WRITE_CALLED set this test writes the list.

const ROOT = path.resolve(import.meta.dirname, "../..");
const LIST = path.join(ROOT, ".scripts/called-functions.json");

type Called = Record<string, string[]>;

const { hookPrograms }: { hookPrograms: (root: string) => { name: string; options: BuildOptions }[] } = await import(
  new URL("../../.scripts/hook-programs.mjs", import.meta.url).href
);
const { ownName }: { ownName: (name: string) => string } = await import(
  new URL("../../.scripts/compile-at-once.mjs", import.meta.url).href
);

const LOOKS = `{ beforeToolCall: ({ input }) => input.command === "rm" ? { action: "deny", reason: "no" } : undefined }`;

/** The program as text that V8's log can be read against. */
function buildPlain(name: string): string {
  const options = hookPrograms(ROOT).find((program) => program.name === name)?.options;
  return buildSync({ ...options, write: false, logLevel: "error" }).outputFiles[0]?.text ?? "";
}

/** The places in the program's text at which functions begin that ran in this call. */
function placesCalled({ home, key, project, world }: ArmedHome, program: string, given: string[], event: unknown) {
  const { execPath, version } = hookNode();
  const permission = Number.parseInt(version.slice(1), 10) < 22 ? "--experimental-permission" : "--permission";
  const log = path.join(world, "v8.log");
  const flags = ["--log-function-events", "--no-logfile-per-isolate", `--logfile=${log}`, "--no-opt", "--no-warnings"];
  const limits = [
    permission,
    `--allow-fs-read=${home}/`,
    `--allow-fs-write=${path.dirname(layout.journal(home, key))}/`,
  ];
  const argv = [...flags, ...limits, program, ...given, key, home, project, "", "50000"];
  const input = JSON.stringify(event);
  // Where nobody listens for its word, the process ends in order, and V8 writes its log.
  const closed = fs.openSync("/dev/null", "r");
  const stdio = ["pipe", "pipe", "pipe", "ignore", "ignore", closed] as const;
  const { status, stderr } = spawnSync(execPath, argv, {
    cwd: project,
    input,
    encoding: "utf8",
    env: {},
    stdio: [...stdio],
  });
  fs.closeSync(closed);
  expect([status, stderr]).toEqual([100, ""]);
  const lines = fs
    .readFileSync(log, "utf8")
    .split("\n")
    .map((line) => line.split(","));
  const id = lines.find(([kind, , file]) => kind === "script-details" && file === program)?.[1];
  const isRun = ([, what, script]: string[]): boolean => what === "first-execution" && script === id;
  return new Set(lines.filter(isRun).map((line) => Number(line[3])));
}

/** Functions at the top of modules that begin at one of the places. */
function namesAt(text: string, places: ReadonlySet<number>): [string, string][] {
  const modules = [...text.matchAll(/^\/\/ (\S+\.ts)$/gmu)];
  return [...text.matchAll(/^(?:async )?function\*? ([\w$]+)\(/gmu)].flatMap((found): [string, string][] => {
    const module = modules.findLast(({ index }) => index < found.index);
    const isCalled = places.has(found.index + found[0].length - 1);
    return module?.[1] === undefined || found[1] === undefined || !isCalled ? [] : [[module[1], ownName(found[1])]];
  });
}

function findCalled(): Called {
  const few = [{ policy: LOOKS }];
  const many = Array.from({ length: 25 }, () => ({ policy: LOOKS, matcher: "Bash" }));
  const worlds = [armHome(few), armHome(many)];
  const found = new Map<string, Set<string>>();
  const warm = new Set<ArmedHome>();
  const look = (name: string, given: string[], events: readonly unknown[], armed: readonly ArmedHome[]): void => {
    const text = buildPlain(name);
    for (const world of armed) {
      const program = path.join(world.home, "bin", `plain-${name}`);
      fs.writeFileSync(program, text);
      // The first calls of a journal are no ordinary ones.
      for (let i = 0; i < 2 && !warm.has(world); i++) placesCalled(world, program, given, events[0]);
      warm.add(world);
      for (const event of events) {
        for (const [file, called] of namesAt(text, placesCalled(world, program, given, event))) {
          found.set(file, (found.get(file) ?? new Set()).add(called));
        }
      }
    }
  };
  for (const { runtime } of allAdapters()) {
    const event = eventOf(runtime, "pre-tool", worlds[0]?.project ?? "");
    look(`hook-${runtime}.cjs`, [runtime, "pre"], [event], runtime === "claude-code" ? worlds : worlds.slice(0, 1));
  }
  const denied = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm" } };
  look("hook-claude-code.cjs", ["claude-code", "pre"], [denied], worlds);
  const prompts = [{ policy: "{ run: () => undefined }", phases: ["prompt.submit" as const] }];
  const prompt = { hook_event_name: "UserPromptSubmit", prompt: "go on" };
  look("hook.cjs", ["claude-code", "prompt.submit"], [prompt], [armHome(prompts)]);
  const entries = [...found].map(([file, names]): [string, string[]] => [file, [...names].sort()]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

test("the functions that are compiled at once are those that an ordinary event calls", () => {
  const called = findCalled();
  if (process.env["DRWN_WRITE_CALLED"]) fs.writeFileSync(LIST, `${JSON.stringify(called, null, 2)}\n`);
  expect(JSON.parse(fs.readFileSync(LIST, "utf8")), "run this test with DRWN_WRITE_CALLED=1").toEqual(called);
});
