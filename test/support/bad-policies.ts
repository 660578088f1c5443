import type { LiteralPolicy } from "./armed-home.ts";

/** The time limit, in milliseconds, of every bad policy that has none of its own. */
export const TIMEOUT_MS = 250;
const T = TIMEOUT_MS;

export type BadPolicy = [name: string, policy: Partial<LiteralPolicy> & { policy: string }, says: string];

/** Policies that fail, and how the reason says so. */
export const BAD_POLICIES: readonly BadPolicy[] = [
  ["throws", { policy: `{ beforeToolCall() { throw new Error("boom"); } }` }, "threw Error: boom"],
  ["throws a string", { policy: `{ beforeToolCall() { throw "boom"; } }` }, `threw "boom"`],
  ["throws null", { policy: `{ beforeToolCall() { throw null; } }` }, "threw something"],
  [
    "throws what cannot be read",
    { policy: `{ beforeToolCall() { throw { get message() { throw 1; } }; } }` },
    "threw something that cannot be read",
  ],
  [
    "throws since no shell would read a command",
    {
      policy: `{ beforeToolCall() { throw Object.assign(new Error("a quote is not closed"), { name: "UnreadableCommand" }); } }`,
    },
    "can't read this command: a quote is not closed",
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
  ["returns a string", returning(`"deny"`), "returned something that isn't a valid decision"],
  ["returns null", returning("null"), "returned something that isn't a valid decision"],
  ["returns a list", returning(`[{ action: "deny", reason: "no" }]`), "returned something that isn't a valid decision"],
  ["returns an empty object", returning("{}"), "whose action is none of"],
  ["returns an unknown action", returning(`{ action: "Deny", reason: "no" }`), "whose action is none of"],
  ["inherits its action", returning(`Object.create({ action: "deny", reason: "no" })`), "whose action is none of"],
  ["returns an unknown field", returning(`{ action: "allow", why: "so" }`), "a field that no decision has"],
  ["returns a symbol", returning(`{ action: "allow", [Symbol.iterator]: 1 }`), "a field that no decision has"],
  ["returns a field of another decision", returning(`{ action: "ask", reason: "x", updatedInput: {} }`), "belongs to"],
  ["denies without a reason", returning(`{ action: "deny" }`), "returned a deny without a reason"],
  ["denies with a blank reason", returning(`{ action: "deny", reason: " \\n" }`), "returned a deny without a reason"],
  ["asks with a number", returning(`{ action: "ask", reason: 7 }`), "returned an ask without a reason"],
  ["gives context that isn't text", returning(`{ action: "allow", additionalContext: {} }`), "isn't a string"],
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
  [
    "returns a revoked proxy",
    returning("(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()"),
    "threw TypeError",
  ],
  ["returns a thenable that throws", returning(`{ then() { throw new Error("then"); } }`), "threw Error: then"],
  ["returns a thenable that loops", returning("{ then() { for (;;); } }"), `within ${T} ms`],
  ["returns a generator", returning("(function* () { yield 1; })()"), "whose action is none of"],
  [
    "returns an endless async generator's value",
    { policy: "{ async beforeToolCall() { for await (const _ of (async function* () { for (;;) yield 1; })()); } }" },
    `within ${T} ms`,
  ],
  [
    "exports an accessor that throws",
    { top: `Object.defineProperty(module, "exports", { get() { throw new Error("getter"); } });`, policy: "{}" },
    "threw Error: getter",
  ],
  ["has a callback that is no function", { policy: `{ beforeToolCall: "deny" }` }, "has no beforeToolCall"],
  [
    "gives a reason that is an object with a text",
    returning(`{ action: "deny", reason: { toString: () => "no" } }`),
    "without a reason",
  ],
  [
    "formats its stack in a loop",
    { policy: `{ beforeToolCall() { Error.prepareStackTrace = () => { for (;;); }; new Error().stack; } }` },
    `within ${T} ms`,
  ],
  [
    "loops in a species",
    {
      policy:
        "{ beforeToolCall() { class L extends Array { static get [Symbol.species]() { for (;;); } } new L(3).map((x) => x); } }",
    },
    `within ${T} ms`,
  ],
];

/** The same mistake and its name in a lifecycle hook, on an event that takes text and no other input. */
export function atMoment([name, literal, says]: BadPolicy): BadPolicy {
  const rewrites = literal.policy.includes("updatedInput") && !literal.policy.includes(`"ask"`);
  const policy = literal.policy
    .replaceAll("beforeToolCall", "run")
    .replace(/(["'])allow\1/gu, `"proceed"`)
    .replaceAll(`"deny"`, `"reject"`);
  return [name, { ...literal, policy }, rewrites ? "returned an input where the event takes none" : wordingAt(says)];
}

function wordingAt(says: string): string {
  if (/^returned an? \w+ without a reason$/u.test(says)) return "held the event without a reason";
  return says.replace("beforeToolCall", "run").replace(/(?<=a field that no |isn't a valid )decision/u, "outcome");
}

function returning(value: string): { policy: string } {
  return { policy: `{ beforeToolCall: () => (${value}) }` };
}

function after(work: string): string {
  return `{ async beforeToolCall() { await new Promise((resolve) => setTimeout(resolve, 1)); ${work} } }`;
}

function never(work: string): string {
  return `{ beforeToolCall() { ${work} return new Promise(() => {}); } }`;
}
