import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { compileHook, compileHookWithMap } from "../../src/card/compiler/compile.ts";
import type { CardFiles } from "../../src/card/files.ts";
import type { Capability } from "../../src/contract/plan.ts";

const POLICY = `export default { policyKind: "observer", afterToolCall() {} };\n`;
const HOOK = "hooks/guard/policy.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "drwn-compile-"));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

function card(tree: Record<string, string>): CardFiles {
  return new Map(Object.entries(tree).map(([file, text]) => [file, Buffer.from(text)]));
}

function compile(tree: Record<string, string>, capabilities: Capability[] = []) {
  return compileHook({ card: "@me/backend", files: card(tree), hook: "guard", capabilities });
}

/** What the compiled text exports, with a `require` that notes what is asked of it. */
function load(code: string): { exported: unknown; required: string[] } {
  const required: string[] = [];
  const module = { exports: {} as Record<string, unknown> };
  const requireNoted = (name: string) => {
    required.push(name);
    return { join: (...parts: string[]) => parts.join("/") };
  };
  new Function("module", "exports", "require", code)(module, module.exports, requireNoted);
  return { exported: module.exports["default"], required };
}

describe("a policy may import", () => {
  test.each([
    ["a sibling by its full name", "./rules.ts", "hooks/guard/rules.ts"],
    ["a sibling without an ending", "./rules", "hooks/guard/rules.ts"],
    ["a sibling by the name that it has once built", "./rules.js", "hooks/guard/rules.ts"],
    ["an .mts file as .mjs", "./rules.mjs", "hooks/guard/rules.mts"],
    ["a .cts file as .cjs", "./rules.cjs", "hooks/guard/rules.cts"],
    ["plain JavaScript", "./rules.js", "hooks/guard/rules.js"],
    ["the index of a folder", "../../lib", "lib/index.ts"],
    ["the index of a folder, with a slash", "../../lib/", "lib/index.ts"],
    ["the index of its own folder", ".", "hooks/guard/index.ts"],
    ["a file of another hook", "../other/rules.ts", "hooks/other/rules.ts"],
    ["a file at the top of the card", "../../rules.ts", "rules.ts"],
  ])("%s", async (_, specifier, file) => {
    const { code, inputs } = await compile({
      [HOOK]: `import words from "${specifier}";\nexport default words;`,
      [file]: `export default ["rm"]`,
    });
    expect(load(code).exported).toEqual(["rm"]);
    expect(inputs).toEqual([HOOK, file].sort());
  });

  test("JSON and text of the card", async () => {
    const { code, inputs } = await compile({
      [HOOK]: `import json from "./list.json" with { type: "json" };
        import text from "./list.txt"; import words from "../../docs/why.md"; export default { json, text, words };`,
      "hooks/guard/list.json": `{"words":["rm"]}`,
      "hooks/guard/list.txt": "grün\n",
      "docs/why.md": "# Why\n",
      "docs/unused.md": "",
    });
    expect(load(code).exported).toEqual({ json: { words: ["rm"] }, text: "grün\n", words: "# Why\n" });
    expect(inputs).toEqual(["docs/why.md", "hooks/guard/list.json", "hooks/guard/list.txt", HOOK]);
  });

  test.each(["darwinian-minds/hook-policy", "darwinian/hook-policy", "drwn/hook-policy"])("%s", async (specifier) => {
    const { code, inputs } = await compile({
      [HOOK]: `import { defineToolPolicy, type Decision, ToolPolicyEvent } from "${specifier}";
        export default defineToolPolicy({ policyKind: "observer", afterToolCall(event: ToolPolicyEvent): void {} });`,
    });
    expect(load(code)).toEqual({
      exported: { policyKind: "observer", afterToolCall: expect.any(Function) },
      required: [],
    });
    expect(inputs).toEqual([HOOK]);
  });

  test.each(["darwinian-minds", "darwinian", "drwn"])(
    "%s/hook-policy/helpers, and no more of it than it uses",
    async (name) => {
      const { code, inputs } = await compile({
        [HOOK]: `import { matchConstants, policy } from "${name}/hook-policy/helpers";
        export default policy("x", { on: { tool: "Bash", match: /rm/ }, gate: "no" });`,
      });
      expect(load(code)).toEqual({
        exported: { policyKind: "enforcement", matcher: "Bash", beforeToolCall: expect.any(Function) },
        required: [],
      });
      expect(inputs).toEqual([HOOK]);
      expect(code).not.toContain("git_push");
    },
  );

  test("helpers that need a capability, which they get when it is declared", async () => {
    const tree = {
      [HOOK]: `import { policy } from "drwn/hook-policy/helpers";
        export default policy("Style", { transform: { context: "STYLE.md", prompt: "mend it" } });`,
    };
    expect(load((await compile(tree, ["exec", "fs-read"])).code).required).toEqual([
      "node:child_process",
      "node:fs",
      "node:path",
    ]);
    const without = (await compile(tree, ["fs-read"])).code;
    expect(() => load(without)).toThrow(
      'policy "Style": it runs claude, and its hook does not declare the capability exec',
    );
  });

  test("node modules that need no capability, and they stay imports", async () => {
    const { code } = await compile({ [HOOK]: `import { join } from "node:path"; export default join("a", "b");` });
    expect(load(code)).toEqual({ exported: "a/b", required: ["node:path"] });
  });

  test.each([
    ["node:fs", "fs-read"],
    ["node:fs/promises", "fs-write"],
    ["node:child_process", "exec"],
    ["node:https", "net"],
    ["node:os", "env"],
  ] as const)("%s once it declares %s", async (specifier, capability) => {
    const tree = { [HOOK]: `import * as module from "${specifier}"; export default module;` };
    await expect(compile(tree)).rejects.toMatchObject({ code: "DRWN_POLICY_INVALID" });
    expect(load((await compile(tree, [capability])).code).required).toEqual([specifier]);
  });

  test("types of a package, since nothing of them is left", async () => {
    const { inputs } = await compile({ [HOOK]: `import type { Shape } from "zod";\n${POLICY}` });
    expect(inputs).toEqual([HOOK]);
  });
});

