import { makePackageJson } from "../../src/card/archive/read-card.ts";
import { packTarball } from "../../src/card/archive/tarball.ts";
import { toCardFiles, treeDigest } from "../../src/card/files.ts";
import { digestOfHook, INDEX_FILE } from "../../src/card/hooks/hook-index.ts";
import { parseManifest } from "../../src/card/manifest.ts";
import { integrityOf } from "../../src/kernel/digest.ts";
import { formatJson } from "../../src/kernel/format/json.ts";
import { openFolderRegistry } from "../../src/registry/folder.ts";

const HOOK = "hooks/guard/policy.ts";

/**
 * Publishes `@bench/card-0` to `@bench/card-<count - 1>` with one policy each, without evaluating any: a hundred
 * `drwn card publish` would take longer than all that is measured. Answers with each card's tarball.
 */
export async function publishCards(folder: string, count: number, policy: string): Promise<Buffer[]> {
  const registry = openFolderRegistry(folder, "folder:default");
  const tarballs: Buffer[] = [];
  for (let at = 0; at < count; at++) {
    const card = await makeCard(`@bench/card-${at}`, policy);
    await registry.publish(card, new Date("2026-01-31T12:00:00.000Z"));
    tarballs.push(card.tarball);
  }
  return tarballs;
}

async function makeCard(name: string, policy: string) {
  const text = formatJson({ name, version: "1.0.0", hooks: { include: ["guard"] } });
  const manifest = parseManifest(text, { file: "card.json" });
  const policies = toCardFiles([[HOOK, Buffer.from(policy)]]);
  const hook = {
    name: "guard",
    kind: "enforcement" as const,
    matcher: "Bash",
    phases: ["pre-tool" as const],
    timeoutMs: 5_000,
    capabilities: [],
    files: [HOOK],
    digest: digestOfHook(policies, [HOOK]),
  };
  const index = { version: 1 as const, hooks: [hook] };
  const files = toCardFiles([
    ["card.json", Buffer.from(text)],
    ["package.json", Buffer.from(makePackageJson(manifest, index.hooks))],
    [INDEX_FILE, Buffer.from(formatJson(index))],
    ["hooks/guard/README.md", Buffer.from(`# guard\n\nWatches the shell for ${name}.\n`)],
    ...policies,
  ]);
  const tarball = await packTarball(files);
  return { manifest, index, files, tree: treeDigest(files), tarball, integrity: integrityOf(tarball), publisher: null };
}
