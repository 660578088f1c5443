import { describe, expect, test } from "vitest";
import { readCard } from "../../../src/card/archive/read-card.ts";
import { toCardFiles, treeDigest } from "../../../src/card/files.ts";
import type { HookFacts } from "../../../src/contract/ledger.ts";
import { formatJson } from "../../../src/kernel/format/json.ts";
import { cardFilesWith } from "../../support/cards.ts";
import { problemOf, textOf } from "../../support/problems.ts";

const hooks = (): Record<string, Partial<HookFacts>> => ({
  guard: { matcher: "Bash" },
  audit: { kind: "observer", phases: ["post-tool"] },
});

/** The card's files with some of them replaced; null takes one out. */
function altered(changes: Record<string, string | null>) {
  const { files } = cardFilesWith({ hooks: hooks() });
  const all = new Map(files);
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) all.delete(path);
    else all.set(path, Buffer.from(text));
  }
  return toCardFiles(all);
}

/** The card's index with its first hook changed. */
function withIndexedHook(change: Record<string, unknown>): string {
  const { index } = cardFilesWith({ hooks: hooks() });
  return formatJson({ ...index, hooks: index.hooks.map((hook, at) => (at === 0 ? { ...hook, ...change } : hook)) });
}

describe("a card's files", () => {
  test("are read as manifest, index and tree", () => {
    const { files, manifest, index } = cardFilesWith({ hooks: hooks() });
    expect(readCard(files)).toEqual({ manifest, index, files, tree: treeDigest(files), signature: null });
  });

  test("need no index without hooks", () => {
    expect(readCard(cardFilesWith().files).index.hooks).toEqual([]);
  });

  const { index } = cardFilesWith({ hooks: hooks() });
  test.each<[string, Record<string, string | null>, string]>([
    ["no manifest", { "card.json": null }, "DRWN_TARBALL_INVALID"],
    ["no package.json", { "package.json": null }, "DRWN_TARBALL_INVALID"],
    [
      "a package.json of another name",
      { "package.json": formatJson({ name: "@me/other", version: "1.0.0" }) },
      "DRWN_TARBALL_INVALID",
    ],
    [
      "a package.json of another version",
      { "package.json": formatJson({ name: "@me/backend", version: "1.0.1" }) },
      "DRWN_TARBALL_INVALID",
    ],
    [
      "an install script",
      { "package.json": formatJson({ name: "@me/backend", version: "1.0.0", scripts: { postinstall: "node x" } }) },
      "DRWN_TARBALL_INVALID",
    ],
    [
      "a package.json with a key twice",
      { "package.json": '{"name":"@me/backend","name":"x","version":"1.0.0"}' },
      "DRWN_FILE_INVALID",
    ],
    ["installed packages", { "node_modules/x/index.js": "" }, "DRWN_TARBALL_INVALID"],
    ["an npm configuration", { ".npmrc": "" }, "DRWN_TARBALL_INVALID"],
    ["a build file", { "binding.gyp": "{}" }, "DRWN_TARBALL_INVALID"],
    ["files that collide", { "Card.json": "{}" }, "DRWN_TARBALL_INVALID"],
    ["no index", { "hooks/index.json": null }, "DRWN_INDEX_STALE"],
    ["an index that isn't JSON", { "hooks/index.json": "x" }, "DRWN_FILE_INVALID"],
    ["an index of an unknown form", { "hooks/index.json": formatJson({ ...index, version: 2 }) }, "DRWN_FILE_INVALID"],
    ["a policy that was changed", { "hooks/guard/policy.ts": "export default {};" }, "DRWN_INDEX_STALE"],
    ["no policy", { "hooks/guard/policy.ts": null }, "DRWN_INDEX_STALE"],
    [
      "an index in another order",
      { "hooks/index.json": formatJson({ ...index, hooks: [...index.hooks].reverse() }) },
      "DRWN_INDEX_STALE",
    ],
    [
      "an index with a hook less",
      { "hooks/index.json": formatJson({ ...index, hooks: index.hooks.slice(1) }) },
      "DRWN_INDEX_STALE",
    ],
    [
      "an index with other capabilities",
      { "hooks/index.json": withIndexedHook({ capabilities: ["net"] }) },
      "DRWN_INDEX_STALE",
    ],
    [
      "an index with another digest",
      { "hooks/index.json": withIndexedHook({ digest: index.hooks[1]?.digest }) },
      "DRWN_INDEX_STALE",
    ],
    [
      "an index with a file that is not there",
      { "hooks/index.json": withIndexedHook({ files: ["hooks/guard/policy.ts", "lib/x.ts"] }) },
      "DRWN_INDEX_STALE",
    ],
    [
      "an index without the policy",
      { "hooks/index.json": withIndexedHook({ files: ["card.json"] }) },
      "DRWN_INDEX_STALE",
    ],
    [
      "an index with a climbing file",
      { "hooks/index.json": withIndexedHook({ files: ["../x", "hooks/guard/policy.ts"] }) },
      "DRWN_INDEX_STALE",
    ],
    ["an index with timeoutMs 0", { "hooks/index.json": withIndexedHook({ timeoutMs: 0 }) }, "DRWN_FILE_INVALID"],
    [
      "an index with another kind of policy",
      { "hooks/index.json": withIndexedHook({ kind: "guard" }) },
      "DRWN_FILE_INVALID",
    ],
    ["an index without phases", { "hooks/index.json": withIndexedHook({ phases: [] }) }, "DRWN_FILE_INVALID"],
    [
      "an index with a hook that shows one event and hides others",
      { "hooks/index.json": withIndexedHook({ phases: ["other.Idle", "pre-tool", "prompt.submit"] }) },
      "DRWN_FILE_INVALID",
    ],
    [
      "an index with a hook of two events",
      { "hooks/index.json": withIndexedHook({ phases: ["prompt.submit", "turn.stop"] }) },
      "DRWN_FILE_INVALID",
    ],
    [
      "an index with a hook of a tool policy that is an event as well",
      { "hooks/index.json": withIndexedHook({ phases: ["pre-tool", "session.start"] }) },
      "DRWN_FILE_INVALID",
    ],
    [
      "an index with a hook that names a phase twice",
      { "hooks/index.json": withIndexedHook({ phases: ["pre-tool", "pre-tool"] }) },
      "DRWN_FILE_INVALID",
    ],
    ["a skill with hooks", { "skills/x/SKILL.md": "---\nhooks: {}\n---\n" }, "DRWN_SKILL_INVALID"],
  ])("with %s are refused whole", async (_, changes, code) => {
    expect((await problemOf(() => readCard(altered(changes)))).code).toBe(code);
  });

  test("with a changed policy are refused with both digests", async () => {
    const text = textOf(await problemOf(() => readCard(altered({ "hooks/guard/policy.ts": "x" }))));
    expect(text).toContain(index.hooks[0]?.digest);
    expect(text.match(/drwn1-sha512-/gu)).toHaveLength(2);
  });
});
