import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { shellGuard } from "./policies.mjs";
import { copyWorld, drwn, drwnBinary, makeWorld, removeFolder } from "./world.mjs";

const NPM = "npm ci of the same 100 tarballs";

/**
 * A world whose registry has this many cards, and whose project asks for all of them.
 * @param {string} folder
 * @param {number} count
 */
async function makeCardWorld(folder, count) {
  const world = makeWorld(folder);
  const publishCards = await loadPublisher();
  const tarballs = await publishCards(path.join(world.env.DRWN_HOME, "registry"), count, shellGuard);
  drwn(world, "init");
  const cards = Object.fromEntries(tarballs.map((_, at) => [`@bench/card-${at}`, "^1.0.0"]));
  const file = path.join(world.project, ".agents/drwn/config.json");
  const config = JSON.parse(fs.readFileSync(file, "utf8"));
  fs.writeFileSync(file, `${JSON.stringify({ ...config, cards }, null, 2)}\n`);
  return { ...world, tarballs };
}

/** Rows of what a package manager does; two of them against what npm needs for the same tarballs. */
export async function packageRows(folder) {
  const warm = await makeCardWorld(path.join(folder, "warm"), 100);
  drwn(warm, "install");
  drwn(warm, "install", "--vendor");
  const empty = { ...warm, ...copyWorld(warm, path.join(folder, "empty")) };
  const large = await makeCardWorld(path.join(folder, "large"), 500);
  drwn(large, "install");
  const npm = makeNpmProject(path.join(folder, "npm"), warm.tarballs);
  return [
    { name: NPM, ...npm },
    { ...row("drwn install, 100 cards, warm store", warm, "install", "--frozen"), target: { ratio: 0.5, of: NPM } },
    { ...row("drwn install, 100 cards, empty store", empty, "install", "--frozen"), prepare: () => emptyStore(empty) },
    { ...row("drwn install, 500 cards, no lock", large, "install"), prepare: () => removeLock(large) },
    {
      ...row("drwn card trust --all, 100 cards", warm, "card", "trust", "--all", "--hooks", "--yes"),
      target: { milliseconds: 2_000 },
      prepare: () => withdrawAll(warm),
    },
    row("drwn card pack, 200 files", warm, "card", "pack", makeLargeSource(warm)),
  ].map((one) => ({ ...one, every: 13 }));
}

function row(name, world, ...args) {
  return { name, program: process.execPath, args: [drwnBinary, ...args], cwd: world.project, env: world.env };
}

function emptyStore(world) {
  removeFolder(path.join(world.env.DRWN_HOME, "store"));
}

/** As before the first consent of the project: what was compiled for one is gone, too. */
function withdrawAll({ env }) {
  for (const folder of ["ledger", "projects", "roots"]) removeFolder(path.join(env.DRWN_HOME, folder));
}

function removeLock(world) {
  fs.rmSync(path.join(world.project, ".agents/drwn/card.lock"), { force: true });
}

/** A project that has the tarballs as packages, with npm's lock file, and a cache that knows all of them. */
function makeNpmProject(folder, tarballs) {
  const cwd = path.join(folder, "project");
  fs.mkdirSync(path.join(cwd, "cards"), { recursive: true });
  const dependencies = Object.fromEntries(
    tarballs.map((bytes, at) => {
      fs.writeFileSync(path.join(cwd, "cards", `${at}.tgz`), bytes);
      return [`@bench/card-${at}`, `file:cards/${at}.tgz`];
    }),
  );
  fs.writeFileSync(path.join(cwd, "package.json"), JSON.stringify({ name: "bench", version: "1.0.0", dependencies }));
  const npm = findNpm();
  const flags = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
  const env = { HOME: folder };
  const made = spawnSync(process.execPath, [npm, "install", ...flags], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`npm install: ${made.stderr}`);
  return { program: process.execPath, args: [npm, "ci", ...flags], cwd, env };
}

/** npm's own program beside this Node, or wherever a shell finds it: started with the same Node as drwn. */
function findNpm() {
  const { stdout } = spawnSync("/bin/sh", ["-c", "command -v npm"], { encoding: "utf8" });
  return fs.realpathSync(stdout.trim());
}

function makeLargeSource(world) {
  const source = path.join(world.folder, "sources", "large");
  drwn(world, "card", "new", "@bench/large", "--into", path.dirname(source));
  const files = path.join(source, "skills", "large");
  fs.mkdirSync(files, { recursive: true });
  fs.writeFileSync(path.join(files, "SKILL.md"), "---\nname: large\ndescription: many files\n---\n");
  for (let at = 0; at < 195; at++) fs.writeFileSync(path.join(files, `page-${at}.md`), `# Page ${at}\n`.repeat(200));
  const manifest = path.join(source, "card.json");
  const parsed = JSON.parse(fs.readFileSync(manifest, "utf8"));
  fs.writeFileSync(manifest, `${JSON.stringify({ ...parsed, skills: { include: ["large"] } }, null, 2)}\n`);
  return source;
}

/** Our own registry, compiled for this run: what is built for the program has no such door. */
async function loadPublisher() {
  const outfile = fileURLToPath(new URL("../../dist/bench-publish-cards.mjs", import.meta.url));
  const entry = fileURLToPath(new URL("publish-cards.ts", import.meta.url));
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  try {
    return (await import(pathToFileURL(outfile).href)).publishCards;
  } finally {
    fs.rmSync(outfile);
  }
}
