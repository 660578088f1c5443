import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { signPacked } from "../../src/card/source/pack.ts";
import { renderReview } from "../../src/cli/render/review.ts";
import { makeStyle } from "../../src/cli/terminal/style.ts";
import { layout } from "../../src/contract/layout.ts";
import { loadState } from "../../src/hook/verify/load-state.ts";
import { drwn } from "../../src/kernel/advice.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { addRegistry, setCardScopes } from "../../src/operations/machine/registry-settings.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { listOutdated } from "../../src/operations/project/outdated.ts";
import { grantConsent, reviewConsent } from "../../src/operations/project/trust.ts";
import { updateCards } from "../../src/operations/project/update.ts";
import { isWaiting } from "../../src/operations/project/write.ts";
import { openNamedRegistry } from "../../src/project/fetch/registries.ts";
import { openProject } from "../../src/project/open/open-project.ts";
import { packedCard, temporaryFolder } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { editJson } from "../support/machine-state.ts";
import { inForce, newProject, newSigner, plant, trust, write } from "../support/projects.ts";

const CARD = "@team/guards";
const HOUR_MS = 60 * 60 * 1000;
const ALL = { names: [], latest: false, dryRun: false };

interface Team {
  host: TestHost;
  publish: (version: string, hooks?: NonNullable<Parameters<typeof packedCard>[0]>["hooks"]) => Promise<void>;
  yank: (version: string, yanked?: boolean) => Promise<void>;
  update: () => Promise<unknown>;
}

/** 1.0.0 of a signed guard, from a shared folder, is in force. */
async function team(): Promise<Team> {
  const host = newProject();
  await addRegistry(host, { name: "team", location: temporaryFolder(), isStatic: false });
  await setCardScopes(host, ["@team"], "team");
  const signer = newSigner();
  const publish: Team["publish"] = async (version, hooks = { guard: { matcher: "Bash" } }) => {
    const card = await signPacked(await packedCard({ name: CARD, version, hooks }), signer);
    await (await openNamedRegistry(host, "team")).publish(card, host.now());
  };
  const yank: Team["yank"] = async (version, yanked = true) =>
    (await openNamedRegistry(host, "team")).annotate?.(CARD, version, { yanked });
  await publish("1.0.0");
  await addCards(host, [CARD]);
  await trust(host, { card: CARD });
  await write(host);
  return { host, publish, yank, update: () => updateCards(host, ALL) };
}

/** What a tool call of this moment would find. */
function atCall(host: TestHost): string | string[] {
  const state = loadState({ home: host.drwnHome, key: openProject(host).key }, host.now().getTime());
  return state.kind === "live" ? state.policies.map(({ cardVersion }) => cardVersion) : state.kind;
}

describe("a version from elsewhere", () => {
  test("joins by itself three days after the machine saw it first, and until then everybody says so", async () => {
    const { host, publish, update } = await team();
    await publish("1.1.0");
    await update();
    host.advance(72 * HOUR_MS - 1);
    const written = await write(host);
    expect(written.plan.policies).toMatchObject([{ cardVersion: "1.0.0" }]);
    const said =
      "this machine has not known it for long enough: it joins by itself after 2026-03-04T12:00:00.000Z; 1.0.0 stays in force";
    const review = drwn("card trust", CARD, "--hooks");
    expect(written.findings.filter(isWaiting)).toMatchObject([{ subject: CARD, message: said, hint: review }]);
    expect((await diagnoseProject(host)).hookIssues).toMatchObject([{ reason: said }]);
    expect(readStatus(host).cards[0]?.consent).toMatchObject({ inForce: "1.0.0", reason: said, review });
    expect((await listOutdated(host)).cards).toMatchObject([{ waits: { reason: said, review } }]);
    host.advance(1);
    expect(await inForce(host)).toEqual(["1.1.0"]);
    expect(openProject(host).ledger?.grants[0]?.approved.map(({ by }) => by)).toEqual(["person", "range"]);
  });

  test("is in force at once when a person has reviewed it", async () => {
    const { host, publish, update } = await team();
    await publish("1.1.0");
    await update();
    await grantConsent(host, reviewConsent(host, { card: CARD, range: null }));
    expect(await inForce(host)).toEqual(["1.1.0"]);
  });

  test("waits as long as the machine's settings say", async () => {
    const { host, publish, update } = await team();
    await publish("1.1.0");
    await update();
    editJson<Record<string, unknown>>(layout.settings(host.drwnHome), (settings) => {
      settings["consent"] = { releaseAgeHours: 0 };
    });
    expect(await inForce(host)).toEqual(["1.1.0"]);
  });

  test("that nobody has written down counts from the first write", async () => {
    const { host, publish, update } = await team();
    await publish("1.1.0");
    await update();
    fs.rmSync(`${host.drwnHome}/releases`, { recursive: true });
    host.advance(100 * HOUR_MS);
    expect(await inForce(host)).toEqual(["1.0.0"]);
    host.advance(72 * HOUR_MS);
    expect(await inForce(host)).toEqual(["1.1.0"]);
  });
});

