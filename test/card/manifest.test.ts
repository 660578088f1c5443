import { describe, expect, test } from "vitest";
import { capabilitiesOf, manifestJsonSchema, parseManifest, unusedFieldsOf } from "../../src/card/manifest.ts";
import { formatJson } from "../../src/kernel/format/json.ts";
import { problemOf, textOf } from "../support/problems.ts";

const FULL = {
  $schema: "./card.schema.json",
  name: "@me/backend",
  version: "1.2.3-beta.1",
  description: "Guards for a backend",
  license: "MIT",
  keywords: ["guard"],
  repository: { type: "git", url: "git+https://example.com/me/backend.git", directory: "cards/backend" },
  author: { name: "Me", email: "me@example.com", url: "https://example.com" },
  harness: { minVersion: "0.1.0" },
  skills: { include: ["review"] },
  servers: {
    db: { command: "db-server", args: ["--ro"], env: { DB_URL: "x" } },
    stdio: { type: "stdio", command: "x" },
    web: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer x" } },
    stream: { type: "sse", url: "http://localhost:1234" },
  },
  hooks: { include: ["guard", "audit"], capabilities: { guard: ["net", "fs-read"] }, restrictOnly: true },
  stability: "stable",
};
const NAMED = { name: "@me/backend", version: "1.0.0" };

