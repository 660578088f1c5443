import { describe, expect, test } from "vitest";
import { hooksInForce } from "../../../src/authoring/proving/find-hooks.ts";
import { explainCard } from "../../../src/operations/diagnose/why.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { listCards } from "../../../src/operations/project/list.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { updateCards } from "../../../src/operations/project/update.ts";
import { writeConfig } from "../../../src/project/config.ts";
import { EMPTY_LOCK, writeLock } from "../../../src/project/lock.ts";
import { problemOf } from "../../support/problems.ts";
import { installed, projectWith, publish, trust, write } from "../../support/projects.ts";

const NAME = "@me/backend";
const GUARD = { hooks: { guard: { matcher: "Bash" } } };

describe("why", () => {
  test("says what asks for a card, what it brings, and that nobody has consented", async () => {
    const host = await projectWith();
    const skill = { "skills/s/SKILL.md": "# S" };
    const manifest = { skills: { include: ["s"] }, servers: { db: { command: "db-server" } } };
    await publish(host, { manifest, files: skill });
    await addCards(host, [NAME]);
    expect(explainCard(host, NAME)).toMatchObject({
      asked: { range: "^1.0.0", trustRequest: null, locked: { version: "1.0.0", source: "folder:default" } },
      brings: { skills: ["s"], servers: [{ name: "db", runs: "db-server", variables: [] }], hooks: [] },
      inForce: { state: "none", hooks: [] },
    });
  });

  test("follows a consent: none, given, covering a new version, waiting, revoked", async () => {
    const host = await installed(GUARD);
    const inForce = () => explainCard(host, NAME).inForce;
    expect(inForce()).toMatchObject({ state: "off", version: null, hooks: [], grant: null });
    await trust(host);
    expect(explainCard(host, NAME).asked.trustRequest).toBe("^1.0.0");
    expect(inForce()).toMatchObject({ state: "unguarded", version: null, hooks: [] });
    await write(host);
    expect(inForce()).toMatchObject({ state: "active", version: "1.0.0", because: "a person has consented to it" });
    expect(inForce().hooks).toMatchObject([{ name: "guard", matcher: "Bash" }]);
    await publish(host, { ...GUARD, version: "1.0.1" });
    await updateCards(host, { names: [], latest: false, dryRun: false });
    expect(inForce()).toMatchObject({ state: "joins", because: expect.stringContaining("drwn write") });
    expect(inForce()).toMatchObject({ version: "1.0.0", hooks: [{ name: "guard", matcher: "Bash" }] });
    expect(listCards(host).cards).toMatchObject([{ consent: { state: "joins", inForce: "1.0.0" } }]);
    expect(hooksInForce(host)).toMatchObject([{ policy: { hook: "guard", cardVersion: "1.0.0" } }]);
    await publish(host, { hooks: { guard: {} }, version: "2.0.0" });
    await updateCards(host, { names: [], latest: true, dryRun: false });
    expect(inForce()).toMatchObject({ state: "waits", version: "1.0.0", because: expect.stringContaining("^1.0.0") });
    await revokeConsent(host, NAME);
    expect(inForce()).toMatchObject({ state: "off", because: expect.stringContaining("revoked") });
  });

  test("explains a guard that left the lock and stays in force", async () => {
    const host = await installed(GUARD);
    await trust(host);
    await write(host);
    writeLock(host.cwd, EMPTY_LOCK);
    writeConfig(host.cwd, { version: 1, cards: {} });
    const why = explainCard(host, NAME);
    expect(why).toMatchObject({ asked: { range: null, locked: null }, brings: null, inForce: { version: "1.0.0" } });
    expect(why.inForce.because).toContain(`drwn remove ${NAME}`);
  });

  test("has nothing to say of a card that nothing asks for", async () => {
    const host = await installed(GUARD);
    expect((await problemOf(() => explainCard(host, "@me/none"))).code).toBe("DRWN_CARD_NOT_INSTALLED");
  });
});
