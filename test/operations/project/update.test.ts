import path from "node:path";
import { describe, expect, test } from "vitest";
import Doctor from "../../../src/cli/commands/doctor.ts";
import Outdated from "../../../src/cli/commands/outdated.ts";
import Status from "../../../src/cli/commands/status.ts";
import Update from "../../../src/cli/commands/update.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { listOutdated } from "../../../src/operations/project/outdated.ts";
import { updateCards } from "../../../src/operations/project/update.ts";
import { readConfig, withCard, writeConfig } from "../../../src/project/config.ts";
import { openDefaultRegistry } from "../../../src/project/fetch/fetch-card.ts";
import { readTree } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { installed, lockedVersions, newSigner, publish, trust, write } from "../../support/projects.ts";

const NAME = "@me/backend";
const GUARD = { hooks: { guard: {} } };
const ALL = { names: [], latest: false, dryRun: false };

function annotate(host: TestHost, version: string, note: { deprecated?: string; yanked?: boolean }): Promise<void> {
  return openDefaultRegistry(host).annotate(NAME, version, note);
}

/** 1.0.0 is installed as ^1.0.0, and these versions were published since. */
async function behind(...versions: string[]): Promise<TestHost> {
  const host = await installed(GUARD);
  for (const version of versions) await publish(host, { ...GUARD, version });
  return host;
}

describe("update", () => {
  test("locks the highest version inside the range, and leaves the range", async () => {
    const host = await behind("1.0.1", "1.4.0", "2.0.0", "1.5.0-rc.1");
    expect((await updateCards(host, ALL)).cards).toMatchObject([
      { name: NAME, before: "1.0.0", version: "1.4.0", range: "^1.0.0", rangeBefore: "^1.0.0" },
    ]);
    expect(lockedVersions(host)).toEqual([`${NAME}@1.4.0`]);
    expect(readConfig(host.cwd).cards).toEqual({ [NAME]: "^1.0.0" });
    await installCards(host, { frozen: true });
  });

  test("with --latest goes past the range, and moves it", async () => {
    const host = await behind("1.4.0", "2.1.0", "3.0.0-rc.1");
    await updateCards(host, { ...ALL, latest: true });
    expect(lockedVersions(host)).toEqual([`${NAME}@2.1.0`]);
    expect(readConfig(host.cwd).cards).toEqual({ [NAME]: "^2.1.0" });
    await installCards(host, { frozen: true });
  });

  test("takes the cards that are named, and leaves the others", async () => {
    const host = await installed({}, { name: "@me/other" });
    await publish(host, { version: "1.0.1" });
    await publish(host, { name: "@me/other", version: "1.0.1" });
    await updateCards(host, { ...ALL, names: ["@me/other", "@me/other"] });
    expect(lockedVersions(host)).toEqual([`${NAME}@1.0.0`, "@me/other@1.0.1"]);
  });

  test("says what would change in a dry run, and changes nothing", async () => {
    const host = await behind("1.4.0");
    const before = readTree(host.home);
    const project = readTree(host.cwd);
    expect(await updateCards(host, { ...ALL, dryRun: true })).toMatchObject({
      dryRun: true,
      cards: [{ version: "1.4.0" }],
    });
    expect(readTree(host.cwd)).toEqual(project);
    expect(readTree(host.home)).toEqual(before);
  });

  test("changes nothing when nothing is newer", async () => {
    const host = await behind();
    const project = readTree(host.cwd);
    expect((await updateCards(host, ALL)).cards).toMatchObject([{ before: "1.0.0", version: "1.0.0" }]);
    expect(readTree(host.cwd)).toEqual(project);
  });

  test("says what becomes of the hooks: inside the consent they join, with another kind they wait", async () => {
    const host = await behind("1.0.1");
    await trust(host, { card: NAME, range: "^1.0.0 || ^2.0.0" });
    expect((await updateCards(host, ALL)).cards[0]?.consent).toMatchObject({ state: "joins" });
    await publish(host, { hooks: { guard: { kind: "observer" } }, version: "2.0.0" });
    const [card] = (await updateCards(host, { ...ALL, latest: true })).cards;
    expect(card?.consent).toMatchObject({ state: "waits", inForce: "1.0.0" });
  });

  test("leaves a yanked version, also downwards, and never goes back otherwise", async () => {
    const host = await behind("1.1.0", "1.2.0");
    await updateCards(host, ALL);
    await annotate(host, "1.2.0", { yanked: true });
    await updateCards(host, ALL);
    expect(lockedVersions(host)).toEqual([`${NAME}@1.1.0`]);
    await addCards(host, [NAME]);
    for (const version of ["1.0.0", "1.1.0"]) await annotate(host, version, { yanked: true });
    await updateCards(host, ALL);
    expect(lockedVersions(host)).toEqual([`${NAME}@1.1.0`]);
  });

  test("stays on a prerelease that is ahead of the highest release", async () => {
    const host = await behind("1.1.0-rc.1");
    await addCards(host, [`${NAME}@1.1.0-rc.1`]);
    await updateCards(host, { ...ALL, latest: true });
    expect(lockedVersions(host)).toEqual([`${NAME}@1.1.0-rc.1`]);
  });

  test("goes back into a range that config.json has been given meanwhile", async () => {
    const host = await behind("2.0.0");
    await updateCards(host, { ...ALL, latest: true });
    writeConfig(host.cwd, withCard(readConfig(host.cwd), NAME, "^1.0.0"));
    await updateCards(host, ALL);
    expect(lockedVersions(host)).toEqual([`${NAME}@1.0.0`]);
  });

  test("hands on what is said of a deprecated version, as add and install do", async () => {
    const host = await behind("1.1.0");
    await annotate(host, "1.1.0", { deprecated: "use @me/other" });
    const deprecated = "use @me/other";
    expect((await updateCards(host, ALL)).cards).toMatchObject([{ version: "1.1.0", deprecated }]);
    expect((await updateCards(host, ALL)).cards).toMatchObject([{ version: "1.1.0", deprecated }]);
    expect((await installCards(host, { frozen: false })).cards).toMatchObject([{ deprecated }]);
    expect((await addCards(host, [NAME])).cards).toMatchObject([{ deprecated }]);
  });

  test("is all or nothing: one card that must be refused keeps the others where they are", async () => {
    const host = await installed({}, { name: "@me/other" });
    await publish(host, { version: "1.0.1" });
    const signer = newSigner();
    await publish(host, { name: "@me/other", version: "1.0.1" }, signer);
    await updateCards(host, { ...ALL, names: ["@me/other"] });
    await publish(host, { name: "@me/other", version: "1.0.2" }, newSigner());
    expect((await problemOf(() => updateCards(host, ALL))).code).toBe("DRWN_SIGNATURE_FOREIGN");
    expect(lockedVersions(host)).toEqual([`${NAME}@1.0.0`, "@me/other@1.0.1"]);
  });

  test("names the cards there are when one is asked for that is not", async () => {
    const host = await behind();
    const problem = await problemOf(() => updateCards(host, { ...ALL, names: ["@me/none"] }));
    expect(problem.code).toBe("DRWN_CARD_NOT_INSTALLED");
    expect(textOf(problem)).toContain(NAME);
  });
});