describe("card.json", () => {
  test("may have every field of the design", () => {
    expect(parseManifest(formatJson(FULL), { file: "card.json" })).toEqual(FULL);
  });

  test("needs a name and a version only", () => {
    expect(parseManifest(formatJson(NAMED), { file: "card.json" })).toEqual(NAMED);
  });

  test.each([
    ["no name", { version: "1.0.0" }, "`name`", "got nothing"],
    ["a bad name", { ...NAMED, name: "backend" }, "`name`", 'got "backend"'],
    ["a name that climbs", { ...NAMED, name: "@me/a..b" }, "`name`", "got"],
    ["a bad version", { ...NAMED, version: "v1" }, "`version`", "strict semver"],
    ["build metadata", { ...NAMED, version: "1.0.0+x" }, "`version`", "without build metadata"],
    ["an unknown key", { ...NAMED, kinds: "card" }, "`kinds`", "the field is unknown"],
    ["hooks.exclude", { ...NAMED, hooks: { exclude: ["a"] } }, "`hooks.exclude`", "the field is unknown"],
    ["skills.exclude", { ...NAMED, skills: { exclude: [] } }, "`skills.exclude`", "the field is unknown"],
    ["a hook twice", { ...NAMED, hooks: { include: ["a", "b", "a"] } }, "`hooks.include[2]`", "listed once"],
    ["a hook that climbs", { ...NAMED, hooks: { include: [".."] } }, "`hooks.include[0]`", 'got ".."'],
    ["a hook with a slash", { ...NAMED, hooks: { include: ["a/b"] } }, "`hooks.include[0]`", "lower-case letters"],
    ["an encoded hook", { ...NAMED, hooks: { include: ["%2e%2e"] } }, "`hooks.include[0]`", "lower-case letters"],
    ["a hook that isn't text", { ...NAMED, hooks: { include: [1] } }, "`hooks.include[0]`", "should be a string"],
    [
      "capabilities of an undeclared hook",
      { ...NAMED, hooks: { include: ["a"], capabilities: { b: ["net"] } } },
      "`hooks.capabilities.b`",
      "not in `hooks.include`",
    ],
    [
      "an unknown capability",
      { ...NAMED, hooks: { include: ["a"], capabilities: { a: ["root"] } } },
      "`hooks.capabilities.a[0]`",
      '"fs-read"',
    ],
    ["a server of no kind", { ...NAMED, servers: { db: { url: "https://x" } } }, "`servers.db", "should be"],
    [
      "a server of both kinds",
      { ...NAMED, servers: { db: { command: "x", url: "https://x" } } },
      "`servers.db.url`",
      "unknown",
    ],
    [
      "a server of an unknown kind",
      { ...NAMED, servers: { db: { type: "ws", url: "https://x" } } },
      "`servers.db",
      '"sse"',
    ],
    [
      "a server at a file",
      { ...NAMED, servers: { db: { type: "http", url: "file:///etc/passwd" } } },
      "`servers.db.url`",
      "http(s)",
    ],
    ["a bad server name", { ...NAMED, servers: { "../x": { command: "x" } } }, '`servers["../x"]`', "named"],
    ["a description of two lines", { ...NAMED, description: "a\nb" }, "`description`", "one line"],
    ["an escape in the author", { ...NAMED, author: "\u001b]8;;x" }, "`author", "one line"],
    ["an unknown stability", { ...NAMED, stability: "good" }, "`stability`", '"experimental"'],
    ["no object", [], "the file", "an object"],
  ])("with %s is refused with file, field, expected and received", async (_, value, field, what) => {
    const problem = await problemOf(() => parseManifest(formatJson(value), { file: "somewhere/card.json" }));
    expect(problem.code).toBe("DRWN_FILE_INVALID");
    expect(problem.message).toMatch(/^somewhere\/card\.json, line \d+: /u);
    expect(problem.message).toContain(field);
    expect(problem.message).toContain(what);
    expect(textOf(problem)).not.toContain("\u001b");
  });

  test("may have the fields of another tool's cards, which drwn names and doesn't use", () => {
    const text = formatJson({
      ...NAMED,
      kind: "blueprint",
      composedFrom: ["@me/a"],
      instructions: { path: "INSTRUCTIONS.md" },
      tools: { allow: ["Bash"] },
      skills: { include: ["a"], upstream: { a: "git+https://example.com/x" } },
      servers: {
        docs: { transport: "http", url: "https://example.com/mcp", description: "docs", optional: true },
        db: { command: "db", transport: "stdio" },
      },
    });
    expect(parseManifest(text, { file: "card.json" })).toEqual({
      ...NAMED,
      skills: { include: ["a"] },
      servers: { docs: { type: "http", url: "https://example.com/mcp" }, db: { type: "stdio", command: "db" } },
    });
    expect(unusedFieldsOf(text, { file: "card.json" })).toEqual([
      ...["kind", "composedFrom", "instructions", "tools", "skills.upstream"],
      ...["servers.docs.description", "servers.docs.optional"],
    ]);
  });

  test.each([
    ["no JSON", "name: x", "is not JSON"],
    ["a key twice", '{"name":"@a/b","name":"@c/d"}', "twice"],
    ["__proto__", '{"__proto__":{"x":1}}', "__proto__"],
  ])("that is or has %s is refused", async (_, text, message) => {
    expect((await problemOf(() => parseManifest(text, { file: "card.json" }))).message).toContain(message);
  });

  test("of 10 MB is refused by its size", async () => {
    const text = formatJson({ ...NAMED, description: "x".repeat(10_000_000) });
    expect((await problemOf(() => parseManifest(text, { file: "card.json" }))).code).toBe("DRWN_FILE_TOO_LARGE");
  });
});

test("capabilities are sorted, and none where none are declared", () => {
  const manifest = parseManifest(formatJson(FULL), { file: "card.json" });
  expect(capabilitiesOf(manifest, "guard")).toEqual(["fs-read", "net"]);
  expect(capabilitiesOf(manifest, "audit")).toEqual([]);
  expect(capabilitiesOf(manifest, "toString")).toEqual([]);
});

test("editors get a JSON Schema that knows every field and refuses others", () => {
  const schema = JSON.parse(manifestJsonSchema());
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining([...Object.keys(FULL), "composedFrom"]));
  expect(schema.additionalProperties).toBe(false);
  expect(schema.required).toEqual(["name", "version"]);
  expect(schema.properties.hooks.properties.capabilities.additionalProperties.items.enum).toContain("net");
});
