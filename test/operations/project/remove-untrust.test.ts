import fs from "node:fs";
import { expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { listCards } from "../../../src/operations/project/list.ts";
import { removeCard } from "../../../src/operations/project/remove.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { previewWrite } from "../../../src/operations/project/write.ts";
import { readLedger } from "../../../src/trust/ledger-file.ts";
import type { TestHost } from "../../support/host.ts";
import { ledgerFile, machineOf, openProjectKey, snapshot } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, GUARD, guardedProject, installed, publish, trust, write } from "../../support/projects.ts";

const grantOf = (host: TestHost) => readLedger(host.drwnHome, openProjectKey(host))?.grants[0];

test("untrust leaves a tombstone, and can be said twice", async () => {
  const host = await guardedProject();
  host.advance(60_000);
  expect(await revokeConsent(host, CARD)).toEqual({ card: CARD, revoked: true, skills: [] });
  expect(grantOf(host)).toMatchObject({ card: CARD, revokedAt: "2026-03-01T12:01:00.000Z" });
  const before = fs.readFileSync(ledgerFile(host));
  expect(await revokeConsent(host, CARD)).toEqual({ card: CARD, revoked: false, skills: [] });
  expect(fs.readFileSync(ledgerFile(host))).toEqual(before);
  await removeCard(host, CARD);
  expect(await revokeConsent(host, CARD)).toEqual({ card: CARD, revoked: false, skills: [] });
  expect((await problemOf(() => revokeConsent(host, "@me/none"))).code).toBe("DRWN_CARD_NOT_INSTALLED");
});

test("the place of a project goes before its marker, since a place alone blocks as a project that was moved", async () => {
  const host = await guardedProject();
  await revokeConsent(host, CARD);
  const records = (await previewWrite(host, { wiring: undefined })).changes
    .filter(({ what }) => what === "project marker")
    .map(({ action, path }) => [action, path.startsWith(`${layout.roots(host.drwnHome)}/`) ? "marker" : "place"]);
  expect(records).toEqual([
    ["remove", "place"],
    ["remove", "marker"],
  ]);
});

test("what was approved before an untrust is not approved by a later consent", async () => {
  const host = await guardedProject();
  await revokeConsent(host, CARD);
  await publish(host, { ...GUARD, version: "1.1.0" });
  await addCards(host, [CARD]);
  const grant = await trust(host);
  expect(grant.approved.map(({ cardVersion }) => cardVersion)).toEqual(["1.1.0"]);
});

test("a removed card loses its consent, and adding it again does not bring it back", async () => {
  const host = await guardedProject();
  expect(await removeCard(host, CARD)).toEqual({ card: CARD, revoked: true });
  expect(grantOf(host)?.revokedAt).not.toBeNull();
  await addCards(host, [CARD]);
  expect(listCards(host).cards[0]?.consent).toMatchObject({ state: "off", range: null, inForce: null });
  expect((await write(host)).plan.policies).toEqual([]);
});

test("where the ledger is gone, untrust says with a tombstone that silence is meant", async () => {
  const host = await guardedProject();
  fs.rmSync(ledgerFile(host));
  expect(await revokeConsent(host, CARD)).toEqual({ card: CARD, revoked: true, skills: [], blocksUntilWrite: true });
  expect(grantOf(host)).toMatchObject({ card: CARD, approved: [] });
  expect(grantOf(host)?.revokedAt).not.toBeNull();
});

test("where the ledger is gone, removing the card says that silence is meant, too", async () => {
  const host = await guardedProject();
  fs.rmSync(ledgerFile(host));
  expect(await removeCard(host, CARD)).toEqual({ card: CARD, revoked: true });
  expect(grantOf(host)?.revokedAt).not.toBeNull();
});

test("where nothing was ever consented to, untrust records nothing", async () => {
  const host = await installed(GUARD);
  const before = snapshot(machineOf(host));
  expect(await revokeConsent(host, CARD)).toEqual({ card: CARD, revoked: false, skills: [] });
  expect(snapshot(machineOf(host))).toEqual({ ...before });
});

test.each([
  ["remove", (host: TestHost) => removeCard(host, CARD)],
  ["write", write],
  ["add", (host: TestHost) => addCards(host, [CARD])],
])("with a damaged ledger %s stops, and leaves it as it is", async (_, run) => {
  const host = await guardedProject();
  fs.writeFileSync(ledgerFile(host), "{}");
  const before = snapshot(machineOf(host));
  expect((await problemOf(() => run(host))).code).toBe("DRWN_LEDGER_INVALID");
  expect(snapshot(machineOf(host))).toEqual(before);
});