describe("outdated", () => {
  test("lists nothing when everything is up to date, and changes nothing either way", async () => {
    const host = await behind();
    expect(await listOutdated(host)).toEqual({ cards: [] });
    await publish(host, { ...GUARD, version: "1.1.0" });
    const before = readTree(path.dirname(host.home));
    expect((await listOutdated(host)).cards).toHaveLength(1);
    expect(readTree(path.dirname(host.home))).toEqual(before);
  });

  test("tells the highest version in the range from the highest of all", async () => {
    const host = await behind("1.1.0", "1.2.0-rc.1", "2.0.0", "3.0.0-rc.1");
    expect((await listOutdated(host)).cards).toMatchObject([
      { name: NAME, range: "^1.0.0", installed: "1.0.0", wanted: "1.1.0", latest: "2.0.0" },
    ]);
  });

  test("status, update and the way back from a yanked version in force name what can be done", async () => {
    const host = await behind("2.0.0");
    await updateCards(host, { ...ALL, latest: true });
    await trust(host);
    await write(host);
    await annotate(host, "2.0.0", { yanked: true });
    await listOutdated(host);
    const noted = await runCommand(host, Doctor);
    expect([noted.stdout, noted.exitCode]).toEqual([expect.not.stringMatching(/^error/mu), 0]);
    const status = await runCommand(host, Status);
    expect((await runCommand(host, Outdated)).stdout).toMatch(/^Next: drwn update(?: --global)?$/mu);
    expect(status.stdout).toMatch(/active \(\^2\.0\.0\), yanked by its publisher\nNext: drwn update(?: --global)?\n/u);
    const stays = await runCommand(host, Update);
    expect(stays.stdout).toMatch(
      /^@me\/backend@2\.0\.0 was yanked by its publisher, and \^2\.0\.0 has no other version\. To take 1\.0\.0: drwn update (?:--global )?@me\/backend --latest\n$/u,
    );
    const back = await runCommand(host, Update, NAME, "--latest");
    expect(back.stdout.match(/^Next: .*$/gmu)).toEqual([expect.stringMatching(/^Next: drwn trust(?: --global)?$/u)]);
    expect((await runCommand(host, Status)).stdout).toContain(
      " 2.0.0 active, yanked by its publisher, this one waits for a review\n",
    );
    const { stdout, exitCode } = await runCommand(host, Doctor);
    expect([stdout, exitCode]).toEqual([
      expect.stringMatching(/hint: drwn card trust .*@me\/backend --hooks, or: /u),
      0,
    ]);
  });

  test("names a card of which the installed version was deprecated or yanked, also where nothing is newer", async () => {
    const host = await behind();
    await annotate(host, "1.0.0", { deprecated: "broken" });
    expect((await listOutdated(host)).cards).toMatchObject([{ deprecated: "broken", yanked: false, wanted: "1.0.0" }]);
    await annotate(host, "1.0.0", { yanked: true });
    expect((await listOutdated(host)).cards).toMatchObject([{ yanked: true, wanted: null, latest: null }]);
  });

  test("names a version that waits for a review, and what is in force instead", async () => {
    const host = await behind("2.0.0");
    await trust(host);
    await updateCards(host, { ...ALL, latest: true });
    expect((await listOutdated(host)).cards).toMatchObject([{ waits: { state: "waits", inForce: "1.0.0" } }]);
  });

  test("names a card that is asked for and not locked yet", async () => {
    const host = await behind();
    await publish(host, { name: "@me/other" });
    writeConfig(host.cwd, withCard(readConfig(host.cwd), "@me/other", "^1.0.0"));
    expect((await listOutdated(host)).cards).toMatchObject([{ name: "@me/other", installed: null, wanted: "1.0.0" }]);
  });
});
