import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { redactSecrets } from "../../../src/hook/journal/redact.ts";
import { verifyJournal } from "../../../src/journal/verify.ts";
import { type ArmedHome, armHome } from "../../support/armed-home.ts";
import { verdictOf } from "../../support/hook-calls.ts";
import { callAtOnce } from "../../support/hook-storm.ts";
import { newJournal } from "../../support/journals.ts";

const denying = `{ beforeToolCall: () => ({ action: "deny", reason: "token=hunter2 is no good" }) }`;
const journaled = (armed: ArmedHome) => verifyJournal({ home: armed.home, key: armed.key });

describe("the journal of the real hook", () => {
  test("is chained, and says which rule decided, without secrets", () => {
    const armed = armHome([{ policy: denying }]);
    armed.call();
    armed.call();
    const by = "@me/guards@1.2.3#guard-0";
    const reason = "token=[redacted] is no good";
    expect(armed.journal()).toMatchObject([{ rule: "deny", by, reason }, { rule: "deny" }]);
    expect(journaled(armed)).toMatchObject({ ok: true, calls: 2, faults: [] });
  });

  test("keeps no half of a secret that a reason is cut in", () => {
    const journal = newJournal();
    const reason = `${"x ".repeat(145)}ghp_abcdefghijklmnopqrstuvwxyz0123`;
    journal.begin()({ verdict: "deny", ruling: { rule: "deny", by: "p", reason, context: 0, updatedInput: null } });
    expect(journal.lines()[0]).toContain("[redacted");
    expect(journal.lines()[0]).not.toContain("ghp_");
  });

  test("keeps the input of a rewritten call, before and after, and no secret of it, unless a person wants none", () => {
    const rewrite = `{ beforeToolCall: ({ input }) => ({ action: "allow", updatedInput: { command: input.command + " -v" } }) }`;
    const armed = armHome([{ policy: rewrite }]);
    const event = { tool_input: { command: `curl -H "Authorization: Bearer abcdef123456" ${"x".repeat(5_000)}` } };
    armed.call(event);
    fs.writeFileSync(layout.journalWithoutInputs(armed.home, armed.key), "");
    armed.call(event);
    const [withInput, without] = armed.journal();
    expect(without).toMatchObject({ rewritten: true });
    expect(without).not.toHaveProperty("input");
    for (const text of [withInput?.["input"], withInput?.["rewritten"]]) {
      expect(text).toMatch(/^\{"command":"curl -H .*Bearer \[redacted\].*x…$/u);
      expect(String(text).length).toBe(2_001);
    }
    expect(journaled(armed).ok).toBe(true);
  });

  test("keeps the input of every call where a person wants that", () => {
    const armed = armHome([{ policy: "{ beforeToolCall: () => undefined }" }]);
    armed.call();
    fs.writeFileSync(layout.journalInputs(armed.home, armed.key), "");
    armed.call();
    const [without, withInput] = armed.journal();
    expect(without).not.toHaveProperty("input");
    expect(withInput).toHaveProperty("input");
  });

  test("keeps the whole input of a denied or asked call, and nothing of others", () => {
    const armed = armHome([
      {
        policy: `{ beforeToolCall: ({ input }) => input.command.startsWith("ok") ? undefined : { action: input.command.startsWith("ask") ? "ask" : "deny", reason: "no" } }`,
      },
    ]);
    const long = `git push ${"x".repeat(5_000)}`;
    for (const command of ["ok", "ask me", long]) armed.call({ tool_input: { command } });
    fs.writeFileSync(layout.journalWithoutInputs(armed.home, armed.key), "");
    armed.call({ tool_input: { command: "rm" } });
    const [passed, asked, denied, off] = armed.journal();
    for (const line of [passed, off]) expect(line).not.toHaveProperty("input");
    expect(asked).toMatchObject({ input: '{"command":"ask me"}', isWhole: true });
    expect(denied).toMatchObject({ input: JSON.stringify({ command: long }), isWhole: true });
    expect(journaled(armed).ok).toBe(true);
  });

  test.each([
    ["a call that is too long", `git push ${"x".repeat(40_000)}`],
    ["a secret with a command in it", 'TOKEN="$(reboot)" git push'],
    ["a word that looks like a secret", "TOKEN=main; git push --force origin $TOKEN"],
  ])("doesn't call %s whole", (_, command) => {
    const armed = armHome([{ policy: denying }]);
    armed.call({ tool_input: { command } });
    expect(armed.journal()[0]).toHaveProperty("input");
    expect(armed.journal()[0]).not.toHaveProperty("isWhole");
    expect(journaled(armed).ok).toBe(true);
  });

  test("keeps every line of calls that come at once, and its chain", async () => {
    const armed = armHome([{ policy: denying }]);
    expect(new Set((await callAtOnce(armed, 24)).map(verdictOf))).toEqual(new Set(["deny"]));
    expect(journaled(armed)).toMatchObject({ ok: true, calls: 24 });
  });

  test.each([
    [
      "by policies that have replaced what it relies on",
      `for (const o of [Uint8Array.prototype, Object.getPrototypeOf(Uint8Array.prototype), DataView.prototype, Int32Array.prototype]) for (const k of Reflect.ownKeys(o)) { try { Object.defineProperty(o, k, { value: () => 7 }); } catch {} }; globalThis.Uint8Array = globalThis.Int32Array = globalThis.DataView = function () {}; Math.floor = () => 0; RegExp.prototype.exec = () => null;`,
    ],
    [
      "by lists that call setters",
      "for (let i = 0; i < 70; i++) Object.defineProperty(Array.prototype, i, { set() {}, get() { return 'x'; } });",
    ],
  ])("cannot be falsified %s, whichever SHA-256 hashes its lines", (_, top) => {
    // So much of a policy is digested by WebAssembly, which then hashes the line, too.
    for (const padding of ["", `/* ${"x".repeat(10_000)} */`]) expectUnfalsified(`${top} ${padding}`);
  });

  function expectUnfalsified(top: string): void {
    const armed = armHome([{ policy: denying, top }]);
    armed.call();
    armed.call();
    expect(armed.journal()).toMatchObject([{ reason: expect.stringContaining("[redacted]") }, { verdict: "deny" }]);
    expect(journaled(armed)).toMatchObject({ ok: true, calls: 2 });
  }

  test.each(["2001-01-01T00:00:00.000Z", "2199-01-01T00:00:00.000Z"])("does not mind a clock that says %s", (time) => {
    const armed = armHome([{ policy: denying }]);
    armed.call();
    const { file } = newJournal(armed.key, armed.home);
    fs.utimesSync(file, new Date(time), new Date(time));
    armed.call();
    expect(journaled(armed)).toMatchObject({ ok: true, calls: 2 });
  });
});

describe("what looks like a secret is not kept", () => {
  test.each([
    [`curl -H "Authorization: Bearer abcdef123456" https://me:hunter2@host/x`, ["abcdef", "hunter2"]],
    ["token=abc123&user=me", ["abc123"]],
    [`{"password":"hunter2 with spaces","x":1}`, ["hunter2", "spaces"]],
    [`{\\"password\\":\\"hunter2 x\\",\\"y\\":1}`, ["hunter2"]],
    ["mysql --password hunter2 -u me", ["hunter2"]],
    [`export API_KEY="hunter2 b"`, ["hunter2"]],
    ["aws_secret_access_key = wJalr/K7+x", ["wJalr"]],
    ["DB_PASSWORD=hunter2", ["hunter2"]],
    ["uses ghp_abcdefghijklmnopqrstuvwxyz0123", ["ghp_"]],
    ["sk-abcdefghijklmnopqrstuvwx", ["sk-"]],
    ["AKIAABCDEFGHIJKLMNOP", ["AKIA"]],
    ["pypi-AgEIcHlwaS5vcmcCJDU hvs.CAESIJabcdefgh", ["AgEI", "CAES"]],
    ["Cookie: session=hunter2; other=hunter3", ["hunter"]],
    ["-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- end", ["abc"]],
  ])("%j", (text, secrets) => {
    const redacted = redactSecrets(text);
    for (const secret of secrets) expect(redacted).not.toContain(secret);
    expect(redacted).toContain("[redacted]");
  });

  test.each(["the token expired", "rm -rf / is not allowed here", `author: Jane said "x"`, `git commit -m "token"`])(
    "and %j is",
    (text) => {
      expect(redactSecrets(text)).toBe(text);
    },
  );

  test.each([
    "a",
    "=",
    "token=",
    "--",
    "://a:",
    "sk-",
    '"',
    "-----BEGIN PRIVATE KEY-----",
    "password ",
    "eyJaaaaaaaa.",
  ])(
    "however often %j is repeated",
    (piece) => {
      expect(redactSecrets(piece.repeat(20_000 / piece.length)).length).toBeGreaterThan(0);
    },
    5_000,
  );
});
