// The main job, with the real CLI in a throw-away home and project: a guard is scaffolded, published, installed, consented
// to and written, and then denies a tool call that arrives through the exact hook command that `write` put into the
// settings. Exits with 0 only if the deny happened and doctor is clean. Needs no network.
//
// node demo.mjs [program]: uses the drwn installed at that path instead of this checkout's.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { GUARD } from "./guard.mjs";

const [installed] = process.argv.slice(2);
const [program, ...first] =
  installed === undefined
    ? [process.execPath, fileURLToPath(new URL("../bin/drwn.js", import.meta.url))]
    : [path.resolve(installed)];
const world = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-demo-")));
const home = path.join(world, "home");
const project = path.join(world, "my-project");
const env = { PATH: process.env.PATH, HOME: home, NO_COLOR: "1" };

const tidy = (text) => text.replaceAll(world, "~demo");

/** Runs one command of the real CLI, and prints it with its output. */
function run(...args) {
  console.log(`\n$ drwn ${args.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(" ")}`);
  const { status, stdout, stderr, error } = spawnSync(program, [...first, ...args], {
    cwd: project,
    env,
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  process.stdout.write(tidy(stderr + stdout));
  if (status !== 0) throw new Error(`drwn ${args.join(" ")} ended with ${status}`);
  return stdout;
}

/** Sends Claude Code's own event for a Bash call through the hook command in the settings. */
function callBash(command) {
  const settings = JSON.parse(fs.readFileSync(path.join(home, ".claude/settings.json"), "utf8"));
  const hook = settings.hooks.PreToolUse[0].hooks[0].command;
  const event = {
    session_id: "demo",
    transcript_path: path.join(home, ".claude/projects/demo.jsonl"),
    cwd: project,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command, description: "demo" },
    tool_use_id: "toolu_demo",
  };
  const answer = spawnSync("/bin/sh", ["-c", hook], {
    cwd: project,
    env: { ...env, CLAUDE_PROJECT_DIR: project },
    input: JSON.stringify(event),
    encoding: "utf8",
  });
  console.log(`\nClaude Code wants to run: ${command}`);
  console.log(`the hook answers: ${answer.stdout === "" ? "nothing, the call proceeds" : answer.stdout.trim()}`);
  if (answer.status !== 0) throw new Error(`the hook ended with ${answer.status}: ${answer.stderr}`);
  return answer.stdout === "" ? undefined : JSON.parse(answer.stdout).hookSpecificOutput;
}

try {
  // Claude Code is used here.
  fs.mkdirSync(path.join(home, ".claude"), { recursive: true });
  fs.mkdirSync(project);
  run("card", "new", "@me/backend");
  run("card", "source", "add-hook", "@me/backend", "guard-rm");
  const source = path.join(home, ".agents/drwn/sources/@me/backend/hooks/guard-rm/policy.ts");
  fs.writeFileSync(source, GUARD);
  console.log(`\n# hooks/guard-rm/policy.ts is now:\n${GUARD}`);
  run("card", "source", "doctor", "@me/backend");
  run("card", "publish", "@me/backend");
  run("init");
  run("add", "@me/backend@^1.0.0");
  run("card", "trust", "@me/backend", "--hooks", "--yes");
  run("write");
  const denied = callBash("rm -rf build");
  const allowed = callBash("ls");
  run("doctor");
  const { ok, findings } = JSON.parse(run("doctor", "--json"));
  if (denied?.permissionDecision !== "deny") throw new Error("the call was not denied");
  if (allowed !== undefined) throw new Error("a harmless call was not let through");
  if (!ok || findings.length > 0) throw new Error("doctor found something");
  console.log("\nThe guard denied the call, the harmless call went through, and doctor is clean.");
} catch (error) {
  console.error(`\ndemo failed: ${tidy(error.message)}`);
  process.exitCode = 1;
} finally {
  makeRemovable(world);
  fs.rmSync(world, { recursive: true, force: true });
}

/** The store is read-only, folders included. */
function makeRemovable(folder) {
  fs.chmodSync(folder, 0o700);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeRemovable(path.join(folder, entry.name));
  }
}
