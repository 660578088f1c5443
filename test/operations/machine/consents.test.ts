import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { listConsents, readConsentHistory, showConsent } from "../../../src/operations/machine/consents.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { pauseProject, resumeProject } from "../../../src/operations/project/pause.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { openProjectKey } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, GUARD, guardedProject, newProject, publish, trust, write } from "../../support/projects.ts";

/** What the log says, one line for each event. */
function historyOf(host: Parameters<typeof readConsentHistory>[0], card?: string): string[] {
  return readConsentHistory(host, card).events.map(
    ({ time, what, card: of, version, by }) => `${time.slice(0, 16)} ${what} ${of}@${version} ${by}`,
  );
}

describe("the history of consents", () => {
  test("tells of a consent, of a version that joined, and of the withdrawal, with their times", async () => {
    const host = await guardedProject();
    host.advance(60_000);
    await publish(host, { ...GUARD, version: "1.0.1", files: { "hooks/guard/README.md": "# other\n" } });
    await addCards(host, [CARD]);
    await write(host);
    host.advance(60_000);
    await revokeConsent(host, CARD);
    await write(host);
    expect(historyOf(host)).toEqual([
      `2026-03-01T12:00 granted ${CARD}@1.0.0 person`,
      `2026-03-01T12:01 approved ${CARD}@1.0.1 range`,
      `2026-03-01T12:02 revoked ${CARD}@1.0.1 null`,
    ]);
    expect(historyOf(host, "@me/other")).toEqual([]);
  });

  test("gets no line from commands that change no consent", async () => {
    const host = await guardedProject();
    await write(host);
    fs.rmSync(layout.hook(host.drwnHome));
    await write(host);
    expect(historyOf(host)).toHaveLength(1);
  });

  test("is of one project", async () => {
    const host = await guardedProject();
    const log = layout.consentLog(host.drwnHome, openProjectKey(host));
    const [only] = fs
      .readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(only).toMatchObject({ what: "granted", card: CARD, sequence: 1, previous: "" });
  });
});

describe("the list of consents", () => {
  test("has what was granted, what was withdrawn, and what the project asks for", async () => {
    const host = newProject();
    for (const name of ["@me/one", "@me/two", "@me/three"]) await publish(host, { ...GUARD, name });
    await addCards(host, ["@me/one", "@me/two", "@me/three"]);
    for (const card of ["@me/one", "@me/two"]) await trust(host, { card });
    await revokeConsent(host, "@me/two");
    const file = `${host.cwd}/.agents/drwn/trust.json`;
    const requests = { "@me/one": { hooks: "^1.0.0" }, "@me/three": { hooks: "^1.0.0" }, "@me/gone": { hooks: "1.x" } };
    fs.writeFileSync(file, JSON.stringify({ version: 1, requests }));
    const { consents, asked } = listConsents(host);
    expect(consents.map(({ card, revokedAt }) => [card, revokedAt !== null])).toEqual([
      ["@me/one", false],
      ["@me/two", true],
    ]);
    expect(asked).toEqual([
      { card: "@me/three", range: "^1.0.0", isInstalled: true },
      { card: "@me/gone", range: "1.x", isInstalled: false },
    ]);
    expect(showConsent(host, "@me/two")).toMatchObject({ card: "@me/two", revokedAt: "2026-03-01T12:00:00.000Z" });
    expect((await problemOf(() => showConsent(host, "@me/three"))).code).toBe("DRWN_CONSENT_MISSING");
  });
});

describe("a pause", () => {
  test("is said by status, doctor and the list, and ends by itself", async () => {
    const host = await guardedProject();
    const person = { ...host, isAtTerminal: true };
    expect(await pauseProject(person, 30)).toMatchObject({ until: "2026-03-01T12:30:00.000Z" });
    expect(readStatus(host).pausedUntil).toBe("2026-03-01T12:30:00.000Z");
    expect(listConsents(host).pausedUntil).toBe("2026-03-01T12:30:00.000Z");
    expect((await diagnoseProject(host)).findings.map(({ code }) => code)).toContain("paused");
    expect((await write(host)).findings.map(({ code }) => code)).toContain("paused");
    host.advance(30 * 60_000);
    expect(readStatus(host).pausedUntil).toBeNull();
    expect((await diagnoseProject(host)).findings.map(({ code }) => code)).not.toContain("paused");
  });

  test("can be ended, and both are in the log", async () => {
    const host = await guardedProject();
    await pauseProject({ ...host, isAtTerminal: true }, 5);
    expect(await resumeProject(host)).toMatchObject({ wasPaused: true });
    expect(await resumeProject(host)).toMatchObject({ wasPaused: false });
    expect(readConsentHistory(host, undefined).events.map(({ what, until }) => [what, until])).toEqual([
      ["granted", null],
      ["paused", "2026-03-01T12:05:00.000Z"],
      ["resumed", null],
    ]);
  });

  test.each([0, -1, 1.5, 24 * 60 + 1, Number.NaN])("of %s minutes is refused", async (minutes) => {
    const host = await guardedProject();
    const problem = await problemOf(() => pauseProject({ ...host, isAtTerminal: true }, minutes));
    expect(problem.code).toBe("DRWN_PAUSE_INVALID");
  });

  test("takes a person at a terminal", async () => {
    const host = await guardedProject();
    expect((await problemOf(() => pauseProject(host, 5))).code).toBe("DRWN_TERMINAL_NEEDED");
    const agent = { ...host, isAtTerminal: true, env: { ...host.env, CODEX_THREAD_ID: "1" } };
    expect((await problemOf(() => pauseProject(agent, 5))).code).toBe("DRWN_AGENT_SESSION");
    expect(listConsents(host).pausedUntil).toBeNull();
  });

  test("is refused where nothing is in force", async () => {
    const problem = await problemOf(() => pauseProject({ ...newProject(), isAtTerminal: true }, 5));
    expect(problem.code).toBe("DRWN_PAUSE_INVALID");
  });
});