describe("a policy is refused, with file and line, for", () => {
  fs.writeFileSync(path.join(scratch, "outside.json"), `{"secret":1}`);
  const outside = path.relative("/", path.join(scratch, "outside.json"));
  const up = "../".repeat(12);

  test.each([
    ["an npm package", `import x from "lodash";`, `"lodash" is no file of this card`],
    ["a package of which nothing is used", `import "zod";`, `"zod" is no file of this card`],
    ["a package that is required", `const x = require("lodash");`, `"lodash" is no file of this card`],
    ["a package that is imported late", `const x = () => import("lodash");`, `"lodash" is no file of this card`],
    ["a package that is exported on", `export * from "lodash";`, `"lodash" is no file of this card`],
    ["a part of our package", `import x from "darwinian-minds/package.json";`, "is no file of this card"],
    ["a subpath import", `import x from "#rules";`, `"#rules" is no file of this card`],
    ["a builtin without node:", `import fs from "fs";`, `"fs" must be written "node:fs"`],
    ["undeclared node:fs", `import fs from "node:fs";`, `"node:fs" needs the capability fs-read or fs-write`],
    ["undeclared node:fs, late", `const x = () => import("node:fs");`, `"node:fs" needs the capability`],
    ["undeclared node:net through require", `const x = require("node:net");`, `"node:net" needs the capability net`],
    ["undeclared node:fs, TypeScript's way", `import x = require("node:fs");`, `"node:fs" needs the capability`],
    ["node:vm", `import vm from "node:vm";`, `"node:vm" is not available to policies`],
    ["node:module", `import { createRequire } from "node:module";`, `"node:module" is not available to policies`],
    ["node:sqlite", `import x from "node:sqlite";`, `"node:sqlite" is not available to policies`],
    ["a file outside the card", `import x from "${up}etc/passwd";`, "lies outside of the card"],
    ["JSON outside the card", `import x from "${up}${outside}";`, "lies outside of the card"],
    ["text outside the card", `import x from "../../../secret.txt";`, "lies outside of the card"],
    ["the folder above the card", `import x from "../../..";`, "lies outside of the card"],
    ["an absolute path", `import x from "/${outside}";`, "is no file of this card"],
    ["a file URL", `import x from "file:///${outside}";`, "is no file of this card"],
    ["a data URL", `import x from "data:text/javascript,1";`, "is no file of this card"],
    ["a web address", `import x from "https://example.com/x.js";`, "is no file of this card"],
    ["a file that is not there", `import x from "./nope.ts";`, `"./nope.ts" is not in the card`],
    ["a name with a query", `import x from "./policy.ts?raw";`, `"./policy.ts?raw" is not in the card`],
    ["a kind of file that is no source", `import x from "./logo.png";`, "is of a kind that a policy cannot import"],
    ["the generated index", `import x from "../index.json";`, "is generated and cannot be imported"],
    ["an import by a computed name", `const x = (name: string) => import(name);`, "in a literal string"],
    ["a require by a computed name", `const x = (name: string) => require(name);`, "in a literal string"],
    ["require handed on", `const x = require;`, "only call `require` with a literal string"],
    ["require.resolve", `const x = require.resolve("./policy.ts");`, "cannot use require.resolve"],
    ["eval", `const x = eval("1");`, "a policy cannot use eval"],
    ["import.meta", `const x = import.meta.url;`, "a policy has no import.meta"],
    ["an await at the top", `await null;`, "Top-level await"],
    ["a syntax error", `const = 1;`, "Expected identifier"],
    [
      "an import that is not exported",
      `import { nope } from "./rules.ts"; nope();`,
      `No matching export in "hooks/guard/rules.ts"`,
    ],
  ])("%s", async (_, line, message) => {
    const files = { [HOOK]: `// first line\n${line}\n${POLICY}`, "hooks/guard/rules.ts": "export const rules = 1;" };
    const refused = compile({ ...files, "hooks/index.json": "{}", "hooks/guard/logo.png": "" });
    await expect(refused).rejects.toMatchObject({
      code: "DRWN_POLICY_INVALID",
      message: expect.stringContaining(message),
      details: [expect.stringMatching(/^hooks\/guard\/policy\.ts:2:\d+: /u)],
    });
    await expect(refused).rejects.toThrow(/^@me\/backend: hook `guard` does not compile: hooks\/guard\/policy\.ts:2:/u);
  });

  test("a fault in a file that it imports, which is the file that is named", async () => {
    const tree = { [HOOK]: `import "../../lib/a.ts";\n${POLICY}`, "lib/a.ts": "\n\nimport 'lodash';" };
    await expect(compile(tree)).rejects.toThrow(/lib\/a\.ts:3:8: "lodash"/u);
  });

  test("broken JSON that it imports", async () => {
    const tree = { [HOOK]: `import x from "./a.json"; export default x;`, "hooks/guard/a.json": `{\n"a": }` };
    await expect(compile(tree)).rejects.toThrow(/hooks\/guard\/a\.json:2:6: /u);
  });

  test("every fault at once", async () => {
    const tree = { [HOOK]: `import "lodash";\nimport "fs";\nimport "node:vm";\n${POLICY}` };
    await expect(compile(tree)).rejects.toMatchObject({ details: { length: 3 } });
  });

  test("a policy.ts that is missing", async () => {
    await expect(compile({ "hooks/guard/policy.js": POLICY })).rejects.toMatchObject({
      code: "DRWN_POLICY_INVALID",
      message: "@me/backend: hook `guard` has no hooks/guard/policy.ts",
    });
  });
});

