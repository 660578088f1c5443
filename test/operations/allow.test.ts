import fs from "node:fs";
import { describe, expect, test } from "vitest";
import AllowList from "../../src/cli/commands/allow/list.ts";
import AllowRemove from "../../src/cli/commands/allow/remove.ts";
import { layout } from "../../src/contract/layout.ts";
import {
  type AllowRequest,
  allowCall,
  listAllowable,
  listExceptions,
  removeException,
} from "../../src/operations/diagnose/allow.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readConsentHistory } from "../../src/operations/machine/consents.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { grantConsent, reviewConsent } from "../../src/operations/project/trust.ts";
import { revokeConsent } from "../../src/operations/project/untrust.ts";
import type { Ruling } from "../../src/runtime/journal/journal.ts";
import { openProject } from "../../src/workspace/open-project.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { newJournal } from "../support/journals.ts";
import { openProjectKey } from "../support/machine-state.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { CARD, GUARD, guardedProject, inAgent, plant } from "../support/projects.ts";

const CALL = { digest: "a".repeat(64), folder: "/p", session: "s-1" };
const DENIED: Ruling = {
  rule: "deny",
  by: `${CARD}@1.0.0#guard`,
  reason: "no",
  context: 0,
  updatedInput: null,
  call: CALL,
};

/** A project in whose journal a denied call is, and the call's id. */
async function withDenial(parts: Partial<Ruling> = {}): Promise<{ host: TestHost; id: string }> {
  const host = { ...(await guardedProject()), isAtTerminal: true };
  const journal = newJournal(openProjectKey(host), host.drwnHome);
  journal.begin()({ verdict: "deny", ruling: { ...DENIED, ...parts } });
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
      journal.begin()({ verdict: "deny", ruling });
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
      exception: `${exception.id} past guard: the call aaaaaaaaaaaa, once, because "reviewed"`,
    });
    expect(listExceptions(host)).toMatchObject([{ id: exception.id, uses: 0, state: "holds" }]);
    expect((await diagnoseProject(host)).findings.map(({ code }) => code)).not.toContain("consent-log-differs");
    fs.writeFileSync(layout.exceptionUses(host.drwnHome, openProjectKey(host), exception.id), ".");
    expect(listExceptions(host)).toMatchObject([{ uses: 1, state: "used-up" }]);
    host.advance(600_001);
    expect(listExceptions(host)).toMatchObject([{ state: "ended" }]);
    expect((await runCommand(host, AllowList)).stdout).toContain(`${CARD}#guard  one call      1     ended  reviewed`);
    expect((await runCommand(host, AllowRemove, exception.id)).stdout).toContain(`${CARD}#guard judges it again`);
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
    ["what cannot be named", {}, { call: undefined }, "every folder"],
    ["a hook that is gone", {}, { by: `${CARD}@1.0.0#gone` }, "no longer what this project consented to"],
    ["a card that nobody consented to", {}, { by: "@me/other@1.0.0#guard" }, "no longer"],
    ["a pattern for any program", { like: "* push" }, {}, "isn't a pattern"],
    ["a pattern of one word", { like: "git" }, {}, "isn't a pattern"],
    ["a pattern with a variable for a program", { like: "$X push" }, {}, "isn't a pattern"],
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
    await revokeConsent(host, CARD);
    expect(openProject(host).ledger?.exceptions).toBeUndefined();
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
});
