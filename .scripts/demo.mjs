// What a person gets, with the real CLI in a throw-away home and project: `drwn init --yes` consents to the catalogue's own
// guards and writes them, and tool calls arrive through the exact hook command that it put into the settings. Exits with 0
// only if each was denied or let through as it should be, and doctor is clean. Needs no network.
//
// node demo.mjs [program]: uses the drwn installed at that path instead of this checkout's.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

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

/** Runs one command of the real CLI, and prints those lines of its answer that match. */
function run(shown, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, [...first, ...args], {
    cwd: project,
    env,
    encoding: "utf8",
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`drwn ${args.join(" ")} ended with ${status}: ${stderr}`);
  console.log(`$ drwn ${args.join(" ")}`);
  for (const line of stdout.split("\n").filter((one) => shown.test(one))) console.log(tidy(line));
}

/** Sends Claude Code's own event for a Bash call through the hook command in the settings; the reason of a denial, or null. */
function callBash(command) {
  const settings = JSON.parse(fs.readFileSync(path.join(home, ".claude/settings.json"), "utf8"));
  const hook = settings.hooks.PreToolUse[0].hooks[0];
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
  const [file, words] = hook.args === undefined ? ["/bin/sh", ["-c", hook.command]] : [hook.command, hook.args];
  const answer = spawnSync(file, words, {
    cwd: project,
    env: { ...env, CLAUDE_PROJECT_DIR: project },
    input: JSON.stringify(event),
    encoding: "utf8",
  });
  if (answer.status !== 0) throw new Error(`the hook ended with ${answer.status}: ${answer.stderr}`);
  const said = answer.stdout === "" ? undefined : JSON.parse(answer.stdout).hookSpecificOutput;
  const isDenied = said?.permissionDecision === "deny";
  console.log(`Claude Code calls: ${command}`);
  console.log(`  ${isDenied ? `denied: ${said.permissionDecisionReason.split("\n")[0]}` : "let through"}`);
  return isDenied;
}

try {
  // Claude Code is used here.
  fs.mkdirSync(path.join(home, ".claude"), { recursive: true });
  fs.mkdirSync(project);
  run(/^(?:Added|Guarded)/, "init", "--yes");
  for (const command of ["git push --force", "rm -rf ~", "cat .env"])
    if (!callBash(command)) throw new Error(`${command} was not denied`);
  if (callBash("git status")) throw new Error("a harmless call was not let through");
  run(/^Everything/, "doctor");
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