test.each([
  ["nothing at all", ""],
  ["no import and no export", "const policy = {};"],
  ["CommonJS", `module.exports = { policyKind: "observer" };`],
  ["CommonJS that poses as a module", `exports.__esModule = true; exports.default = {};`],
])("a policy.ts with %s is refused without being loaded", async (_, text) => {
  await expect(compile({ [HOOK]: text })).rejects.toMatchObject({
    code: "DRWN_POLICY_INVALID",
    message: "@me/backend: hook `guard`: there is no default export (hooks/guard/policy.ts:1:1)",
  });
});

test("what lies around the compiled text cannot be reached by name, from whatever kind of file", async () => {
  const names = "[typeof module, typeof exports, typeof __filename, typeof __dirname, typeof arguments]";
  const { code } = await compile({
    [HOOK]: `import inner from "./inner.cjs"; export default { names: ${names}, inner };`,
    "hooks/guard/inner.cjs":
      "module.exports = [typeof module.require, module.constructor === Object, typeof arguments];",
  });
  const { exported, required } = load(code);
  expect(exported).toEqual({ names: Array(5).fill("undefined"), inner: ["undefined", true, "undefined"] });
  expect(required).toEqual([]);
});

test("an undeclared module comes with the line of card.json that declares it", async () => {
  await expect(compile({ [HOOK]: `import "node:http";` })).rejects.toMatchObject({
    hint: expect.stringContaining(`"capabilities": { "guard": ["net"] }`),
  });
});

