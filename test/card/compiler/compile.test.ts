import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compileHook, compileHookWithMap } from "../../../src/card/compiler/compile.ts";
import { splitSdk } from "../../../src/contract/plan.ts";
import { newWorld } from "../../support/worlds.ts";
import { compile, filesOf, HOOK, load, POLICY } from "../compiled.ts";

const scratch = newWorld("drwn-compile-");

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

test("an undeclared module comes with the command that declares it", async () => {
  await expect(compile({ [HOOK]: `import "node:http";` })).rejects.toMatchObject({
    hint: "drwn card source set @me/backend --capability guard=net",
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

test("of an SDK that policies share, one can't change what another uses", async () => {
  const text = `import { effects, gitSteps, matchConstants } from "darwinian-minds/hook-policy/helpers";
    const attempt = (change) => { try { change(); return "changed"; } catch { return "frozen"; } };
    const changes = [() => { matchConstants.git_push.matches = () => false; }, () => { effects.call = gitSteps; }];
    export default changes.map(attempt);`;
  const { code } = await compile({ [HOOK]: text });
  expect(splitSdk(code)).not.toBeNull();
  expect(load(code).exported).toEqual(["frozen", "frozen"]);
});

test("a source map changes nothing of the text", async () => {
  const source = { files: filesOf({ [HOOK]: POLICY }), hook: "guard", capabilities: [] };
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
  const files = filesOf({ [HOOK]: `export default ${"a<".repeat(20_000)}` });
  await expect(compileHook({ files, hook: "guard", capabilities: [], deadlineMs: 300 })).rejects.toMatchObject({
    code: "DRWN_POLICY_INVALID",
    message: expect.stringContaining("the compiler gave up on it: not done after 300 ms"),
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
