import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const drwnBinary = fileURLToPath(new URL("../../bin/drwn.js", import.meta.url));

/**
 * A throwaway home with an empty project.
 * @param {string} folder
 */
export function makeWorld(folder) {
  const home = path.join(folder, "home");
  const project = path.join(folder, "project");
  // Claude Code is used here.
  fs.mkdirSync(path.join(home, ".claude"), { recursive: true, mode: 0o700 });
  fs.mkdirSync(project);
  const env = {
    HOME: home,
    DRWN_HOME: path.join(home, ".agents", "drwn"),
    CLAUDE_CONFIG_DIR: path.join(home, ".claude"),
    NO_COLOR: "1",
  };
  return { folder, home, project, env };
}

/**
 * A world with an initialised project and one publisher: policies of cards that nobody signed would not share a process.
 * @param {string} folder
 */
export function makeSignedWorld(folder) {
  const world = makeWorld(folder);
  drwn(world, "init");
  drwn(world, "key", "new", "@bench");
  return world;
}

export function drwn(world, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [drwnBinary, ...args], {
    cwd: world.project,
    env: { PATH: process.env.PATH, ...world.env },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`exit code ${status} of: drwn ${args.join(" ")}\n${stdout}\n${stderr}`);
}

/**
 * Publishes one card with these policies (by hook name), adds it and consents to it. Nothing is written yet.
 * @param {string} name without the scope
 * @param {Record<string, string>} policies
 * @param {string[]} flags of whatever else than the project it is for
 */
export function installCard(world, name, policies, flags = []) {
  const sources = path.join(world.folder, "sources");
  const source = path.join(sources, name);
  drwn(world, "card", "new", `@bench/${name}`, "--into", sources);
  writeHooks(source, policies);
  drwn(world, "card", "publish", source);
  drwn(world, "add", ...flags, `@bench/${name}`);
  drwn(world, "card", "trust", ...flags, `@bench/${name}`, "--hooks", "--yes");
}

/** By hand: a hundred `card source add-hook` would take longer than all that is measured. */
function writeHooks(source, policies) {
  for (const [hook, policy] of Object.entries(policies)) {
    fs.mkdirSync(path.join(source, "hooks", hook), { recursive: true });
    fs.writeFileSync(path.join(source, "hooks", hook, "policy.ts"), policy);
    fs.writeFileSync(path.join(source, "hooks", hook, "README.md"), `# ${hook}\n`);
  }
  const file = path.join(source, "card.json");
  const manifest = JSON.parse(fs.readFileSync(file, "utf8"));
  manifest.hooks = { include: Object.keys(policies) };
  fs.writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

/** What `write` put into the user's settings for an event, as the agent would start it: a program with words, or a line. */
export function hookStart(world, { file = ".claude/settings.json", event = "PreToolUse" } = {}) {
  const settings = JSON.parse(fs.readFileSync(path.join(world.home, file), "utf8"));
  const handlers = settings.hooks[event].flatMap(({ hooks }) => hooks);
  if (handlers.length !== 1) throw new Error(`expected one hook of ${event}, found ${handlers.length}`);
  const { command, args } = handlers[0];
  return args === undefined ? { program: "/bin/sh", args: ["-c", command] } : { program: command, args };
}

/** Another world that is the same, in a folder of its own. */
export function copyWorld(world, folder) {
  const copy = makeWorld(folder);
  for (const part of ["home", "project"]) {
    removeFolder(copy[part]);
    copyFolder(world[part], copy[part]);
  }
  return copy;
}

/** Puts home and project back to what they are at this moment, each time the returned function is called. */
export function snapshot(world) {
  const folders = [world.home, world.project];
  const copyOf = (folder) => `${folder}.snapshot`;
  // cp, since fs.cpSync keeps neither the modes of folders nor hard links.
  for (const folder of folders) copyFolder(folder, copyOf(folder));
  return () => {
    for (const folder of folders) {
      removeFolder(folder);
      copyFolder(copyOf(folder), folder);
    }
  };
}

/** The store is read-only on purpose: its folders must be made writable before they can be emptied. */
export function removeFolder(folder) {
  if (!fs.existsSync(folder)) return;
  run("chmod", "-R", "u+rwX", folder);
  fs.rmSync(folder, { recursive: true, force: true });
}

function copyFolder(from, to) {
  run("cp", "-a", from, to);
}

function run(program, ...args) {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
}
