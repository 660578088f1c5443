import fs from "node:fs";
import path from "node:path";
import { endlessLoop, guard, shellGuard } from "./policies.mjs";
import { drwn, drwnBinary, hookStart, installCard, makeSignedWorld, snapshot } from "./world.mjs";

export const BASE = "node -e 0";

export const HARMFUL = "cd /srv && rm -rf / --no-preserve-root";
const HARMLESS = "git status";

/** What `node -e 0` takes on the machine for which the times of `drwn write` were set: 16 to 19 ms. */
const REFERENCE_MS = 17.5;

/** So many milliseconds there, as a ratio: what every machine can be held to. */
function onReference(milliseconds) {
  return { ratio: Math.round((milliseconds / REFERENCE_MS) * 10) / 10 };
}

/**
 * What is measured, each with its target: at most this ratio to the base, or this many milliseconds.
 * @param {string} folder where the throwaway homes are made
 * @returns {(import("./measure.mjs").Row & { target?: { ratio: number } | { milliseconds: number } })[]}
 */
export function makeRows(folder) {
  return [...hotRows(folder), ...manyRows(makeMany(path.join(folder, "many")))];
}

function hotRows(folder) {
  const one = armed(path.join(folder, "one"), { guard: shellGuard });
  const loop = armed(path.join(folder, "loop"), { loop: endlessLoop });
  const outside = path.join(folder, "outside");
  fs.mkdirSync(outside);
  const wide = makeSignedWorld(path.join(folder, "wide"));
  installCard(wide, "guards", { guard: shellGuard }, ["--global"]);
  drwn(wide, "write", "--global");
  return [
    { name: BASE, program: process.execPath, args: ["-e", "0"], cwd: one.project, env: one.env },
    { ...hookRow("one event, one policy", one, HARMFUL), target: { ratio: 1.3 }, fault: isDenied },
    { ...hookRow("outside every granted project", one, HARMFUL, outside), target: { ratio: 0.15 }, fault: isSilent },
    { ...hookRow("outside, one global policy", wide, HARMFUL, outside), target: { ratio: 1.3 }, fault: isDenied },
    {
      ...hookRow("endless loop, timeoutMs 500", loop, HARMFUL),
      target: { milliseconds: 800 },
      fault: isDenied,
      every: 4,
    },
    { ...cliRow("drwn status", one, "status"), target: { ratio: 6 }, every: 4 },
  ];
}

function manyRows({ cold, written, restore }) {
  return [
    { ...hookRow("one event, 100 policies, 30 match", written, HARMLESS), target: { ratio: 1.7 }, fault: isSilent },
    {
      ...cliRow("drwn write, 100 policies, cold", cold, "write"),
      target: onReference(350),
      every: 4,
      prepare: restore,
    },
    { ...cliRow("drwn write, 100 policies, unchanged", written, "write"), target: onReference(150), every: 4 },
  ];
}

function armed(folder, policies) {
  const world = makeSignedWorld(folder);
  installCard(world, "guards", policies);
  drwn(world, "write");
  return world;
}

/** Two worlds with ten cards of ten policies each: one that is written, and one that `restore` makes unwritten again. */
function makeMany(folder) {
  const [cold, written] = ["cold", "written"].map((name) => {
    const world = makeSignedWorld(path.join(folder, name));
    for (let card = 0; card < 10; card++) installCard(world, `guards-${card}`, tenPolicies());
    return world;
  });
  drwn(written, "write");
  return { cold, written, restore: snapshot(cold) };
}

/** Three of ten want the shell. */
function tenPolicies() {
  const matchers = ["Bash", "Bash", "Bash", "Read", "Write", "Edit", "Grep", "WebFetch", "mcp__*", "Task"];
  return Object.fromEntries(matchers.map((matcher, index) => [`guard-${index}`, guard(matcher)]));
}

export function hookRow(name, world, command, cwd = world.project, event = "PreToolUse") {
  return {
    name,
    ...hookStart(world, { event }),
    cwd,
    env: { ...world.env, CLAUDE_PROJECT_DIR: cwd },
    stdin: eventIn(cwd, command),
  };
}

function cliRow(name, world, ...args) {
  return { name, program: process.execPath, args: [drwnBinary, ...args], cwd: world.project, env: world.env };
}

export function eventIn(cwd, command) {
  return JSON.stringify({
    session_id: "4f6b1f7e-7d1c-4a52-9a0e-2f6f3c1f0c55",
    transcript_path: path.join(cwd, "transcript.jsonl"),
    cwd,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command, description: "a step" },
    tool_use_id: "toolu_bench",
  });
}

export function isDenied({ stdout, status }) {
  return status === 0 && /"permissionDecision":\s*"deny"/u.test(stdout) ? undefined : `no deny, exit code ${status}`;
}

export function isSilent({ stdout, status }) {
  return status === 0 && stdout === "" ? undefined : `not silent, exit code ${status}`;
}
