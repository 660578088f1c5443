import fs from "node:fs";
import { describe, expect, test } from "vitest";
import Allow from "../../../src/cli/commands/allow.ts";
import { renderWholeCall, visibleLines } from "../../../src/cli/render/log.ts";
import { makeStyle } from "../../../src/cli/terminal/style.ts";
import { layout } from "../../../src/contract/layout.ts";
import type { Ruling } from "../../../src/hook/journal/journal.ts";
import {
  type AllowRequest,
  allowCall,
  listAllowable,
  listExceptions,
  lookAtCall,
  removeException,
} from "../../../src/operations/diagnose/allow.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import { listCalls } from "../../../src/operations/diagnose/log.ts";
import { readConsentHistory } from "../../../src/operations/machine/consents.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { grantConsent, reviewConsent } from "../../../src/operations/project/trust.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { newJournal } from "../../support/journals.ts";
import { openProjectKey } from "../../support/machine-state.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { CARD, GUARD, guardedProject, inAgent, plant } from "../../support/projects.ts";

const CALL = { digest: "a".repeat(64), folder: "/p", session: "s-1" };
const DENIED: Ruling = {
  rule: "deny",
  by: `${CARD}@1.0.0#guard`,
  reason: "no",
  context: 0,
  updatedInput: null,
  call: CALL,
};

const PUSH = JSON.stringify({ command: "git push --force origin user/login" });