test("text of the card cannot act on a terminal", async () => {
  const refused = compile({ [HOOK]: `import "./\\u001b]52;c;\\u0007\\u202e";` });
  await expect(refused).rejects.toThrow(/\\u\{1b\}\]52;c;\\u\{7\}\\u\{202e\}/u);
});

test("settings that lie in the card, or around it, change nothing", async () => {
  const tree = { [HOOK]: `class A { b = 1 }; export default (x: unknown) => new A();` };
  const { code } = await compile(tree);
  const settings = JSON.stringify({
    compilerOptions: { target: "ES5", jsx: "preserve", baseUrl: ".", paths: { "*": ["*"] } },
  });
  const withSettings = await compile({
    ...tree,
    "tsconfig.json": settings,
    "hooks/guard/tsconfig.json": settings,
    "package.json": `{"type":"commonjs","sideEffects":false,"imports":{"#x":"./x.js"}}`,
  });
  expect(withSettings.code).toBe(code);
});

test("the compiled text is strict, as modules are", async () => {
  const { code } = await compile({ [HOOK]: `export default (function () { return this === undefined; })();` });
  expect(load(code).exported).toBe(true);
});

test("nothing is in the text but the policy: no helper of the compiler runs in a call", async () => {
  const { code } = await compile({ [HOOK]: "export default { policyKind: 'observer' };\nexport const other = 1;" });
  expect(code).toBe(
    '"use strict";\n\n// card:hooks/guard/policy.ts\nvar policy_default = { policyKind: "observer" };\n\n// entry:hooks/guard/policy.ts\nexports.default = policy_default;\n',
  );
});

test("a source map changes nothing of the text", async () => {
  const source = { files: card({ [HOOK]: POLICY }), hook: "guard", capabilities: [] };
  const { code, map } = await compileHookWithMap(source);
  expect(code).toBe((await compileHook(source)).code);
  expect(JSON.parse(map).sources).toEqual([`card:${HOOK}`, `entry:${HOOK}`]);
});

test("the same files give the same text, in whatever order they come", async () => {
  const tree = {
    [HOOK]: `import a from "./a.ts"; import b from "./b.ts"; import c from "../../c.json"; export default [a, b, c];`,
    "hooks/guard/a.ts": `import b from "./b.ts"; export default b + 1;`,
    "hooks/guard/b.ts": "export default 1;",
    "c.json": "[1]",
  };
  const expected = await compile(tree);
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(Object.entries(tree), { minLength: 4 }), async (entries) => {
      expect(await compile(Object.fromEntries(entries))).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

test("nothing is read from the disk, and nothing of the card runs", async () => {
  const written = path.join(scratch, "written");
  const before = process.cwd();
  const { code } = await compile(
    { [HOOK]: `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(written)}, ""); export default {};` },
    ["fs-write"],
  );
  expect(code).toContain("writeFileSync");
  expect(fs.existsSync(written)).toBe(false);
  expect(process.cwd()).toBe(before);
});

test("a compiler that does not come to an end is stopped, and the next hook compiles", async () => {
  // Type arguments that are none: the parser tries each both ways.
  const files = card({ [HOOK]: `export default ${"a<".repeat(20_000)}` });
  await expect(compileHook({ files, hook: "guard", capabilities: [], deadlineMs: 300 })).rejects.toMatchObject({
    code: "DRWN_POLICY_INVALID",
    message: expect.stringContaining("the compiler gave up on it"),
  });
  expect((await compile({ [HOOK]: POLICY })).inputs).toEqual([HOOK]);
});

test.each([
  ["code", `import "./deep.js"; export default {};`, "deep.js", "(".repeat(2001)],
  ["JSON", `import deep from "./deep.json"; export default deep;`, "deep.json", "[".repeat(4_000_000)],
])("%s that would take the compiler all its stack does not reach it", async (_, policy, name, text) => {
  await expect(compile({ [HOOK]: policy, [`hooks/guard/${name}`]: text })).rejects.toMatchObject({
    code: "DRWN_POLICY_INVALID",
    details: [`hooks/guard/${name}:1:1: brackets are nested more than 2000 deep`],
  });
});

test("brackets that stand beside each other, or in text, are no nesting", async () => {
  const { code } = await compile({
    [HOOK]: `import text from "./text.txt"; import list from "./list.json"; export default [list.length, text.length];`,
    "hooks/guard/list.json": `[${Array(5000).fill("[{}]").join(",")}]`,
    "hooks/guard/text.txt": "([{".repeat(5000),
  });
  expect(load(code).exported).toEqual([5000, 15_000]);
});
