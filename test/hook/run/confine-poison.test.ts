import { expect, test } from "vitest";
import { armHome } from "../../support/armed-home.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";
import { ALL_POISONS, describePoisons, POISONS } from "../../support/poisons.ts";

// Each on its own is a sweep: test/sweeps/poison.test.ts.
const CHOSEN = ["JSON", "iteration", "the process", "bytes", "the memory that buffers share"];
describePoisons([...POISONS.filter(([name]) => CHOSEN.includes(name)), ALL_POISONS]);

// Beside it in the hook process, as a hook of the same card, and in a process of its own.
test.each(
  POISONS.filter(([name]) => ["JSON", "iteration"].includes(name)).flatMap(([name, code]) =>
    ["@me/guards", "@evil/card"].map((card) => [name, card, code] as const),
  ),
)("a policy that replaces %s in %s changes no hold and no failure of a lifecycle hook", (_, card, code) => {
  const at = (run: string) => ({ policy: `{ run(event) { ${run} } }`, phases: ["prompt.submit" as const] });
  const poisoner = { ...at(""), hook: "poisoner", card, kind: "observer" as const, top: code };
  const reasonFor = (run: string) => {
    const armed = armHome([poisoner, { ...at(run), hook: "good" }]);
    const prompt = { hook_event_name: "UserPromptSubmit", prompt: "drop it" };
    const { said, status, stderr } = armed.call(prompt, { phase: "prompt.submit" });
    expect([said?.decision, status, stderr]).toEqual(["block", 0, ""]);
    return said?.reason;
  };
  expect(reasonFor(`return { action: "reject", reason: "no: " + event.input.prompt };`)).toBe(
    "[@me/guards#good] no: drop it",
  );
  expect(reasonFor(`throw new Error("broken");`)).toContain("threw Error: broken");
});

test("a policy that changes its event changes no other policy's", () => {
  const result = armHome([
    { policy: `{ beforeToolCall(event) { event.input.command = "harmless"; event.toolName = "Read"; } }` },
    {
      policy: `{ beforeToolCall: (event) => ({ action: "deny", reason: event.toolName + " " + event.input.command }) }`,
    },
  ]).call();
  expect(result.said?.hookSpecificOutput?.permissionDecisionReason).toBe("[@me/guards#guard-1] Bash ls");
});

test("what a policy prints reaches stderr, and stdout stays one document", () => {
  const result = armHome([
    {
      policy: `{ beforeToolCall() { console.log("one", { a: 1 }); process.stdout.write("two\\n"); return { action: "deny", reason: "no" }; } }`,
    },
  ]).call();
  expect(verdictOf(result)).toBe("deny");
  expect(result.stderr).toBe("one { a: 1 }\ntwo\n");
});

const unreachable = [
  `process.binding("fs")`,
  `process._linkedBinding("fs")`,
  "process.mainModule.require",
  `process.getBuiltinModule("fs")`,
  `process.dlopen({}, "x")`,
  `process.chdir("/")`,
  "process.stdin.constructor",
  "process.env.PATH.length",
  `new Function("return 1")()`,
  `(0, eval)("1")`,
  `require("fs")`,
  `require("node:vm")`,
  `require("__proto__")`,
  `require("constructor")`,
  `new MessageChannel()`,
  `new WebSocket("ws://127.0.0.1")`,
  `fetch("http://127.0.0.1")`,
  "AbortSignal.timeout(1)",
  "WebAssembly.compile(new Uint8Array())",
  "new FinalizationRegistry(() => {})",
  "process.setUncaughtExceptionCaptureCallback(null)",
  "process._tickCallback()",
  "process.report.writeReport()",
  `module.constructor._load("fs")`,
  "module.require",
  "AbortController.name",
  "ReadableStream.name",
  "performance.timerify",
  "globalThis.navigator.userAgent",
  `require("node:util").transferableAbortController()`,
  `require("node:util").aborted.name`,
  `new (require("node:buffer").Blob)(["a"])`,
  `require("node:buffer").File.name`,
  `require("node:events").EventEmitterAsyncResource.name`,
  `require("node:crypto").webcrypto.subtle`,
  `require("node:crypto").setEngine("x")`,
  `require("node:crypto").randomBytes(8, () => {})`,
  `require("node:crypto").pbkdf2("a", "b", 1, 8, "sha1", () => {})`,
  `require("node:crypto").createHash("sha1").pipe.name`,
  `require("node:crypto").createHash("sha1").constructor.super_.name`,
  `Object.getPrototypeOf(require("node:crypto").Sign).name.length || undefined`,
  `require("node:util").parseArgs({ strict: false }).positionals[0].length`,
  `(() => { const keep = Error.prepareStackTrace; Error.prepareStackTrace = (_, sites) => sites;
     const found = new Error().stack.map((site) => site.getThis() ?? site.getFunction()).filter((it) => it !== undefined && !String(it).includes("beforeToolCall") && !String(it).includes("stack.map"));
     Error.prepareStackTrace = keep; return found[0].name; })()`,
];

test("a policy without capabilities reaches none of these", () => {
  const attempts = unreachable.map((expression) => `[${JSON.stringify(expression)}, () => ${expression}]`);
  const policy = `{ beforeToolCall() {
    const reached = [${attempts.join(",\n")}].flatMap(([expression, attempt]) => {
      try { return attempt() === undefined ? [] : [expression]; } catch { return []; }
    });
    return reached.length === 0 ? undefined : { action: "deny", reason: reached.join("; ") };
  } }`;
  const result = armHome([{ policy }]).call();
  expect([verdictOf(result), reasonOf(result)]).toEqual(["silence", ""]);
});

test("a policy hashes, signs and compares without streams", () => {
  const policy = `{ beforeToolCall() {
    const { createHash, createHmac, createSign, createVerify, generateKeyPairSync, randomBytes, timingSafeEqual } = require("node:crypto");
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const signature = createSign("sha256").update("a").sign(privateKey);
    const parts = [createHash("sha256").update("a").copy().digest("hex").slice(0, 8), createHmac("sha1", "k").update("a").digest("hex").slice(0, 8),
      createVerify("sha256").update("a").verify(publicKey, signature), timingSafeEqual(randomBytes(4), randomBytes(4)), typeof performance.now()];
    return { action: "deny", reason: parts.join(" ") };
  } }`;
  expect(reasonOf(armHome([{ policy }]).call())).toBe("[@me/guards#guard-0] ca978112 40e7d441 true false number");
});

test.each([
  `import("node:fs")`,
  `Promise.resolve("import('node:fs')").then(eval)`,
  `Promise.resolve("return import('node:fs')").then(Function).then((f) => f())`,
])("a policy cannot import at run time: %s", (expression) => {
  const policy = `{ async beforeToolCall() { try { await ${expression}; } catch { return; } return { action: "deny", reason: "reached" }; } }`;
  expect(verdictOf(armHome([{ policy }]).call())).toBe("silence");
});
