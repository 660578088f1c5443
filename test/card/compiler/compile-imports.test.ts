import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { compileHookWithMap } from "../../../src/card/compiler/compile.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { newWorld } from "../../support/worlds.ts";
import { compile, filesOf, HOOK, load, POLICY } from "../compiled.ts";

const scratch = newWorld("drwn-compile-");

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
        export default policy("Style", { transform: { context: "STYLE.md", prompt: "fix it" } });`,
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
    ["an npm package", `import x from "lodash";`, `"lodash" isn't a file of this card`],
    ["a package of which nothing is used", `import "zod";`, `"zod" isn't a file of this card`],
    ["a package that is required", `const x = require("lodash");`, `"lodash" isn't a file of this card`],
    ["a package that is imported late", `const x = () => import("lodash");`, `"lodash" isn't a file of this card`],
    ["a package that is exported on", `export * from "lodash";`, `"lodash" isn't a file of this card`],
    ["a part of our package", `import x from "darwinian-minds/package.json";`, "isn't a file of this card"],
    ["a subpath import", `import x from "#rules";`, `"#rules" isn't a file of this card`],
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
    ["an absolute path", `import x from "/${outside}";`, "isn't a file of this card"],
    ["a file URL", `import x from "file:///${outside}";`, "isn't a file of this card"],
    ["a data URL", `import x from "data:text/javascript,1";`, "isn't a file of this card"],
    ["a web address", `import x from "https://example.com/x.js";`, "isn't a file of this card"],
    ["a file that is not there", `import x from "./nope.ts";`, `"./nope.ts" is not in the card`],
    ["a name with a query", `import x from "./policy.ts?raw";`, `"./policy.ts?raw" is not in the card`],
    ["a kind of file that is no source", `import x from "./logo.png";`, "is of a kind that a policy cannot import"],
    ["the generated index", `import x from "../index.json";`, "is generated and cannot be imported"],
    ["an import by a computed name", `const x = (name: string) => import(name);`, "in a literal string"],
    ["a require by a computed name", `const x = (name: string) => require(name);`, "in a literal string"],
    ["an import of whatever lies in a folder", `const x = (n: string) => import("./" + n);`, "in a literal string"],
    ["a require of whatever lies in a folder", `const x = (n: string) => require("./" + n);`, "in a literal string"],
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

describe("the compiler reads nothing that lies around", () => {
  /** A folder beside the one in which the compiler works, with what would be found in it. */
  const outside = () => writeTree(temporaryFolder(), { "x.ts": "export default 1;", "x.map": MAP });
  const MAP = JSON.stringify({ version: 3, sources: ["found-outside.ts"], names: [], mappings: "AAAA" });

  test.each<[string, (folder: string) => string]>([
    ["a file URL", (folder) => `${POLICY}//# sourceMappingURL=file://${folder}/x.map`],
    ["a file URL with a host", (folder) => `${POLICY}//# sourceMappingURL=file://localhost${folder}/x.map`],
    ["an encoded file URL", (folder) => `${POLICY}//# sourceMappingURL=FILE://${folder}/%78.map`],
    ["the old form", (folder) => `${POLICY}//@ sourceMappingURL=file://${folder}/x.map`],
    ["a block", (folder) => `${POLICY}/*# sourceMappingURL=file://${folder}/x.map */`],
    ["the first line", (folder) => `//# sourceMappingURL=file://${folder}/x.map\n${POLICY}`],
    [
      "a line behind another one",
      (folder) => `${POLICY}//# sourceMappingURL=file://${folder}/x.map\n//# sourceMappingURL=x`,
    ],
    ["a lone carriage return", (folder) => `${POLICY}//# sourceMappingURL=file://${folder}/x.map\r/**/`],
    ["a separator of lines", (folder) => `${POLICY}//# sourceMappingURL=file://${folder}/x.map\u2028`],
    ["a line in the text itself", () => `${POLICY}//# sourceMappingURL=data:application/json,${MAP}`],
  ])("no source map that %s names", async (_, sourceOf) => {
    const files = filesOf({ [HOOK]: sourceOf(outside()) });
    const { map } = await compileHookWithMap({ files, hook: "guard", capabilities: [] });
    expect(JSON.parse(map).sources).toEqual([`card:${HOOK}`, `entry:${HOOK}`]);
  });

  test("a source map without an end isn't waited for", async () => {
    const files = filesOf({ [HOOK]: `${POLICY}//# sourceMappingURL=file:///dev/zero` });
    const { inputs } = await compileHookWithMap({ files, hook: "guard", capabilities: [], deadlineMs: 20_000 });
    expect(inputs).toEqual([HOOK]);
  });

  test.each<[string, string]>([
    ["put together", "import(DOT + n + '.ts')"],
    ["in a template", `import(\`\${DOT}\${n}.ts\`)`],
    ["in parentheses", "import((((DOT))+n+'.ts'))"],
    ["behind a comment", "import /* ) */ (DOT + n + '.ts')"],
    ["behind a line", "import // (\n (DOT + n + '.ts')"],
    ["with escapes", "import('\\u002e\\x2e/' + DOT.slice(9) + n)"],
    ["piece by piece", "import('.' + './' + REST + n + '.ts')"],
    ["with attributes", "import(DOT + n + '.json', { with: { type: 'json' } })"],
    ["required", "require(DOT + n + '.ts')"],
    ["required under an escaped name", "requ\\u0069re(DOT + n + '.ts')"],
    ["required as a type", "(require as any)(DOT + n + '.ts')"],
    ["required for certain", "require!(DOT + n + '.ts')"],
    ["by an enum", "import(E.Dot + n + '.ts')"],
    ["in a text", `\`\${import(DOT + n)}\``],
    ["beside texts that look like it", "['import(', import(DOT + n), ')', \"import('x')\"]"],
  ])("no folder for an import whose name is %s", async (_, expression) => {
    const dots = path.relative(process.cwd(), outside());
    const written = expression.replaceAll("DOT", JSON.stringify(`${dots}/`)).replaceAll("REST", `'${dots.slice(3)}/'`);
    const source = `enum E { Dot = "${dots}/" }\nexport const x = (n: string) => ${written};\n${POLICY}`;
    const refused = compile({ [HOOK]: source });
    await expect(refused).rejects.toThrow("a policy must name what it imports in a literal string");
    await expect(refused).rejects.toMatchObject({ details: [expect.not.stringContaining("x.ts")] });
  });

  test.each(["import('./nowhere/' + n + '.ts')", "requ\\u0069re('./nowhere/' + n + '.ts')"])(
    "%s is refused where nothing would be found, too",
    async (expression) => {
      const refused = compile({ [HOOK]: `export const x = (n: string) => ${expression};\n${POLICY}` });
      await expect(refused).rejects.toThrow("a policy must name what it imports in a literal string");
    },
  );

  test.each<[string, string]>([
    ["a text that speaks of imports", `'do not import("./" + x), nor require("./" + x)'`],
    ["a comment that does", `1 /* import("./" + x) */`],
    ["a pattern that does", String.raw`/import\("\.\/" \+ x/`],
    ["a method of that name", `({ require: (n: string) => n, import: (n: string) => n }).import("./" + String(1))`],
    ["an import by its name, when it is needed", `() => import("./rules.ts")`],
  ])("%s is no such import", async (_, expression) => {
    const source = `export const x = ${expression};\n${POLICY}`;
    expect((await compile({ [HOOK]: source, "hooks/guard/rules.ts": "export default 1;" })).inputs).toContain(HOOK);
  });
});
