import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Trust from "../../src/cli/commands/trust.ts";
import WriteCommand from "../../src/cli/commands/write.ts";
import { renderReview } from "../../src/cli/render/review.ts";
import { makeStyle } from "../../src/cli/terminal/style.ts";
import { advise, drwn } from "../../src/kernel/advice.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { explainCard } from "../../src/operations/diagnose/why.ts";
import { readConsentHistory } from "../../src/operations/machine/consents.ts";
import { acceptTrustFile, exportConsents } from "../../src/operations/machine/portable-consents.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { listAwaitingConsent } from "../../src/operations/project/list.ts";
import { listOutdated } from "../../src/operations/project/outdated.ts";
import { grantConsent, reviewConsent } from "../../src/operations/project/trust.ts";
import { updateCards } from "../../src/operations/project/update.ts";
import { isWaiting } from "../../src/operations/project/write.ts";
import { packedCard, readTree, writeTree } from "../support/cards.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import {
  CARD,
  type CardParts,
  GUARD,
  inForce,
  newProject,
  newSigner,
  publish,
  trust,
  write,
} from "../support/projects.ts";

const ALL = { names: [], latest: false, dryRun: false };

/** What the project commits. */
const commit = (host: TestHost) => readTree(path.join(host.cwd, ".agents"));
function checkOut(host: TestHost, committed: Record<string, string>): void {
  fs.rmSync(path.join(host.cwd, ".agents"), { recursive: true });
  writeTree(path.join(host.cwd, ".agents"), committed);
}

interface Pulled {
  former?: CardParts;
  later?: CardParts;
  /** Of the later consent. */
  range?: string | null;
}

/** A former version was approved, then a later one, and the project is checked out as it was at first. */
async function pulledBack({ former = GUARD, later = GUARD, range = null }: Pulled = {}) {
  const host = newProject();
  await publish(host, { ...former, version: "1.0.0" });
  await addCards(host, [CARD]);
  await trust(host);
  await write(host);
  const old = commit(host);
  const version = later.version ?? "2.0.0";
  await publish(host, { ...later, version });
  await addCards(host, [`${CARD}@${version}`]);
  await trust(host, { range });
  await write(host);
  const now = commit(host);
  checkOut(host, old);
  return { host, old, now };
}

const LESS: CardParts = { hooks: { guard: { matcher: "Edit" } } };

async function addNew(host: TestHost, card: CardParts): Promise<void> {
  await publish(host, card);
  await addCards(host, [`${CARD}@${card.version}`]);
}

async function addTarball(host: TestHost): Promise<void> {
  const { tarball } = await packedCard({ ...LESS, version: "2.0.0" });
  fs.writeFileSync(path.join(host.cwd, "card.tgz"), tarball);
  await addCards(host, ["./card.tgz"]);
}

