import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { trustHooks } from "../codex.ts";
import { applyGuard, drwn, drwnBinary, publishGuard } from "../drwn.ts";
import { denyTouch } from "../policies.ts";
import { INSTALLED, World } from "../world.ts";
import { movedProject } from "./make.ts";
import type { Scope } from "./rows.ts";

const armed = new Map<Scope, { world: World; copy: string }>();

/** A world with a guard in every agent, as fresh as new: making one takes longer than what is tried in it. */
export async function armedWorld(scope: Scope): Promise<World> {
  const { world, copy } = armed.get(scope) ?? (await arm(scope));
  // Consents are for this folder; another folder in its place is another project.
  if (!fs.existsSync(world.project)) fs.renameSync(movedProject(world), world.project);
  const stale = fs.readdirSync(world.folder).filter((name) => path.join(world.folder, name) !== world.project);
  for (const name of [...stale, ...fs.readdirSync(world.project).map((inside) => `project/${inside}`)])
    execFileSync("rm", ["-rf", path.join(world.folder, name)]);
  execFileSync("cp", ["-a", `${copy}/.`, world.folder]);
  return world;
}

/** The next test file in this process makes worlds of its own. */
export function removeWorlds(): void {
  for (const { world, copy } of armed.values()) execFileSync("rm", ["-rf", world.folder, world.installed, copy]);
  armed.clear();
}

async function arm(scope: Scope): Promise<{ world: World; copy: string }> {
  const world = new World();
  // After this line `runCodex` leaves what a case has written.
  world.write(path.join(world.home, ".codex/config.toml"), "# end of the model\n");
  await publishGuard(world, denyTouch);
  if (scope === "user") await armUser(world);
  else await armSystem(world);
  const both = { world, copy: `${world.folder}-as-made` };
  execFileSync("cp", ["-a", world.folder, both.copy]);
  armed.set(scope, both);
  return both;
}

/** Sets up a user's project, with the entries in the user's settings. */
async function armUser(world: World): Promise<void> {
  await drwn(world, "init");
  await drwn(world, "add", "@me/guard");
  await applyGuard(world, ["claude-code", "codex", "gemini-cli", "copilot-cli", "opencode"]);
  await trustHooks(world);
}

/** Sets up root's floor of the same card in the world's own /etc. No user has consented to anything. */
async function armSystem(world: World): Promise<void> {
  await drwn(world, "card", "pack", path.join(world.folder, "sources/guard"));
  const tarball = fs.readdirSync(world.project).find((name) => name.endsWith(".tgz")) ?? "";
  fs.mkdirSync(world.etc);
  world.user = NOBODY;
  // Nothing can be written through the overlay, so the floor is made in a folder that is then put in front of /etc. Root
  // runs a copy of its own: the checkout may lie where other users could change it.
  const checkout = path.dirname(path.dirname(drwnBinary));
  execFileSync(
    "unshare",
    ["-m", "sh", "-c", MAKE, world.etc, process.execPath, checkout, world.at(tarball), world.installed],
    {
      env: { ...world.env, PATH: process.env["PATH"] },
      stdio: "pipe",
    },
  );
}

/** Root's floor is for users, so none of its sessions is root's. */
const NOBODY = "65534";

const MAKE = `set -e
mkdir "$0/../made" "$4" "$4/node_modules"
(cd "$2" && cp -r bin dist templates package.json oclif.manifest.json "$4")
chmod -R u=rwX,go=rX "$4"
mount --bind "$4" ${INSTALLED} && mount --bind "$2/node_modules" ${INSTALLED}/node_modules
mount --bind "$0/../made" /etc
"$1" ${INSTALLED}/bin/drwn.js add --system --trust --yes "$3" >/dev/null
cp -a /etc/. "$0"
`;
