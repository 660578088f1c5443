import { describe, expect, test } from "vitest";
import { armHome, type LiteralPolicy, reasonOf, verdictOf } from "../support/armed-home.ts";

const T = 250;

/** What fails, and how the reason says so. */
const failing: [name: string, policy: Partial<LiteralPolicy> & { policy: string }, says: string][] = [
  ["throws", { policy: `{ beforeToolCall() { throw new Error("boom"); } }` }, "threw Error: boom"],
  ["throws a string", { policy: `{ beforeToolCall() { throw "boom"; } }` }, `threw "boom"`],
  ["throws null", { policy: `{ beforeToolCall() { throw null; } }` }, "threw something"],
  [
    "throws what cannot be read",
    { policy: `{ beforeToolCall() { throw { get message() { throw 1; } }; } }` },
    "threw something that cannot be read",
  ],
  ["throws when it is loaded", { top: `throw new Error("early");`, policy: "{}" }, "threw Error: early"],
  ["does not parse", { top: "this is no code", policy: "{}" }, "threw SyntaxError"],
  ["exports nothing", { policy: "undefined" }, "exports no policy"],
  ["has no callback", { policy: "{ afterToolCall() {} }" }, "has no beforeToolCall"],
  ["requires what it may not", { top: `require("node:fs");`, policy: "{}" }, "node:fs is not available"],
  ["rejects", { policy: `{ async beforeToolCall() { throw new TypeError("late"); } }` }, "threw TypeError: late"],
  ["rejects after a timer", { policy: after(`throw new Error("later")`) }, "threw Error: later"],
  [
    "throws out of a timer",
    { policy: never(`setTimeout(() => { throw new Error("stray"); });`) },
    "threw Error: stray",
  ],
  [
    "leaves a rejection",
    { policy: `{ beforeToolCall() { Promise.reject(new Error("left")); } }` },
    "threw Error: left",
  ],
  ["returns a string", returning(`"deny"`), "returned something that is no decision"],
  ["returns null", returning("null"), "returned something that is no decision"],
  ["returns a list", returning(`[{ action: "deny", reason: "no" }]`), "returned something that is no decision"],
  ["returns an empty object", returning("{}"), "whose action is none of"],
  ["returns an unknown action", returning(`{ action: "Deny", reason: "no" }`), "whose action is none of"],
  ["inherits its action", returning(`Object.create({ action: "deny", reason: "no" })`), "whose action is none of"],
  ["returns an unknown field", returning(`{ action: "allow", why: "so" }`), "a field that no decision has"],
  ["returns a symbol", returning(`{ action: "allow", [Symbol.iterator]: 1 }`), "a field that no decision has"],
  ["returns a field of another decision", returning(`{ action: "ask", reason: "x", updatedInput: {} }`), "belongs to"],
  ["denies without a reason", returning(`{ action: "deny" }`), "returned a deny without a reason"],
  ["denies with a blank reason", returning(`{ action: "deny", reason: " \\n" }`), "returned a deny without a reason"],
  ["asks with a number", returning(`{ action: "ask", reason: 7 }`), "returned an ask without a reason"],
  ["gives context that is no text", returning(`{ action: "allow", additionalContext: {} }`), "no string"],
  ["rewrites to a list", returning(`{ action: "allow", updatedInput: [1] }`), "cannot take"],
  ["rewrites to null", returning(`{ action: "allow", updatedInput: null }`), "cannot take"],
  ["rewrites to a function", returning(`{ action: "allow", updatedInput: { a() {} } }`), "holds a function"],
  ["rewrites to an instance", returning(`{ action: "allow", updatedInput: { a: new Date() } }`), "is not plain data"],
  [
    "rewrites in a circle",
    returning("((o) => (o.updatedInput.o = o.updatedInput, o))({ action: 'allow', updatedInput: {} })"),
    "deep",
  ],
  ["rewrites to megabytes", returning(`{ action: "allow", updatedInput: { a: "x".repeat(2e6) } }`), "is larger than"],
  [
    "rewrites to a proxy without end",
    {
      timeoutMs: 20_000,
      ...returning(
        `{ action: "allow", updatedInput: { a: new Proxy([], { get: (t, k) => (k === "length" ? 4e9 : []) }) } }`,
      ),
    },
    "is larger than",
  ],
  ["throws out of an accessor", returning(`{ get action() { throw new Error("trap"); } }`), "threw Error: trap"],
  ["loops in an accessor", returning("{ get action() { for (;;); } }"), `within ${T} ms`],
  ["loops", { policy: "{ beforeToolCall() { for (;;); } }" }, `within ${T} ms`],
  ["loops when it is loaded", { top: "for (;;);", policy: "{}" }, `within ${T} ms`],
  ["loops in a regular expression", returning(`/^(a+)+$/.test("a".repeat(40) + "b")`), `within ${T} ms`],
  ["loops after await", { policy: "{ async beforeToolCall() { await null; for (;;); } }" }, `within ${T} ms`],
  ["loops after a timer", { policy: after("for (;;);") }, `within ${T} ms`],
  ["loops in an interval", { policy: never("setInterval(() => { for (;;); });") }, `within ${T} ms`],
  ["loops in an immediate", { policy: never("setImmediate(() => { for (;;); });") }, `within ${T} ms`],
  ["loops in a microtask", { policy: never("queueMicrotask(() => { for (;;); });") }, `within ${T} ms`],
  ["loops in a tick", { policy: never("process.nextTick(() => { for (;;); });") }, `within ${T} ms`],
  ["loops in microtasks without end", { policy: never("(function f() { queueMicrotask(f); })();") }, `within ${T} ms`],
  [
    "leaves loops behind",
    {
      policy:
        "{ beforeToolCall() { for (let i = 0; i < 9; i++) Promise.resolve().then(() => { for (;;); }); for (;;); } }",
    },
    `within ${T} ms`,
  ],
  [
    "loops in spite of try",
    { policy: "{ beforeToolCall() { for (;;) { try { for (;;); } catch {} finally { continue; } } } }" },
    `within ${T} ms`,
  ],
  [
    "waits for ever",
    { policy: "{ beforeToolCall() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); } }" },
    `within ${T} ms`,
  ],
  ["never settles", { policy: never("") }, `within ${T} ms`],
  ["returns a thenable that never settles", returning("{ then() {} }"), `within ${T} ms`],
  ["ticks for ever", { policy: never("setInterval(() => {}, 1);") }, `within ${T} ms`],
  ["calls process.exit(0)", { policy: "{ beforeToolCall() { process.exit(0); } }" }, "called process.exit"],
  [
    "calls process.exit and hides it",
    { policy: "{ beforeToolCall() { try { process.exit(0); } catch {} } }" },
    "called process.exit",
  ],
  ["calls process.exit later", { policy: after("process.exit(0)") }, "called process.exit"],
  ["calls process.exit when loaded", { top: "process.exit(0);", policy: "{}" }, "called process.exit"],
  [
    "calls process.reallyExit",
    { policy: "{ beforeToolCall() { process.reallyExit(0); } }" },
    "called process.reallyExit",
  ],
  ["calls process.abort", { policy: "{ beforeToolCall() { process.abort(); } }" }, "called process.abort"],
  ["kills itself", { policy: `{ beforeToolCall() { process.kill(process.pid, "SIGKILL"); } }` }, "called process.kill"],
  [
    "kills itself by the back door",
    { policy: "{ beforeToolCall() { process._kill(process.pid, 9); } }" },
    "called process._kill",
  ],
  ["overflows the stack", { policy: "{ beforeToolCall() { (function f() { f(); })(); } }" }, "threw RangeError"],
];