describe("a lock that goes back to a version that was approved once", () => {
  test.each<[string, Pulled]>([
    ["an observer", { former: { hooks: { guard: { matcher: "Bash", kind: "observer" } } } }],
    ["another matcher", { former: { hooks: { guard: { matcher: "Edit" } } } }],
    ["another phase", { former: { hooks: { guard: { matcher: "Bash", phases: ["post-tool"] } } } }],
    ["a hook less", { later: { hooks: { guard: { matcher: "Bash" }, more: { matcher: "Edit" } } } }],
    ["the same facts and other code", {}],
    ["other code under a range that holds both", { range: ">=1.0.0 <3.0.0" }],
    ["other code in the same major version", { later: { ...GUARD, version: "1.0.1" }, range: "^1.0.0" }],
    ["more that it may do", { later: { ...GUARD, manifest: { hooks: { include: ["guard"], restrictOnly: true } } } }],
  ])("keeps the later one in force: %s", async (_, pulled) => {
    const { host } = await pulledBack(pulled);
    const version = pulled.later?.version ?? "2.0.0";
    const before = (await write(host)).plan;
    expect(new Set(before.policies.map(({ cardVersion }) => cardVersion))).toEqual(new Set([version]));
    expect((await write(host)).plan).toEqual(before);
  });

  test("is told by every command that tells what is in force, and once by the log", async () => {
    const { host } = await pulledBack({ former: { hooks: { guard: { matcher: "Bash", kind: "observer" } } } });
    const said = /^it is earlier than 2\.0\.0, .* guards less .*; 2\.0\.0 stays in force$/u;
    const review = drwn("card trust", CARD, "--hooks");
    const { stdout, stderr } = await runCommand(host, WriteCommand);
    expect(stdout).toContain(`in force: 1 hook policy of ${CARD}@2.0.0 (guard)`);
    expect(stderr).toContain(`warning: ${CARD}: it is earlier than 2.0.0`);
    const back = drwn("add", `${CARD}@^2.0.0`);
    const issue = {
      card: CARD,
      version: "1.0.0",
      reason: expect.stringMatching(said),
      fix: advise`${back}; only if you want less: ${review}`,
    };
    expect((await write(host)).findings.filter(isWaiting)).toMatchObject([{ message: issue.reason, hint: issue.fix }]);
    expect((await diagnoseProject(host)).hookIssues).toEqual([{ ...issue, hooks: ["guard"] }]);
    const consent = { state: "waits", inForce: "2.0.0", reason: expect.stringMatching(said), review };
    expect(readStatus(host).cards[0]?.consent).toMatchObject(consent);
    expect((await listOutdated(host)).cards).toMatchObject([{ waits: consent }]);
    expect(explainCard(host, CARD).inForce).toMatchObject({ version: "2.0.0", because: expect.stringMatching(said) });
    const held = readConsentHistory(host, CARD).events.filter(({ what }) => what === "held");
    expect(held).toMatchObject([{ version: "1.0.0", range: "^2.0.0", by: null }]);
    expect((await runCommand(host, Trust, "--log")).stdout).toMatch(
      /held +@me\/backend@1\.0\.0 +2\.0\.0 stays in force/u,
    );
    expect((await diagnoseProject(host)).findings.filter(({ code }) => code === "consent-log-differs")).toEqual([]);
  });

  test.each<[string, string, (host: TestHost) => Promise<unknown>]>([
    ["another source", "2.0.0", addTarball],
    ["a version outside of the range", "4.0.0", (host) => addNew(host, { ...GUARD, version: "4.0.0" })],
    ["a version that guards less", "3.0.0", (host) => addNew(host, { ...LESS, version: "3.0.0" })],
  ])("is one of several kinds: the log has a line of %s, too", async (_, version, change) => {
    const { host, now } = await pulledBack({ range: ">=2.0.0 <4.0.0" });
    checkOut(host, now);
    await change(host);
    expect(await inForce(host)).toEqual(["2.0.0"]);
    await write(host);
    const held = readConsentHistory(host, CARD).events.filter(({ what }) => what === "held");
    expect(held).toMatchObject([{ version, inForce: "2.0.0" }]);
  });

  test("the log names no guard that stands down", async () => {
    const { host, now, old } = await pulledBack();
    checkOut(host, now);
    await grantConsent(host, reviewConsent(host, { card: CARD, range: null, onYank: "stand-down" }));
    const { annotate } = await import("../../src/project/fetch/fetch-card.ts").then((all) =>
      all.openDefaultRegistry(host),
    );
    await annotate(CARD, "2.0.0", { yanked: true });
    await listOutdated(host);
    checkOut(host, old);
    expect(await inForce(host)).toEqual([]);
    expect(readConsentHistory(host, CARD).events.at(-1)).toMatchObject({ what: "held", inForce: "nothing" });
  });

  test("is over when the lock comes forward again, and another one is another line of the log", async () => {
    const { host, old, now } = await pulledBack();
    await write(host);
    checkOut(host, now);
    expect(await inForce(host)).toEqual(["2.0.0"]);
    expect(readStatus(host).cards[0]?.consent?.state).toBe("active");
    checkOut(host, old);
    expect(await inForce(host)).toEqual(["2.0.0"]);
    expect(readConsentHistory(host, CARD).events.map(({ what }) => what)).toEqual(["granted", "granted", "held"]);
  });

  test("takes effect where a person goes back on purpose: the review shows what differs, from the later to the earlier", async () => {
    const { host } = await pulledBack({ former: { hooks: { guard: { matcher: "Bash", kind: "observer" } } } });
    expect(listAwaitingConsent(host)).toEqual([]);
    const review = reviewConsent(host, { card: CARD, range: null });
    expect(review).toMatchObject({ version: "1.0.0", range: "^1.0.0", replaces: "2.0.0", goesBack: true });
    expect(review.differences).toEqual([{ hook: "guard", what: "kind", from: "enforcement", to: "observer" }]);
    expect(review.code?.from).toBe("2.0.0");
    expect(renderReview(review, makeStyle(false), true).join("\n")).toContain(
      "Goes back from 2.0.0, which is in force, to 1.0.0",
    );
    await trust(host);
    expect(await inForce(host)).toEqual(["1.0.0"]);
    expect(readConsentHistory(host, CARD).events.at(-1)).toMatchObject({ what: "granted", version: "1.0.0" });
  });

  test("what a person types goes back no further than a lock does, until it is reviewed", async () => {
    const { host, now } = await pulledBack();
    checkOut(host, now);
    await addCards(host, [`${CARD}@1.0.0`]);
    expect(await inForce(host)).toEqual(["2.0.0"]);
    await trust(host);
    expect(await inForce(host)).toEqual(["1.0.0"]);
    checkOut(host, now);
    expect(await inForce(host)).toEqual(["1.0.0"]);
    expect(readStatus(host).cards[0]?.consent?.reason).toMatch(/outside the range \^1\.0\.0.*1\.0\.0 stays in force/u);
  });

  test("a later version that was approved before comes back by itself inside the range, in the same bytes, and is in force then", async () => {
    const { host, old, now } = await pulledBack({ later: { ...GUARD, version: "1.1.0" } });
    const [bundle] = (await write(host)).plan.policies.map((policy) => policy.bundle);
    await trust(host);
    expect(await inForce(host)).toEqual(["1.0.0"]);
    checkOut(host, now);
    const written = await write(host);
    expect(written.joined).toEqual([`${CARD}@1.1.0`]);
    expect(written.plan.policies.map((policy) => policy.bundle)).toEqual([bundle]);
    expect(readConsentHistory(host, CARD).events.at(-1)).toMatchObject({
      what: "approved",
      version: "1.1.0",
      by: "range",
    });
    checkOut(host, old);
    expect(await inForce(host)).toEqual(["1.1.0"]);
    expect((await diagnoseProject(host)).findings.filter(({ code }) => code === "consent-log-differs")).toEqual([]);
  });

  test("a yank of the later version lets `update` go down, and the guard stays where it was", async () => {
    const host = newProject();
    for (const version of ["1.0.0", "1.1.0"]) {
      await publish(host, { ...GUARD, version });
      await addCards(host, [CARD]);
      await trust(host, { range: "^1.0.0" });
      await write(host);
    }
    const { annotate } = await import("../../src/project/fetch/fetch-card.ts").then((all) =>
      all.openDefaultRegistry(host),
    );
    await annotate(CARD, "1.1.0", { yanked: true });
    await updateCards(host, ALL);
    expect(await inForce(host)).toEqual(["1.1.0"]);
  });

  test("an unsigned version of a card that is signed by now waits like any other", async () => {
    const host = newProject();
    await publish(host, { ...GUARD, version: "1.0.0" });
    await addCards(host, [CARD]);
    await trust(host);
    await write(host);
    const old = commit(host);
    await publish(host, { ...GUARD, version: "1.1.0" }, newSigner());
    await addCards(host, [CARD]);
    await trust(host, { range: "^1.0.0" });
    await write(host);
    checkOut(host, old);
    expect(await inForce(host)).toEqual(["1.1.0"]);
  });

  test("a file with consents that is as old as the lock takes nothing back, and what is exported is what is in force", async () => {
    const { host, old, now } = await pulledBack({ range: ">=1.0.0 <3.0.0" });
    const file = path.join(host.home, "trust.json");
    expect(exportConsents(host).consents).toMatchObject([{ version: "2.0.0" }]);
    const { consents, text } = exportConsents(host);
    const [consent] = consents;
    const lock = JSON.parse(old["drwn/card.lock"] ?? "");
    const former = { ...consent, version: "1.0.0", tree: lock.cards[0].tree, range: "^1.0.0" };
    fs.writeFileSync(file, JSON.stringify({ version: 1, consents: [former] }));
    expect(await acceptTrustFile(host, file)).toEqual({ accepted: [], passedOver: [{ card: CARD, why: "goes-back" }] });
    expect(await inForce(host)).toEqual(["2.0.0"]);
    checkOut(host, now);
    fs.writeFileSync(file, text);
    expect((await acceptTrustFile(host, file)).passedOver).toEqual([{ card: CARD, why: "consented-before" }]);
  });
});
