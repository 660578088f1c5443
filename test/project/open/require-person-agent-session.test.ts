import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { makeSigningKey } from "../../../src/card/signing/publisher-key.ts";
import { layout } from "../../../src/contract/layout.ts";
import { sayIn } from "../../../src/kernel/advice.ts";
import type { Host } from "../../../src/kernel/host.ts";
import { yankCard } from "../../../src/operations/author/annotate.ts";
import { packCard, publishCard } from "../../../src/operations/author/publish.ts";
import { showCard } from "../../../src/operations/author/show-card.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import {
  readConsentHistory,
  setConsentSettings,
  showConsentSettings,
} from "../../../src/operations/machine/consents.ts";
import { exportKey, listKeys, newKey, trustKey } from "../../../src/operations/machine/keys.ts";
import { acceptVersions, addRegistry, setCardScopes } from "../../../src/operations/machine/registry-settings.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { removeCard } from "../../../src/operations/project/remove.ts";
import { grantConsent, reviewConsent } from "../../../src/operations/project/trust.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { writeProject } from "../../../src/operations/project/write.ts";
import { openDefaultRegistry } from "../../../src/project/fetch/fetch-card.ts";
import { denyingPolicy, sourceWith } from "../../support/cards.ts";
import { ledgerFile, machineOf, snapshot } from "../../support/machine-state.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import {
  CARD,
  GUARD,
  guardedProject,
  inAgent,
  installed,
  newProject,
  publish,
  trust,
  write,
} from "../../support/projects.ts";
import { sweep } from "../../support/sweep.ts";

/** A key file of @you, which `guarded` has made. */
function signingKey({ drwnHome }: Host): string {
  return layout.ownKey(drwnHome, "@you");
}

async function guarded() {
  const host = await guardedProject();
  await newKey(host, { scope: "@you", rotate: false });
  return host;
}

function nextVersion(name: string): string {
  return sourceWith({ manifest: { name, version: "1.0.1" }, hooks: { guard: denyingPolicy("Bash") } });
}