function returning(value: string): { policy: string } {
  return { policy: `{ beforeToolCall: () => (${value}) }` };
}

function after(work: string): string {
  return `{ async beforeToolCall() { await new Promise((resolve) => setTimeout(resolve, 1)); ${work} } }`;
}

function never(work: string): string {
  return `{ beforeToolCall() { ${work} return new Promise(() => {}); } }`;
}

const goodDeny: LiteralPolicy = {
  hook: "good",
  card: "@you/good",
  policy: `{ beforeToolCall: () => ({ action: "deny", reason: "good deny" }) }`,
};

describe.each(failing)("a policy that %s", (_, literal, says) => {
  const bad = (kind: "enforcement" | "observer"): LiteralPolicy => ({ hook: "bad", kind, timeoutMs: T, ...literal });

  test("denies the call when it enforces, with its name and what went wrong", () => {
    const result = armHome([bad("enforcement")]).call();
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)).toContain("[@me/guards#bad]");
    expect(reasonOf(result)).toContain(says);
  });

  test("lets the call proceed when it observes, and is journaled", () => {
    const armed = armHome([bad("observer")]);
    expect(verdictOf(armed.call())).toBe("silence");
    expect(armed.journal()).toMatchObject([
      {
        verdict: "allow",
        policies: [{ policy: "@me/guards@1.2.3#bad", failure: expect.stringContaining(says), applied: false }],
      },
    ]);
  });

  test("leaves the deny of the policy behind it alone when it observes", () => {
    const result = armHome([bad("observer"), goodDeny]).call();
    expect(verdictOf(result)).toBe("deny");
    expect(reasonOf(result)).toBe("[@you/good#good] good deny");
  });
});

test("no policy is asked behind a deny, however bad it is", () => {
  const bad = failing.map(([, literal], index): LiteralPolicy => ({ hook: `bad-${index}`, timeoutMs: T, ...literal }));
  const armed = armHome([goodDeny, ...bad]);
  expect(reasonOf(armed.call())).toBe("[@you/good#good] good deny");
  expect(armed.journal()).toMatchObject([{ policies: [{ policy: "@you/good@1.2.3#good" }] }]);
});

test("every bad observer at once leaves a good deny alone", () => {
  const bad = failing.map(
    ([, literal], index): LiteralPolicy => ({ hook: `bad-${index}`, kind: "observer", timeoutMs: 20, ...literal }),
  );
  const armed = armHome([...bad, goodDeny]);
  expect(reasonOf(armed.call())).toBe("[@you/good#good] good deny");
  expect(armed.journal()).toMatchObject([{ verdict: "deny", policies: { length: failing.length + 1 } }]);
});

describe("a death that JavaScript cannot intercept blocks, whoever caused it", () => {
  test.each(["enforcement", "observer"] as const)("out of memory (%s)", (kind) => {
    const policy = "{ beforeToolCall() { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); } }";
    const result = armHome([{ kind, timeoutMs: 30_000, policy }]).call();
    expect(verdictOf(result)).toBe("block");
    expect(result.stderr).toContain("drwn: the hook process died");
    expect(result.stdout).toBe("");
  });
});
