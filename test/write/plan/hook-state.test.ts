import fs from "node:fs";
import { expect, test } from "vitest";
import type { Ledger } from "../../../src/contract/ledger.ts";
import { digestOf } from "../../../src/kernel/digest.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { readInstalled } from "../../../src/project/open/installed-card.ts";
import { readJoinFacts } from "../../../src/project/open/join-facts.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { markersOf } from "../../../src/trust/project-key.ts";
import { planHookState } from "../../../src/write/plan/hook-state.ts";
import type { TestHost } from "../../support/host.ts";
import { machineOf, snapshot } from "../../support/machine-state.ts";
import { CARD, GUARD, guardedProject, installed, publish, trust } from "../../support/projects.ts";

function plan(host: TestHost) {
  const { key, identity, ledger, lock } = openProject(host);
  const { drwnHome: home } = host;
  const cards = lock.cards.map((locked) => readInstalled(home, locked));
  return planHookState({ home, key, identity, cards, ledger, joinFacts: readJoinFacts(host), asked: {} });
}

const whats = (changes: readonly { action: string; what: string }[]) =>
  changes.map(({ action, what }) => `${action} ${what}`);

async function trustedProject(): Promise<TestHost> {
  const host = await installed(GUARD);
  await trust(host);
  return host;
}

test("without a ledger there is no plan and nothing to change", async () => {
  const host = await installed(GUARD);
  expect(await plan(host)).toMatchObject({
    joined: [],
    planDigest: null,
    bundles: [],
    state: [],
    plan: { policies: [] },
  });
});

test("the plan comes before the ledger that names it, and the ledger before the markers that lead to it", async () => {
  const host = await trustedProject();
  for (const marker of markersOf(host.drwnHome, openProject(host).identity)) fs.rmSync(marker);
  const { state, planDigest } = await plan(host);
  const note = "create note that one process is enough";
  expect(whats(state)).toEqual(["create plan", "update consents in force", note, "create project marker"]);
  const [first, second] = state;
  expect(digestOf(first?.after ?? "")).toBe(planDigest);
  const ledger: Ledger = JSON.parse(second?.after?.toString() ?? "{}");
  expect([ledger.plan, ledger.sequence]).toEqual([planDigest, 2]);
});

test("what is in force already needs no change, however much later", async () => {
  const host = await guardedProject();
  host.advance(1_000_000_000);
  expect(await plan(host)).toMatchObject({ bundles: [], state: [], joined: [] });
});

test("a version that joins is compiled and recorded at once, and nothing is written by planning it", async () => {
  const host = await guardedProject();
  await publish(host, { ...GUARD, version: "1.1.0" });
  await addCards(host, [CARD]);
  const before = snapshot(machineOf(host));
  host.advance(5_000);
  const { joined, bundles, state, plan: planned } = await plan(host);
  expect(snapshot(machineOf(host))).toEqual(before);
  expect(joined).toEqual([`${CARD}@1.1.0`]);
  expect(whats(bundles)).toEqual(["create compiled policy"]);
  expect(whats(state)).toEqual(["create plan", "update consents in force", "update note that one process is enough"]);
  const [bundle] = bundles;
  expect(planned.policies[0]).toMatchObject({ cardVersion: "1.1.0", bundle: digestOf(bundle?.after ?? "") });
  const ledger: Ledger = JSON.parse(state[1]?.after?.toString() ?? "{}");
  const approval = ledger.grants[0]?.approved.at(-1);
  expect(approval).toMatchObject({ cardVersion: "1.1.0", by: "range", at: "2026-03-01T12:00:05.000Z" });
  expect(ledger.grants[0]?.ceiling["guard"]?.timeoutMs).toBe(5_000);
});

test("a version that joins with less does not lower what a later one may have", async () => {
  const host = await guardedProject();
  await publish(host, { version: "1.1.0", hooks: { guard: { matcher: "Bash", timeoutMs: 1_000 } } });
  await addCards(host, [CARD]);
  const { state, plan: planned } = await plan(host);
  expect(planned.policies[0]?.timeoutMs).toBe(1_000);
  const ledger: Ledger = JSON.parse(state[1]?.after?.toString() ?? "{}");
  expect(ledger.grants[0]?.ceiling["guard"]?.timeoutMs).toBe(5_000);
});

test("when the last consent is withdrawn the ledger names no plan and the markers go, the ledger first", async () => {
  const host = await guardedProject();
  await revokeConsent(host, CARD);
  const { state, planDigest } = await plan(host);
  expect(planDigest).toBeNull();
  const note = "remove note that one process is enough";
  expect(whats(state)).toEqual(["update consents in force", note, "remove project marker", "remove project marker"]);
  expect(JSON.parse(state[0]?.after?.toString() ?? "{}").plan).toBeNull();
});
