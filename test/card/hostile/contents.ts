import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { formatJson } from "../../../src/kernel/format/json.ts";
import { cardFilesWith } from "../../support/cards.ts";
import { type Shape, shape, tarOf } from "./raw.ts";

const hooks = { guard: { matcher: "Bash" } };
const identity = { name: "@me/backend", version: "1.0.0" };

/** A well-formed archive of the card, with some of its files replaced; null takes one out. */
function cardOf(changes: Record<string, string | Buffer | null>): Buffer {
  const all = new Map<string, string | Buffer | null>([...cardFilesWith({ hooks }).files, ...Object.entries(changes)]);
  const entries = [...all].flatMap(([path, content]) =>
    content === null ? [] : [{ name: `package/${path}`, content }],
  );
  return gzipSync(tarOf(...entries));
}

function manifest(change: Record<string, unknown>): Record<string, string> {
  return { "card.json": formatJson({ ...identity, hooks: { include: ["guard"] }, ...change }) };
}

function packageJson(change: Record<string, unknown>): Record<string, string> {
  return { "package.json": formatJson({ ...identity, ...change }) };
}

/** The card's index with its hook changed. */
function index(change: Record<string, unknown>): Record<string, string> {
  const { index: own } = cardFilesWith({ hooks });
  return { "hooks/index.json": formatJson({ ...own, hooks: own.hooks.map((hook) => ({ ...hook, ...change })) }) };
}

const own = "hooks/guard/policy.ts";

const CONTENTS_BY_CODE: Readonly<Record<string, readonly [string, Record<string, string | Buffer | null>][]>> = {
  DRWN_FILE_INVALID: [
    ["a manifest that isn't JSON", { "card.json": "name: backend" }],
    ["a manifest with a comment", { "card.json": '{"name":"@me/backend", /* */ "version":"1.0.0"}' }],
    ["a manifest with a name twice", { "card.json": '{"name":"@me/a","name":"@me/backend","version":"1.0.0"}' }],
    ["a manifest with __proto__", { "card.json": '{"name":"@me/backend","version":"1.0.0","__proto__":{"x":1}}' }],
    ["a manifest that is deep", { "card.json": `{"keywords":${"[".repeat(100_000)}` }],
    ["a manifest in no encoding", { "card.json": Buffer.from([0xff, 0xfe, 0x00]) }],
    ["a manifest with an unknown key", manifest({ scripts: {} })],
    ["a manifest with hooks.exclude", manifest({ hooks: { exclude: [] } })],
    ["a hook's name that climbs", manifest({ hooks: { include: ["../../escaped"] } })],
    ["a hook's name that is absolute", manifest({ hooks: { include: ["/tmp/escaped"] } })],
    ["a hook twice", manifest({ hooks: { include: ["guard", "guard"] } })],
    ["a skill's name that climbs", manifest({ skills: { include: ["../../escaped"] } })],
    [
      "a server's name that pollutes",
      { "card.json": '{"name":"@me/backend","version":"1.0.0","servers":{"__proto__":{}}}' },
    ],
    ["a capability that there is none", manifest({ hooks: { include: ["guard"], capabilities: { guard: ["root"] } } })],
    ["a name of another kind", manifest({ name: "backend" })],
    ["a name of a card that climbs", manifest({ name: "@me/../../escaped" })],
    ["a version with build metadata", manifest({ version: "1.0.0+evil" })],
    ["a version that is a range", manifest({ version: "^1.0.0" })],
    ["a package.json with a name twice", { "package.json": '{"name":"@me/backend","name":"x","version":"1.0.0"}' }],
    ["a package.json that isn't JSON", { "package.json": "[" }],
    ["an index that isn't JSON", { "hooks/index.json": "[" }],
    ["an index with an unknown kind of policy", index({ kind: "guard" })],
    ["an index without a deadline", index({ timeoutMs: 0 })],
    ["an index of phases that there are none", index({ phases: ["always"] })],
    ["a signature that is none", { "drwn.signature.json": "{}" }],
  ],
  DRWN_FILE_TOO_LARGE: [
    ["a manifest of 2 MB", { "card.json": `{"description":"${randomBytes(1_000_000).toString("hex")}"}` }],
  ],
  DRWN_TARBALL_INVALID: [
    ["a package.json of another card", packageJson({ name: "@me/other" })],
    ["a package.json of another version", packageJson({ version: "1.0.1" })],
    ["a package.json with other hooks", packageJson({ drwn: { hooks: [] } })],
    ...["preinstall", "install", "postinstall", "prepare"].map((script): [string, Record<string, string>] => [
      `a script that npm runs: ${script}`,
      packageJson({ scripts: { [script]: "touch /tmp/drwn-escaped" } }),
    ]),
  ],
  DRWN_INDEX_STALE: [
    ["a card without its index", { "hooks/index.json": null }],
    ["an index of other hooks", index({ name: "other" })],
    ["an index with capabilities that are not declared", index({ capabilities: ["exec"] })],
    ["an index of other code", { [own]: "export default {};" }],
    ["an index of a file that climbs", index({ files: ["../../escaped", own] })],
    ["an index of a file that is not there", index({ files: [own, "lib/missing.ts"] })],
    ["an index of files in no order", index({ files: [own, "card.json"] })],
    ["an index without the policy itself", index({ files: ["card.json"] })],
    ["a hook that the index does not have", manifest({ hooks: { include: ["guard", "second"] } })],
  ],
  DRWN_SKILL_INVALID: [
    ["a skill with hooks", { "skills/a/SKILL.md": "---\nname: a\nhooks:\n  PreToolUse: []\n---\n" }],
    ["a skill with hooks in capitals", { "skills/a/SKILL.md": "---\nHOOKS: {}\n---\n" }],
    ["a skill with hooks in quotes", { "skills/a/SKILL.md": '---\n"hooks": {}\n---\n' }],
    ["a skill with hooks behind a mark", { "skills/a/SKILL.md": "\ufeff---\nhooks: {}\n---\n" }],
    ["a skill without an end of its head", { "skills/a/SKILL.md": "---\nname: a\n" }],
    ["a skill in another case", { "skills/a/skill.MD": "---\nhooks: {}\n---\n" }],
    ["a skill that is not there", manifest({ skills: { include: ["missing"] } })],
  ],
};

export const CONTENTS: readonly Shape[] = Object.entries(CONTENTS_BY_CODE).flatMap(([code, cards]) =>
  cards.map(([what, changes]) => shape(what, () => cardOf(changes), code)),
);
