import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { describeHook } from "../../../src/card/hooks/describe-hook.ts";
import { permissionFlag } from "../../../src/card/hooks/evaluate.ts";
import type { Capability } from "../../../src/contract/plan.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "drwn-evaluate-"));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

interface Options {
  capabilities?: Capability[];
  deadlineMs?: number;
  files?: Record<string, string>;
}

function describePolicy(policy: string, { capabilities = [], deadlineMs, files = {} }: Options = {}) {
  const tree = Object.entries({ ...files, "hooks/guard/policy.ts": policy });
  return describeHook({
    card: "@me/backend",
    files: new Map(tree.map(([file, text]) => [file, Buffer.from(text)])),
    hook: "guard",
    capabilities,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
}

const policyWith = (fields: string) => `
import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy({
  policyKind: "enforcement",
  ${fields},
  beforeToolCall: () => undefined,
});
`;

describe("the facts of a hook", () => {
  test("of an enforcement policy that looks before the call", async () => {
    const { facts, inputs } = await describePolicy(policyWith(`matcher: "mcp__*", timeoutMs: 250`), {
      capabilities: ["net", "fs-read", "net"],
    });
    expect(facts).toEqual({
      kind: "enforcement",
      matcher: "mcp__*",
      phases: ["pre-tool"],
      timeoutMs: 250,
      capabilities: ["fs-read", "net"],
    });
    expect(inputs).toEqual(["hooks/guard/policy.ts"]);
  });

  test("of an observer of both phases, with what holds when nothing is said", async () => {
    const policy = `export default { policyKind: "observer", afterToolCall() {}, async beforeToolCall() {} };`;
    const { facts } = await describePolicy(policy);
    expect(facts).toEqual({
      kind: "observer",
      matcher: null,
      phases: ["pre-tool", "post-tool"],
      timeoutMs: 5000,
      capabilities: [],
    });
  });

  test("of a policy that is put together from other files, by a class, or computed", async () => {
    const policy = `
      import { tools } from "./tools.ts"; import { join } from "node:path";
      class Guard { policyKind = "enforcement" as const; matcher = tools.join("|") + join("", ""); beforeToolCall() {} }
      export default new Guard();`;
    const files = { "hooks/guard/tools.ts": `export const tools = ["Write", "Edit"];` };
    const { facts, inputs } = await describePolicy(policy, { files });
    expect(facts).toMatchObject({ matcher: "Write|Edit.", phases: ["pre-tool"] });
    expect(inputs).toEqual(["hooks/guard/policy.ts", "hooks/guard/tools.ts"]);
  });

  test("whatever the policy prints, and whatever it leaves running", async () => {
    const policy = `
      console.log('{"found":"object"}'); console.error("noise".repeat(100_000)); process.stdout.write("x".repeat(1e6));
      setInterval(() => {}, 1); process.on("exit", () => { while (true); }); Promise.reject(new Error("later"));
      queueMicrotask(() => { while (true); });
      export default { policyKind: "observer", afterToolCall() {}, matcher: undefined };`;
    const { facts } = await describePolicy(policy);
    expect(facts).toMatchObject({ kind: "observer", matcher: null });
  });
});

describe("a policy is refused, naming card, hook, file and line, when", () => {
  test.each([
    ["it has no default export", `export const policy = 1;`, 1, "there is no default export"],
    ["it exports null", `\nexport default null;`, 2, "should be a policy, got a value of type null"],
    ["it exports a function", `\nexport default () => {};`, 2, "should be a policy, got a value of type function"],
    ["it exports a list", `export default [];`, 1, "should be a policy, got a value of type array"],
    [
      "it has no callback",
      `\n\nexport default { policyKind: "observer" };`,
      3,
      "neither `beforeToolCall` nor `afterToolCall`",
    ],
    [
      "it has no kind",
      `export default {\n afterToolCall() {} };`,
      1,
      '`policyKind` should be "enforcement" or "observer", got nothing',
    ],
    ["its kind is unknown", `export default {\n policyKind: "guard",\n afterToolCall() {} };`, 2, 'got "guard"'],
    ["a key is unknown", policyWith(`timeout: 5`), 5, "`timeout` isn't a field of a policy"],
    ["a quoted key is unknown", policyWith(`"time-out": 5`), 5, "`time-out` isn't a field of a policy"],
    ["a symbol is a key", policyWith(`[Symbol("x")]: 5`), 3, "`Symbol(x)` isn't a field of a policy"],
    [
      "timeoutMs is 0",
      policyWith(`// timeoutMs: 0\n timeoutMs: 0`),
      6,
      "`timeoutMs` should be a whole number from 1 to 30000, got 0",
    ],
    ["timeoutMs is too long", policyWith(`timeoutMs: 30001`), 5, "got 30001"],
    ["timeoutMs is a fraction", policyWith(`timeoutMs: 0.5`), 5, "got 0.5"],
    ["timeoutMs isn't a number", policyWith(`timeoutMs: NaN`), 5, "got NaN"],
    ["timeoutMs is endless", policyWith(`timeoutMs: Infinity`), 5, "got Infinity"],
    ["timeoutMs is a text", policyWith(`timeoutMs: "5"`), 5, 'got "5"'],
    ["timeoutMs is null", policyWith(`timeoutMs: null`), 5, "got null"],
    [
      "the matcher is an expression",
      policyWith(`matcher: /Bash/`),
      5,
      "`matcher` should be a glob, got a value of type object",
    ],
    ["a callback is a text", policyWith(`afterToolCall: "f"`), 5, '`afterToolCall` should be a function, got "f"'],
    [
      "it throws when loaded",
      `\n\nthrow new TypeError("no \u001b[2J way");\nexport default {};`,
      3,
      "throws while it is loaded: TypeError: no \\u{1b}[2J way",
    ],
    ["it throws a text when loaded", `throw "nope";\nexport default {};`, null, "throws while it is loaded: nope"],
    [
      "it throws what cannot be read",
      `throw { get message() { throw 1; } };\nexport default {};`,
      null,
      "a value that cannot be read",
    ],
    [
      "an expression is none",
      `const x = 1;\nconst y = /(/;\nexport default { y };`,
      2,
      "throws while it is loaded: SyntaxError",
    ],
    [
      "it ends the process",
      `process.exit(0);\nexport default {};`,
      null,
      "ends its process while it is loaded (exit code 0)",
    ],
    ["it aborts", `process.abort();\nexport default {};`, null, "ends its process while it is loaded (SIG"],
    [
      "it takes all memory",
      `const all: unknown[] = [];\nfor (;;) all.push(new Array(1e6).fill(1));\nexport default {};`,
      null,
      "256 MB of memory",
    ],
    ["it overflows the stack", `const f = (): unknown => f();\nf();\nexport default {};`, 1, "RangeError"],
  ])("%s", async (_, policy, line, message) => {
    const refused = describePolicy(policy);
    const place = `hooks/guard/policy.ts${line === null ? "" : `:${line}:`}`;
    await expect(refused).rejects.toMatchObject({
      code: "DRWN_POLICY_INVALID",
      message: expect.stringContaining(message),
      details: expect.arrayContaining([expect.stringContaining(place)]),
    });
    await expect(refused).rejects.toThrow(/^@me\/backend: hook `guard` .*hooks\/guard\/policy\.ts/u);
  });

  test.each([
    ["the matcher isn't a glob", "(Bash)", "`(` has no meaning"],
    ["the matcher is empty", "", "an alternative is empty"],
    ["the matcher is too costly", "*a*b*c*d*e*", "has 6 runs"],
    ["the matcher is too long", "a".repeat(5000), "128 are allowed"],
  ])("%s", async (_, matcher, message) => {
    await expect(describePolicy(policyWith(`matcher: ${JSON.stringify(matcher)}`))).rejects.toMatchObject({
      code: "DRWN_MATCHER_INVALID",
      message: expect.stringMatching(/^@me\/backend: hook `guard` is refused: hooks\/guard\/policy\.ts:5: /u),
      details: [expect.stringContaining(message)],
    });
  });

  test.each([
    ["it loops forever when loaded", "while (true);"],
    ["it waits forever when loaded", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"],
    ["an expression in it takes forever", `/^(a+)+$/.test("${"a".repeat(60)}b");`],
  ])("%s", async (_, statement) => {
    const refused = describePolicy(`${statement}\nexport default {};`, { deadlineMs: 400 });
    await expect(refused).rejects.toThrow(
      "@me/backend: hook `guard` is not loaded after 400 ms (hooks/guard/policy.ts)",
    );
  });

  test("it throws in a file that it imports, whose line is named", async () => {
    const files = {
      "lib/deep.ts": `interface Long {\n  field: string;\n}\nexport const value = (null as never as Long).field;`,
    };
    const policy = `import { value } from "../../lib/deep.ts";\nexport default { policyKind: "observer", value };`;
    await expect(describePolicy(policy, { files })).rejects.toMatchObject({
      details: [expect.stringMatching(/^lib\/deep\.ts:4:\d+: throws while it is loaded: TypeError/u)],
    });
  });

  test("more than one thing is wrong, and then all of it is said", async () => {
    const policy = `export default {\n policyKind: 1,\n timeoutMs: -1,\n matcher: "[",\n other: 1\n};`;
    await expect(describePolicy(policy)).rejects.toMatchObject({
      code: "DRWN_POLICY_INVALID",
      details: [
        expect.stringContaining("policy.ts:5: `other`"),
        expect.stringContaining("policy.ts:2: `policyKind`"),
        expect.stringContaining("policy.ts:3: `timeoutMs`"),
        expect.stringContaining("policy.ts:1: neither"),
        expect.stringContaining("policy.ts:4: the matcher"),
      ],
    });
  });
});

describe("while it is loaded, a policy has no way to", () => {
  const file = path.join(scratch, "written");
  const all: Capability[] = ["env", "exec", "fs-read", "fs-write", "net"];

  test.each([
    ["write a file, whatever it declares", `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(file)}, "x");`],
    ["read a file, whatever it declares", `import fs from "node:fs"; fs.readFileSync("/etc/hostname");`],
    [
      "start a process, whatever it declares",
      `import { execFileSync } from "node:child_process"; execFileSync("touch", [${JSON.stringify(file)}]);`,
    ],
    [
      "see the environment",
      `if (Object.keys(process.env).length > 0) process.exit(1); throw new Error("saw nothing");`,
    ],
    ["kill its parent", `process.kill(process.ppid, "SIGKILL");`],
    ["get at modules behind our back", `const load = process.getBuiltinModule("node:fs");`],
    ["get at bindings", `process.binding("fs");`],
    ["find require as a global", `globalThis.require("node:fs");`],
    ["find modules as globals", `globalThis.child_process.execSync("true");`],
  ])("%s", async (_, statement) => {
    const policy = `${statement}\nexport default { policyKind: "observer", afterToolCall() {} };`;
    await expect(describePolicy(policy, { capabilities: all })).rejects.toMatchObject({
      code: "DRWN_POLICY_INVALID",
      message: expect.stringContaining("throws while it is loaded"),
    });
    expect(fs.existsSync(file)).toBe(false);
  });
});

test.each([
  ["20.12.0", "--experimental-permission"],
  ["20.20.2", "--experimental-permission"],
  ["22.12.0", "--experimental-permission"],
  ["22.13.0", "--permission"],
  ["22.23.3", "--permission"],
  ["23.4.0", "--experimental-permission"],
  ["23.5.0", "--permission"],
  ["24.21.0", "--permission"],
  ["26.0.0", "--permission"],
])("Node %s is confined with %s", (version, flag) => {
  expect(permissionFlag(version)).toBe(flag);
});