describe("inside an agent's tool call", () => {
  const attempts: readonly [string, (host: Host) => unknown][] = [
    ["card trust", (host) => grantConsent(host, reviewConsent(host, { card: CARD, range: null }))],
    ["card untrust", (host) => revokeConsent(host, CARD)],
    ["remove", (host) => removeCard(host, CARD)],
    ["card publish", (host) => publishCard(host, { source: nextVersion(CARD), key: null, dryRun: false })],
    ["card yank", (host) => yankCard(host, `${CARD}@1.0.0`, true)],
    ["card unyank", (host) => yankCard(host, `${CARD}@1.0.0`, false)],
    ["card pack --key", (host) => packCard(host, { source: nextVersion("@you/new"), key: signingKey(host) })],
    ["key new", (host) => newKey(host, { scope: "@else", rotate: false })],
    ["key new --rotate", (host) => newKey(host, { scope: "@you", rotate: true })],
    ["key list --secret", (host) => exportKey(host, { scope: "@you", secret: true })],
    ["card show --accept-fewer", (host) => acceptVersions(host, CARD)],
    ["registry add", (host) => addRegistry(host, { name: "team", location: host.cwd, isStatic: false })],
    ["registry add --scope", (host) => setCardScopes(host, ["@me"], "default")],
    ["key trust", (host) => trustKey(host, { key: makeSigningKey().publisher, for: "@me" })],
  ];

  test.each(sweep(attempts, 8))(
    "`%s` refuses, names the agent and what a person can do, and changes nothing",
    async (_, attempt) => {
      const host = await guarded();
      const before = snapshot(machineOf(host));
      const problem = await problemOf(() => attempt(inAgent(host)));
      expect(problem.code).toBe("DRWN_AGENT_SESSION");
      expect(textOf(problem)).toContain("Claude Code, since CLAUDECODE is set");
      expect(problem.hint).toMatch(/terminal of their own: drwn /u);
      expect(snapshot(machineOf(host))).toEqual(before);
    },
  );

  test.each(sweep(attempts, 5))("`%s` works for a person without a terminal", async (name, attempt) => {
    const host = await guarded();
    const before = snapshot(machineOf(host));
    await attempt(host);
    const isLook = name === "key list --secret" || name === "card unyank";
    expect(JSON.stringify(snapshot(machineOf(host))) === JSON.stringify(before)).toBe(isLook);
  });

  test("a card that nobody consented to can be published: unsigned, without a key, and its record says so", async () => {
    const host = await guardedProject();
    const published = await publishCard(inAgent(host), { source: nextVersion("@me/new"), key: null, dryRun: false });
    expect(published).toMatchObject({ version: "1.0.1", publisher: null, madeKey: null, by: "agent" });
    expect(listKeys(host).own).toEqual([]);
    expect(await openDefaultRegistry(host).versions("@me/new")).toMatchObject([{ publishedBy: "agent" }]);
    expect(await showCard(host, "@me/new")).toMatchObject({ publishedBy: "agent" });
  });

  test("a card whose hooks nobody approved can be removed", async () => {
    const host = await installed(GUARD);
    expect(await removeCard(inAgent(host), CARD)).toEqual({ card: CARD, revoked: false });
  });

  test("`write` brings files up to date, and repairs a guard", async () => {
    const host = await guardedProject();
    fs.rmSync(layout.hook(host.drwnHome));
    await writeProject(inAgent(host), { wiring: undefined });
    expect(fs.existsSync(layout.hook(host.drwnHome))).toBe(true);
  });

  test("`write --project` refuses to leave sessions in folders below unguarded, and is taken where it was so before", async () => {
    const host = await guardedProject();
    const before = snapshot(machineOf(host));
    const problem = await problemOf(() => writeProject(inAgent(host), { wiring: "project" }));
    expect([problem.code, problem.hint]).toEqual([
      "DRWN_AGENT_SESSION",
      "a person can, in a terminal of their own: drwn write --project",
    ]);
    expect(snapshot(machineOf(host))).toEqual(before);
    await writeProject(host, { wiring: "project" });
    await writeProject(inAgent(host), { wiring: "project" });
    await writeProject(inAgent(host), { wiring: "user" });
  });

  test("`write` keeps the guard that a lock went back from, and refuses a plan that drops one, though a person consented to it", async () => {
    const host = newProject();
    await publish(host, { version: "1.0.0", hooks: { audit: { kind: "observer" } } });
    await publish(host, { version: "1.1.0", hooks: { audit: { kind: "observer" }, guard: { matcher: "Bash" } } });
    for (const version of ["1.0.0", "1.1.0"]) {
      await addCards(host, [`${CARD}@${version}`]);
      await trust(host, { range: "^1.0.0" });
      await write(host);
    }
    await addCards(host, [`${CARD}@1.0.0`]);
    expect((await write(inAgent(host))).plan.policies.map(({ hook }) => hook)).toEqual(["audit", "guard"]);
    await trust(host, { range: "^1.0.0" });
    const before = fs.readFileSync(ledgerFile(host));
    const problem = await problemOf(() => write(inAgent(host)));
    expect(textOf(problem)).toContain(`${CARD}@1.1.0#guard`);
    expect(problem.code).toBe("DRWN_AGENT_SESSION");
    expect(fs.readFileSync(ledgerFile(host))).toEqual(before);
    expect((await write(host)).plan.policies.map(({ hook }) => hook)).toEqual(["audit"]);
  });

  test.each([1, 21])(
    "`write` brings a plan of %i policies up to date, and refuses one with earlier versions of them, to which a person went back",
    async (count) => {
      const hooks = Object.fromEntries(Array.from({ length: count }, (_, at) => [`guard-${at}`, { matcher: "Bash" }]));
      const host = newProject();
      for (const version of ["1.0.0", "1.1.0"]) {
        await publish(host, { version, hooks });
        await addCards(host, [`${CARD}@${version}`]);
        await trust(host, { range: "^1.0.0" });
        await writeProject(inAgent(host), { wiring: undefined });
      }
      await addCards(host, [`${CARD}@1.0.0`]);
      await trust(host, { range: "^1.0.0" });
      const problem = await problemOf(() => write(inAgent(host)));
      expect([problem.code, textOf(problem)]).toEqual([
        "DRWN_AGENT_SESSION",
        expect.stringContaining(`drops ${CARD}@1.1.0#guard-0`),
      ]);
      expect((await write(host)).plan.policies).toHaveLength(count);
    },
  );

  test("a machine can ask for a terminal wherever a person is meant", async () => {
    const host = await guardedProject();
    const settings = { version: 1, registries: {}, scopes: {}, consent: { terminal: true } };
    fs.writeFileSync(layout.settings(host.drwnHome), JSON.stringify(settings));
    expect((await problemOf(() => revokeConsent(host, CARD))).code).toBe("DRWN_TERMINAL_NEEDED");
    expect(await revokeConsent({ ...host, isAtTerminal: true }, CARD)).toEqual({
      card: CARD,
      revoked: true,
      skills: [],
    });
  });

  test("a person sets what the machine asks for, one by one, and an agent does not", async () => {
    const host = await guardedProject();
    expect(await setConsentSettings(host, { releaseAgeHours: 5 })).toMatchObject({
      terminal: false,
      releaseAgeHours: 5,
    });
    const refused = problemOf(() => setConsentSettings(inAgent(host), { terminal: false }));
    expect((await refused).code).toBe("DRWN_AGENT_SESSION");
    await setConsentSettings(host, { terminal: true });
    expect(showConsentSettings(host)).toEqual({ ancestry: false, terminal: true, releaseAgeHours: 5 });
    expect((await problemOf(() => setConsentSettings(host, { terminal: false }))).code).toBe("DRWN_TERMINAL_NEEDED");
  });

  test("what a person sets is in the consent log, once, and doctor says when something else changed it", async () => {
    const host = await guardedProject();
    await write(host);
    const found = async () =>
      (await diagnoseProject(host)).findings.flatMap(({ code, message }) =>
        code === "consent-settings-differ" ? [message.split(": ")[1]] : [],
      );
    for (let again = 0; again < 2; again++) await setConsentSettings(host, { releaseAgeHours: 168 });
    await setConsentSettings(host, { ancestry: true });
    const { machine } = readConsentHistory(host, undefined);
    expect(machine.broken).toEqual([]);
    expect(machine.events.map(({ ancestry, releaseAgeHours }) => [ancestry, releaseAgeHours])).toEqual([
      [false, 168],
      [true, 168],
    ]);
    expect(await found()).toEqual([]);
    const settings = { version: 1, registries: {}, scopes: {}, consent: { releaseAgeHours: 0 } };
    fs.writeFileSync(layout.settings(host.drwnHome), JSON.stringify(settings));
    expect(await found()).toEqual(["the ancestry is not what was set", "the release age is not what was set"]);
    await setConsentSettings(host, { ancestry: true, releaseAgeHours: 168 });
    expect(await found()).toEqual([]);
    const log = layout.settingsLog(host.drwnHome);
    fs.writeFileSync(log, fs.readFileSync(log, "utf8").replace("168", "100"));
    expect(await found()).toEqual(["line 2 of its log does not follow from the one before it"]);
    const { findings } = await diagnoseProject(host);
    const hint = findings.find(({ code }) => code === "consent-settings-differ")?.hint ?? "";
    expect(sayIn("project", hint)).toContain(`move ${log} away`);
    fs.rmSync(log);
    expect(await found()).toHaveLength(2);
    await setConsentSettings(host, { ancestry: true, releaseAgeHours: 168 });
    expect(await found()).toEqual([]);
  });

  test("no file of a project changes what the machine asks for", async () => {
    const host = await guardedProject();
    const settings = { version: 1, registries: {}, scopes: {}, consent: { terminal: false, ancestry: false } };
    fs.writeFileSync(path.join(host.cwd, "config.json"), JSON.stringify(settings));
    fs.writeFileSync(path.join(host.cwd, ".env"), `DRWN_HOME=${host.cwd}\n`);
    expect((await problemOf(() => revokeConsent(inAgent(host), CARD))).code).toBe("DRWN_AGENT_SESSION");
  });
});
