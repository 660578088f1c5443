import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished, TestRunner } from "vitest";
import { makePackageJson } from "../../src/card/archive/read-card.ts";
import { packTarball } from "../../src/card/archive/tarball.ts";
import { toCardFiles, treeDigest } from "../../src/card/files.ts";
import { digestOfHook, type HookIndex, type IndexedHook } from "../../src/card/hooks/hook-index.ts";
import { type Manifest, parseManifest } from "../../src/card/manifest.ts";
import type { PackedCard } from "../../src/card/source/pack.ts";
import type { HookFacts } from "../../src/contract/ledger.ts";
import { integrityOf } from "../../src/kernel/digest.ts";
import { removeTree } from "../../src/kernel/files.ts";
import { formatJson } from "../../src/kernel/format/json.ts";
import { someFacts } from "./grants.ts";
import { onFileFinished } from "./worlds.ts";

/** Relative path to content. */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

/** A folder that disappears when the test ends, along with its read-only parts; made outside of a test, when the file ends. */
export function temporaryFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-test-")));
  const remove = () => removeTree(folder);
  if (TestRunner.getCurrentTest() === undefined) onFileFinished(remove);
  else onTestFinished(remove);
  return folder;
}

export function writeTree(folder: string, tree: Tree): string {
  for (const [file, content] of Object.entries(tree)) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), content);
  }
  return folder;
}

/** Every file below the folder, with its content. */
export function readTree(folder: string): Record<string, string> {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((file) => [path.relative(folder, file), fs.readFileSync(file, "utf8")]));
}

interface SourceParts {
  manifest?: Record<string, unknown>;
  /** Hook name to the text of its policy.ts. */
  hooks?: Record<string, string>;
  /** Skill name to the text of its SKILL.md. */
  skills?: Record<string, string>;
  files?: Tree;
}

/** A card source in a temporary folder: `@me/backend` 1.0.0 unless the manifest says otherwise. */
export function sourceWith({ manifest = {}, hooks = {}, skills = {}, files = {} }: SourceParts = {}): string {
  const include = (names: string[]) => (names.length === 0 ? undefined : { include: names });
  const text = formatJson({
    name: "@me/backend",
    version: "1.0.0",
    skills: include(Object.keys(skills)),
    hooks: include(Object.keys(hooks)),
    ...manifest,
  });
  const policies = Object.entries(hooks).map(([hook, policy]) => [`hooks/${hook}/policy.ts`, policy] as const);
  const texts = Object.entries(skills).map(([skill, body]) => [`skills/${skill}/SKILL.md`, body] as const);
  return writeTree(temporaryFolder(), { "card.json": text, ...Object.fromEntries([...policies, ...texts]), ...files });
}

/** A policy that denies every call of the tools that the matcher names. */
export function denyingPolicy(matcher: string, reason = "not here"): string {
  return [
    'import { defineToolPolicy } from "darwinian-minds/hook-policy";',
    "",
    "export default defineToolPolicy({",
    '  policyKind: "enforcement",',
    `  matcher: ${JSON.stringify(matcher)},`,
    `  beforeToolCall: () => ({ action: "deny", reason: ${JSON.stringify(reason)} }),`,
    "});",
    "",
  ].join("\n");
}

interface CardParts {
  name?: string;
  version?: string;
  /** Hook name to the facts in the index; by default, an enforcement policy on every tool before the call. */
  hooks?: Record<string, Partial<HookFacts>>;
  manifest?: Record<string, unknown>;
  files?: Tree;
}

/** A card as packing would make it, with an index from the test instead of an evaluation. */
export async function packedCard(parts: CardParts = {}): Promise<PackedCard> {
  const { manifest, files, index } = cardFilesWith(parts);
  const tarball = await packTarball(files);
  return { manifest, index, files, tree: treeDigest(files), tarball, integrity: integrityOf(tarball), publisher: null };
}

export function cardFilesWith({ name = "@me/backend", version = "1.0.0", hooks = {}, ...parts }: CardParts = {}) {
  const names = Object.keys(hooks);
  const text = formatJson({
    name,
    version,
    hooks:
      names.length === 0
        ? undefined
        : { include: names, capabilities: declaredIn(hooks, "capabilities"), options: declaredIn(hooks, "options") },
    ...parts.manifest,
  });
  const manifest: Manifest = parseManifest(text, { file: "card.json" });
  const tree: Record<string, string | Uint8Array> = { "card.json": text };
  for (const hook of names) {
    const file = `hooks/${hook}/policy.ts`;
    tree[file] = parts.files?.[file] ?? denyingPolicy("Bash", `${hook} of ${version}`);
  }
  const policies = toCardFiles(Object.entries(tree).map(([file, content]) => [file, Buffer.from(content)]));
  const index: HookIndex = {
    version: 1,
    hooks: Object.entries(hooks).map(([hook, facts]): IndexedHook => {
      const own = [`hooks/${hook}/policy.ts`];
      return { name: hook, ...someFacts(facts), files: own, digest: digestOfHook(policies, own) };
    }),
  };
  const given = parts.files?.["hooks/index.json"];
  tree["package.json"] = makePackageJson(manifest, given === undefined ? index.hooks : JSON.parse(String(given)).hooks);
  if (names.length > 0) tree["hooks/index.json"] = formatJson(index);
  const all = Object.entries({ ...tree, ...parts.files });
  return { manifest, index, files: toCardFiles(all.map(([file, content]) => [file, Buffer.from(content)])) };
}

function declaredIn(
  hooks: Record<string, Partial<HookFacts>>,
  what: "capabilities" | "options",
): Record<string, unknown> | undefined {
  const declared = Object.entries(hooks).flatMap(([hook, facts]) =>
    facts[what] === undefined ? [] : [[hook, facts[what]] as const],
  );
  return declared.length === 0 ? undefined : Object.fromEntries(declared);
}