/** A project in whose journal a denied call is, and the call's id. */
async function withDenial(
  parts: Partial<Ruling> = {},
  input: string | null = PUSH,
): Promise<{ host: TestHost; id: string }> {
  const host = { ...(await guardedProject()), isAtTerminal: true };
  const journal = newJournal(openProjectKey(host), host.drwnHome);
  journal.begin({ input })({ verdict: "deny", ruling: { ...DENIED, ...parts } });
  return { host, id: /"hash":"([0-9a-f]{12})/u.exec(journal.lines().at(-1) ?? "")?.[1] ?? "" };
}

function asked(id: string, parts: Partial<AllowRequest> = {}): AllowRequest {
  return { id, lasting: "once", like: null, reason: "", ...parts };
}

describe("drwn allow", () => {
  test("refuses a call whose line in the journal was edited", async () => {
    const { host, id } = await withDenial();
    const file = layout.journal(host.drwnHome, openProjectKey(host));
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("a".repeat(64), "b".repeat(64)));
    expect(textOf(await problemOf(() => allowCall(host, asked(id))))).toContain("was edited");
  });

  test("offers what can have an exception, the latest first, and a call that was tried again once", async () => {
    const { host, id } = await withDenial({ reason: "first" });
    const journal = newJournal(openProjectKey(host), host.drwnHome);
    const { call, ...failed } = { ...DENIED, rule: "failure" as const };
    for (const ruling of [DENIED, { ...DENIED, call: { ...CALL, digest: "c".repeat(64) } }, failed])
      journal.begin({ input: PUSH })({ verdict: "deny", ruling });
    const offered = listAllowable(host);
    expect(offered.map(({ named }) => named?.digest[0]).sort()).toEqual(["a", "c"]);
    expect(offered.map(({ id: one }) => one)).not.toContain(id);
    for (const there of [inAgent(host), { ...host, isAtTerminal: false }]) {
      expect(textOf(await problemOf(async () => listAllowable(there)))).toContain("let a denied call through");
    }
  });

  test("lets one call through, for that hook, within ten minutes, and is in the log", async () => {
    const { host, id } = await withDenial();
    const exception = await allowCall(host, asked(id, { reason: "reviewed" }));
    expect(exception).toMatchObject({ card: CARD, hook: "guard", call: "a".repeat(64), like: null, isOnce: true });
    expect(Date.parse(exception.expiresAt ?? "") - host.now().getTime()).toBe(600_000);
    expect(readConsentHistory(host, CARD).events.at(-1)).toMatchObject({
      what: "allowed",
      card: CARD,
      until: exception.expiresAt,
      exception: `${exception.id} past guard: exactly that call, once, because "reviewed"`,
    });
    expect(exception.id).toBe(id);
    expect(listExceptions(host)).toMatchObject([{ id, uses: 0, state: "holds" }]);
    expect((await diagnoseProject(host)).findings.map(({ code }) => code)).not.toContain("consent-log-differs");
    fs.writeFileSync(layout.exceptionUses(host.drwnHome, openProjectKey(host), exception.id), ".");
    expect(listExceptions(host)).toMatchObject([{ uses: 1, state: "used-up" }]);
    host.advance(600_001);
    expect(listExceptions(host)).toMatchObject([{ state: "ended" }]);
    expect((await runCommand(host, Allow, "--list")).stdout).toContain(
      `git push --force origin user/login  ${CARD}#guard  1     ended  reviewed  ${id}`,
    );
    expect((await runCommand(host, Allow, "--remove", exception.id)).stdout).toContain(`${CARD}#guard judges it again`);
    expect([listExceptions(host), openProject(host).ledger?.exceptions]).toEqual([[], undefined]);
    expect(readConsentHistory(host, CARD).events.at(-1)).toMatchObject({ what: "disallowed" });
  });

  test.each<[Partial<AllowRequest>, Record<string, unknown>]>([
    [{ lasting: { for: "15m" } }, { isOnce: false, session: null, expiresAt: "2026-03-01T12:15:00.000Z" }],
    [{ lasting: "session" }, { isOnce: false, session: "s-1", expiresAt: "2026-03-02T12:00:00.000Z" }],
    [{ lasting: "always" }, { isOnce: false, session: null, expiresAt: null }],
    [
      { like: "git push --force origin user/*" },
      { call: null, like: { folder: "/p", words: ["git", "push", "--force", "origin", "user/*"] } },
    ],
  ])("with %j is made of %j", async (parts, is) => {
    const { host, id } = await withDenial();
    expect(await allowCall(host, asked(id, parts))).toMatchObject(is);
  });

  test.each<[string, Partial<AllowRequest>, object, string]>([
    ["a failure", {}, { rule: "failure" }, "has no exceptions"],
    ["an ask", {}, { rule: "ask" }, "has no exceptions"],
    ["what cannot be named", {}, { call: undefined }, "root's"],
    ["a hook that is gone", {}, { by: `${CARD}@1.0.0#gone` }, "what was consented to any more"],
    ["a card that nobody consented to", {}, { by: "@me/other@1.0.0#guard" }, "any more"],
    ["a pattern for any program", { like: "* push" }, {}, "isn't a pattern"],
    ["a pattern of one word", { like: "git" }, {}, "isn't a pattern"],
    ["a pattern with a variable for a program", { like: "$X push" }, {}, "isn't a pattern"],
    ["a pattern that doesn't cover the call", { like: "git push --force origin team/*" }, {}, "doesn't cover the call"],
    ["an unknown session", { lasting: "session" }, { call: { ...CALL, session: "" } }, "which session"],
    ["a time of no unit", { lasting: { for: "15" } }, {}, "isn't a time"],
    ["a time that is too long", { lasting: { for: "31d" } }, {}, "isn't a time"],
    ["a reason of two lines", { reason: "a\nb" }, {}, "one line"],
  ])("is refused for %s", async (_, parts, ruling, says) => {
    const { host, id } = await withDenial(ruling);
    const problem = await problemOf(() => allowCall(host, asked(id, parts)));
    expect([problem.code, textOf(problem)]).toEqual(["DRWN_EXCEPTION_INVALID", expect.stringContaining(says)]);
    expect(listExceptions(host)).toEqual([]);
  });

  test("is for a person at a terminal", async () => {
    const { host, id } = await withDenial();
    const ofAgent = await problemOf(() => allowCall(inAgent(host), asked(id)));
    const ofScript = await problemOf(() => allowCall({ ...host, isAtTerminal: false }, asked(id)));
    expect([ofAgent.code, ofScript.code]).toEqual(["DRWN_AGENT_SESSION", "DRWN_TERMINAL_NEEDED"]);
    expect(listExceptions(host)).toEqual([]);
  });

  test("may be taken back by anybody, and goes with the consent", async () => {
    const { host, id } = await withDenial();
    const { id: first } = await allowCall(host, asked(id, { lasting: "always" }));
    await removeException(inAgent(host), first);
    await allowCall(host, asked(id, { lasting: "always" }));
    fs.writeFileSync(layout.exceptionUses(host.drwnHome, openProjectKey(host), id), ".");
    await allowCall(host, asked(id));
    expect(listExceptions(host)).toMatchObject([{ id, isOnce: true, uses: 0, state: "holds" }]);
    await revokeConsent(host, CARD);
    expect(openProject(host).ledger?.exceptions).toBeUndefined();
  });

  test("belongs to the scope of the guard that denied", async () => {
    const { host, id } = await withDenial();
    const everywhere: TestHost = { ...host, scope: "global" };
    await addCards(everywhere, [CARD]);
    await grantConsent(everywhere, reviewConsent(everywhere, { card: CARD, range: null }));
    const journal = newJournal(openProjectKey(host), host.drwnHome);
    const denial = { policy: `${CARD}@1.0.0#guard`, scope: "global" as const };
    journal.begin({ input: PUSH })({ verdict: "deny", ruling: DENIED }, [denial]);
    const { id: global } = listCalls(host, {}, 1)[0] ?? { id: "" };
    await allowCall(host, asked(global));
    expect([openProject(host).ledger?.exceptions, openProject(everywhere).ledger?.exceptions?.length]).toEqual([
      undefined,
      1,
    ]);
    await allowCall(host, asked(id));
    expect(listExceptions(host).map((one) => [one.id, one.isGlobal, one.shown])).toEqual([
      [id, false, "git push --force origin user/login"],
      [global, true, "git push --force origin user/login"],
    ]);
    await removeException(host, global);
    expect(openProject(everywhere).ledger?.exceptions).toBeUndefined();
  });

  test("is void once the hook has other facts, and stays over other code", async () => {
    const { host, id } = await withDenial();
    await allowCall(host, asked(id, { lasting: "always" }));
    await plant(host, { ...GUARD, version: "1.0.1", files: { "hooks/guard/README.md": "# other\n" } });
    await addCards(host, [CARD]);
    await grantConsent(host, reviewConsent(host, { card: CARD, range: null }));
    expect(listExceptions(host)).toMatchObject([{ state: "holds" }]);
    await plant(host, { version: "1.0.2", hooks: { guard: { matcher: "mcp__*" } } });
    await addCards(host, [CARD]);
    await grantConsent(host, reviewConsent(host, { card: CARD, range: null }));
    expect(listExceptions(host)).toMatchObject([{ state: "void" }]);
  });

  test.each<[string, string | null, string]>([
    ["is not in the journal", null, "doesn't say what call"],
    ["is too long for the journal", JSON.stringify({ command: `: ${"x".repeat(40_000)}; git push` }), "only a part"],
    [
      "has a command in what looks like a secret",
      JSON.stringify({ command: "TOKEN='$(reboot)' git push" }),
      "only a part",
    ],
    ["has a list in what looks like a secret", JSON.stringify({ command: 'API_KEY="a;b" git push' }), "only a part"],
    [
      "has a branch in what looks like a secret",
      JSON.stringify({ command: "TOKEN=main; git push $TOKEN" }),
      "only a part",
    ],
    ["has a folder in what looks like a secret", JSON.stringify({ command: "KEY=/home/me; rm $KEY" }), "only a part"],
    ["has an option's value masked", JSON.stringify({ command: "git push --signing-key=x" }), "only a part"],
    ["has a setting of npm, masked", JSON.stringify({ command: "npm_config_script_shell=x npm t" }), "only a part"],
    ["has a branch in an address", JSON.stringify({ command: "X=https://a:main@b; git push $X" }), "only a part"],
    ["has a blank in what looks like a secret", JSON.stringify({ command: "x --password 'a b'" }), "only a part"],
    ["has a cookie with a pipe", JSON.stringify({ command: "curl -H Cookie: a=b | sh" }), "only a part"],
    ["has an address with a substitution", JSON.stringify({ command: "curl https://u:$(id)@h/" }), "only a part"],
    ["begins a key that never ends", JSON.stringify({ content: "-----BEGIN PRIVATE KEY-----\nreboot" }), "only a part"],
  ])("lets nobody allow a call that %s", async (_, input, says) => {
    const { host, id } = await withDenial({}, input);
    for (const look of [() => allowCall(host, asked(id)), async () => lookAtCall(host, { id, like: null })])
      expect(textOf(await problemOf(look))).toContain(says);
    expect(listExceptions(host)).toEqual([]);
  });

  test("shows all of a folder and of a field's name, however long", async () => {
    const name = "n".repeat(300);
    const { host, id } = await withDenial({}, JSON.stringify({ command: "git push", [name]: 1 }));
    const { call } = lookAtCall(host, { id, like: null });
    const folder = `/p/${"f".repeat(4_050)}`;
    const named = call.named === undefined ? undefined : { ...call.named, folder };
    const shown = renderWholeCall({ call: { ...call, named }, reach: null }, makeStyle(false));
    expect(shown).toEqual(expect.arrayContaining([`${id} → Bash in ${folder}`, `  ${name}:`]));
  });

  test("shows the whole call, and what a pattern covers", async () => {
    const { host, id } = await withDenial();
    const like = "git push --force origin user/*";
    expect(renderWholeCall(lookAtCall(host, { id, like }), makeStyle(false))).toEqual([
      `${id} → Bash in /p`,
      "  command:",
      "    git push --force origin user/login",
      `  denied by ${CARD}@1.0.0#guard: no`,
      "  The pattern also covers, in this folder:",
      "    git push --force origin user/abc",
      "    git push --force origin user/v1.2-rc_3",
      "  but not:",
      ...["--abc", "+abc", "@abc", "abc:def", "abc/def", "../abc", ".abc"].map(
        (word) => `    git push --force origin user/${word}`,
      ),
      "    git push --force origin 'user/abc def'",
    ]);
  });
});

describe("a call that a person lets through", () => {
  test.each<[string, string[]]>([
    ["git push", ["git push"]],
    [`git status${" ".repeat(4_000)}; reboot`, ["git status·(×4000); reboot"]],
    [`git status${"\n".repeat(300)}reboot`, ["git status", "(299 empty lines)", "reboot"]],
    ["a\n\nb", ["a", "", "b"]],
    ["a  b ", ["a··b·"]],
    ["\ta", ["→a"]],
    ["a\rb", ["a\\u{d}b"]],
    ["a\u001b[8mb", ["a\\u{1b}[8mb"]],
    ["a\u200bb\u202eb", ["a\\u{200b}b\\u{202e}b"]],
    ["a\u00a0b\u3000c", ["a\\u{a0}b\\u{3000}c"]],
    ["a\u00b7b", ["a\\u{b7}b"]],
    ["a\u2800\ufffcb\u{13441}\u{16fe4}\u{1d159}", ["a\\u{2800}\\u{fffc}b\\u{13441}\\u{16fe4}\\u{1d159}"]],
    ["x".repeat(30_000), ["x".repeat(30_000)]],
  ])("is shown whole, with its blanks: %j", (text, lines) => {
    expect(visibleLines(text)).toEqual(lines);
  });
});
