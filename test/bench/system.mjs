import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { shellGuard } from "./policies.mjs";
import { armed, BASE, eventIn, HARMLESS, isSilent } from "./rows.mjs";
import { drwnBinary, hookCommand } from "./world.mjs";

/** Set where this process has an /etc of its own. */
const OWN_ETC = "DRWN_BENCH_OWN_ETC";

/** Runs the bench once more with an /etc of its own, as root. False: this is that run. */
export function runInOwnEtc(folder) {
  if (process.env[OWN_ETC]) return false;
  const etc = path.join(folder, "etc");
  fs.mkdirSync(etc);
  // Without the last, every program looks for its libraries in twenty folders.
  for (const name of ["passwd", "group", "nsswitch.conf", "ld.so.cache"]) {
    if (fs.existsSync(`/etc/${name}`)) fs.cpSync(`/etc/${name}`, path.join(etc, name));
  }
  const words = [
    "-m",
    "sh",
    "-c",
    'mount --bind "$0" /etc && exec "$@"',
    etc,
    process.execPath,
    ...process.argv.slice(1),
  ];
  const { status } = spawnSync("unshare", words, { env: { ...process.env, [OWN_ETC]: "1" }, stdio: "inherit" });
  if (status !== 0) throw new Error("it takes root, and unshare, to measure a floor of root's");
  return true;
}

/**
 * One policy of root's and one of a project's: an agent starts an entry for each, one after the other or both at once.
 * @param {string} folder where the throwaway home is made
 */
export function systemRows(folder) {
  const world = armed(path.join(folder, "one"), { guard: shellGuard });
  asRoot("add", "--system", path.join(world.folder, "sources", "guards"));
  asRoot("card", "trust", "--system", "@bench/guards", "--hooks", "--yes");
  asRoot("write", "--system");
  const managed = JSON.parse(fs.readFileSync("/etc/claude-code/managed-settings.d/50-drwn.json", "utf8"));
  const { command, args } = managed.hooks.PreToolUse[0].hooks[0];
  const roots = { program: command, args };
  const users = { program: "/bin/sh", args: ["-c", hookCommand(world)] };
  const row = {
    cwd: world.project,
    env: { ...world.env, CLAUDE_PROJECT_DIR: world.project },
    stdin: eventIn(world.project, HARMLESS),
    fault: isSilent,
  };
  const both = { ...row, starts: [roots, users] };
  return [
    { name: BASE, program: process.execPath, args: ["-e", "0"], cwd: world.project, env: world.env },
    { ...row, name: "a project's policy alone", ...users },
    { ...row, name: "root's policy alone", ...roots },
    { ...both, name: "root's and a project's policy, in turn", target: { ratio: 2.4 } },
    { ...both, name: "root's and a project's policy, at once", isAtOnce: true, target: { ratio: 1.6 } },
  ];
}

function asRoot(...args) {
  const { status, stderr } = spawnSync(process.execPath, [drwnBinary, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`exit code ${status} of: drwn ${args.join(" ")}\n${stderr}`);
}
