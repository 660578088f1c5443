import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { toCardFiles } from "../../src/card/files.ts";
import { digestOfHook } from "../../src/card/hooks/hook-index.ts";
import type { PackedCard } from "../../src/card/source/pack.ts";
import { layout } from "../../src/contract/layout.ts";
import { formatJson } from "../../src/kernel/format/json.ts";
import type { Host } from "../../src/kernel/host.ts";
import { applyChanges } from "../../src/wiring/changes.ts";
import { planProgram } from "../../src/write/program.ts";
import { denyingPolicy, packedCard, type Tree, writeTree } from "../support/cards.ts";
import { type TestHost, testHost } from "../support/host.ts";
import type { CardParts } from "../support/projects.ts";
import { type HostileProject, TELLTALE } from "./projects/hostile.ts";

/** A machine that has just cloned a hostile repository. */
export interface Cloned {
  /** The machine, in the clone, with the variables that the repository has got loaded. */
  host: Host;
  /** The machine's user, whom nobody has told any variable. */
  person: TestHost;
  /** What lies where nothing may ever appear. */
  traces(): string[];
}

/** Commits the project to a real repository and clones it to a machine on which drwn is set up and nothing is consented to. */
export async function cloneHostile(project: HostileProject): Promise<Cloned> {
  const person = testHost();
  const base = path.dirname(person.home);
  const canary = path.join(base, "canary");
  const origin = path.join(base, "origin");
  const clone = person.cwd;
  fs.mkdirSync(canary);
  fs.writeFileSync(path.join(person.home, "secret"), "secret\n");
  setUp(person);
  const fill = (text: string): string => text.replaceAll("CANARY", canary).replaceAll("ROOT", clone);
  const vendored = await vendoredFiles(project.vendored ?? [], fill);
  writeTree(origin, filled({ ...project.files, ...vendored }, fill));
  for (const [link, target] of Object.entries(project.links ?? {})) {
    fs.mkdirSync(path.dirname(path.join(origin, link)), { recursive: true });
    fs.symlinkSync(target, path.join(origin, link));
  }
  commitAndClone(person, { origin, clone });
  const env = { ...person.env, ...Object.fromEntries(Object.entries(project.env ?? {}).map(([k, v]) => [k, fill(v)])) };
  const host: Host = { ...person, env, drwnHome: env["DRWN_HOME"] ?? person.drwnHome };
  return { host, person, traces: () => fs.readdirSync(canary) };
}

/** The launcher and the hook process, as after the first `write` of another project. */
function setUp({ drwnHome, nodePath }: Host): void {
  applyChanges(planProgram(drwnHome, nodePath));
  fs.mkdirSync(layout.roots(drwnHome), { recursive: true });
  fs.writeFileSync(layout.settings(drwnHome), '{ "version": 1, "registries": {}, "scopes": {} }\n');
}

function filled(tree: Tree, fill: (text: string) => string): Tree {
  return Object.fromEntries(
    Object.entries(tree).map(([file, content]) => [file, typeof content === "string" ? fill(content) : content]),
  );
}

function commitAndClone(host: Host, { origin, clone }: { origin: string; clone: string }): void {
  const who = { GIT_AUTHOR_NAME: "Eve", GIT_AUTHOR_EMAIL: "eve@evil.invalid" };
  const env = { ...host.env, ...who, GIT_COMMITTER_NAME: "Eve", GIT_COMMITTER_EMAIL: "eve@evil.invalid" };
  const script = `git init --quiet --initial-branch=main && git add --all --force && git commit --quiet -m hello &&
    git clone --quiet . "$0"`;
  execFileSync("sh", ["-c", script, clone], { cwd: origin, env, stdio: "pipe" });
}

/** Config, lock and vendor folder for these cards, each with policies that leave a trace as soon as they are loaded. */
async function vendoredFiles(parts: readonly CardParts[], fill: (text: string) => string): Promise<Tree> {
  if (parts.length === 0) return {};
  const cards = await Promise.all(parts.map((one) => withTelltales(one, fill)));
  const named = cards.map((card) => ({ card, name: card.manifest.name, version: card.manifest.version }));
  const entries = named.map(({ card, name, version }) => ({
    name,
    range: `^${version}`,
    version,
    source: "folder:default",
    integrity: card.integrity,
    tree: card.tree,
    hooks: card.index.hooks,
    publisher: null,
  }));
  return {
    ".agents/drwn/config.json": formatJson({
      version: 1,
      cards: Object.fromEntries(entries.map((e) => [e.name, e.range])),
    }),
    ".agents/drwn/card.lock": formatJson({ lockfileVersion: 1, cards: entries }),
    ...Object.fromEntries(
      named.map(({ card, name, version }) => [`.agents/drwn/vendor/${name}/${version}.tgz`, card.tarball]),
    ),
  };
}

async function withTelltales(parts: CardParts, fill: (text: string) => string): Promise<PackedCard> {
  const given = Object.fromEntries(
    Object.entries(parts.files ?? {}).map(([file, content]) => [
      file,
      typeof content === "string" ? fill(content) : content,
    ]),
  );
  const servers = JSON.parse(fill(JSON.stringify(parts.manifest ?? {})));
  const plain = await packedCard({ ...parts, manifest: servers, files: given });
  if (plain.index.hooks.length === 0) return plain;
  const policies: Record<string, string> = {};
  const hooks = plain.index.hooks.map((hook) => {
    const file = `hooks/${hook.name}/policy.ts`;
    const text = fill(`${denyingPolicy("*")}${TELLTALE}`);
    policies[file] = text;
    return { ...hook, digest: digestOfHook(toCardFiles([[file, Buffer.from(text)]]), [file]) };
  });
  const index = { ...plain.index, hooks };
  const files = { ...given, ...policies, "hooks/index.json": formatJson(index) };
  return { ...(await packedCard({ ...parts, manifest: servers, files })), index };
}