test("a version that can do more than say no waits, where what was consented to cannot, and the review says so", async () => {
  const host = newProject();
  const offer = async (version: string, restrictOnly: boolean) => {
    const manifest = { hooks: { include: ["guard"], restrictOnly } };
    // A registry that somebody writes to past drwn refuses no version for the size of its step.
    await plant(host, { version, hooks: { guard: {} }, manifest });
    await (version === "1.0.0" ? addCards(host, ["@me/backend"]) : updateCards(host, ALL));
  };
  await offer("1.0.0", true);
  await trust(host);
  await offer("1.0.1", true);
  expect(await inForce(host)).toEqual(["1.0.1"]);
  await offer("1.0.2", false);
  const { plan, findings } = await write(host);
  expect(plan.policies).toMatchObject([{ cardVersion: "1.0.1", mode: "restrict-only" }]);
  const said = "unlike the approved version, it may do more than deny and ask; 1.0.1 stays in force";
  expect(findings.filter(isWaiting)).toMatchObject([{ message: said }]);
  expect(readStatus(host).cards[0]?.consent?.reason).toBe(said);
  const shown = renderReview(reviewConsent(host, { card: "@me/backend", range: null }), makeStyle(false), true).join(
    "\n",
  );
  expect(shown).toContain("mode         the card does not bind itself to saying no, as the version in force does");
  await trust(host);
  expect((await write(host)).plan.policies).toMatchObject([{ cardVersion: "1.0.2", mode: "enforce" }]);
});

describe("a version that its publisher yanks", () => {
  test("stays in force where the consent says nothing else, and everybody says so", async () => {
    const { host, yank } = await team();
    await yank("1.0.0");
    await listOutdated(host);
    expect(atCall(host)).toEqual(["1.0.0"]);
    const { findings } = await write(host);
    expect(findings).toMatchObject([{ code: "yanked-in-force", subject: CARD }]);
    expect(atCall(host)).toEqual(["1.0.0"]);
  });

  test.each(["outdated", "update"] as const)(
    "stands down from the next %s on, where the consent says so",
    async (verb) => {
      const { host, yank, update } = await team();
      const asked = { card: CARD, range: null, onYank: "stand-down" } as const;
      await grantConsent(host, reviewConsent(host, asked));
      await yank("1.0.0");
      expect(atCall(host)).toEqual(["1.0.0"]);
      await (verb === "update" ? update() : listOutdated(host));
      expect(atCall(host)).toBe("silent");
      const { plan, findings } = await write(host);
      expect(plan.policies).toEqual([]);
      expect(findings.filter(isWaiting)).toMatchObject([
        { message: "its publisher has yanked it; nothing of it runs" },
      ]);
      await yank("1.0.0", false);
      await listOutdated(host);
      expect(await inForce(host)).toEqual(["1.0.0"]);
    },
  );

  test("does not join, and the one before it stays", async () => {
    const { host, publish, yank, update } = await team();
    await publish("1.1.0");
    await update();
    await yank("1.1.0");
    const waits = { reason: expect.stringContaining("yanked") };
    expect((await listOutdated(host)).cards).toMatchObject([{ yanked: true, waits }]);
    host.advance(100 * HOUR_MS);
    expect(await inForce(host)).toEqual(["1.0.0"]);
    expect(readStatus(host).cards[0]?.consent?.reason).toContain("yanked");
  });
});

describe("a consent that has an end", () => {
  test("is silent from then on without a write, and what was in force is said to have ended", async () => {
    const { host } = await team();
    await grantConsent(host, reviewConsent(host, { card: CARD, range: null, expires: "8d" }));
    await write(host);
    expect((await write(host)).findings).toEqual([]);
    host.advance(7 * 24 * HOUR_MS);
    expect((await write(host)).findings).toMatchObject([{ code: "consent-ends-soon" }]);
    expect(atCall(host)).toEqual(["1.0.0"]);
    host.advance(24 * HOUR_MS);
    expect(atCall(host)).toBe("silent");
    const { findings, plan } = await write(host);
    expect([plan.policies, findings.map(({ code }) => code)]).toEqual([[], ["hooks-not-applied"]]);
    expect(findings[0]?.message).toContain("has ended");
    expect(readStatus(host).cards[0]?.consent).toMatchObject({
      state: "off",
      review: drwn("card trust", CARD, "--hooks"),
    });
  });
});
