import { describe, expect, test } from "vitest";
import { hooksInForce } from "../../../src/authoring/proving/find-hooks.ts";
import { diffFiles } from "../../../src/card/archive/code-diff.ts";
import { toCardFiles } from "../../../src/card/files.ts";
import { diffCards } from "../../../src/operations/author/diff-cards.ts";
import { explainCard } from "../../../src/operations/diagnose/why.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { listCards } from "../../../src/operations/project/list.ts";
import { revokeConsent } from "../../../src/operations/project/remove.ts";
import { updateCards } from "../../../src/operations/project/update.ts";
import { writeConfig } from "../../../src/project/config.ts";
import { openDefaultRegistry } from "../../../src/project/fetch/fetch-card.ts";
import { EMPTY_LOCK, writeLock } from "../../../src/project/lock.ts";
import { readTree } from "../../support/cards.ts";
import { problemOf } from "../../support/problems.ts";
import { installed, newSigner, projectWith, publish, trust, write } from "../../support/projects.ts";

const NAME = "@me/backend";
const GUARD = { hooks: { guard: { matcher: "Bash" } } };

describe("a diff of cards", () => {
  test("names every fact of the hooks that differs, the version step, the files and the code", async () => {
    const host = await projectWith(GUARD, {
      version: "2.0.0",
      hooks: { guard: { kind: "observer", matcher: null, capabilities: ["net"] }, more: {} },
      files: { "README.md": "new" },
    });
    const before = readTree(host.home);
    const diff = await diffCards(host, `${NAME}@1.0.0`, "2.0.0");
    expect(diff).toMatchObject({ from: { name: NAME, version: "1.0.0" }, to: { name: NAME, version: "2.0.0" } });
    expect(diff.hooks.map(({ hook, what }) => `${hook} ${what}`)).toEqual([
      "guard kind",
      "guard matcher",
      "guard capabilities",
      "more added",
    ]);
    expect(diff.code).toEqual(["guard"]);
    expect(diff.changes).toContainEqual({ bump: "major", what: "hook `guard`: enforcement becomes observer" });
    expect(diff.files.map(({ path, change }) => `${change} ${path}`)).toEqual([
      "added README.md",
      "changed card.json",
      "changed hooks/guard/policy.ts",
      "added hooks/more/policy.ts",
      "changed package.json",
    ]);
    const policy = diff.files.find(({ path }) => path === "hooks/guard/policy.ts");
    expect(policy?.hunks?.[0]?.lines.filter((line) => /^[-+]/u.test(line)).join("\n")).toMatch(
      /-.*guard of 1\.0\.0.*\n\+.*guard of 2\.0\.0/u,
    );
    expect(readTree(host.home)).toEqual(before);
  });

  test("can be made with a version that was yanked: it is what a person who has it asks about", async () => {
    const host = await projectWith(GUARD, { ...GUARD, version: "1.0.1" });
    await openDefaultRegistry(host).annotate(NAME, "1.0.0", { yanked: true });
    expect(await diffCards(host, `${NAME}@1.0.0`, NAME)).toMatchObject({ code: ["guard"] });
  });

  test("of one version with itself is empty", async () => {
    const host = await projectWith(GUARD);
    expect(await diffCards(host, NAME, NAME)).toMatchObject({ hooks: [], code: [], changes: [], files: [] });
  });

  test("is one between any two cards, and names their publishers", async () => {
    const host = await projectWith();
    const [one, two] = [newSigner(), newSigner()];
    await publish(host, {}, one);
    await publish(host, { name: "@you/backend" }, two);
    const diff = await diffCards(host, NAME, "@you/backend@^1.0.0");
    expect([diff.from.publisher, diff.to.publisher]).toEqual([one.key.publisher, two.key.publisher]);
  });

  test("has no lines of what is no text, or too large to be read", () => {
    const files = (content: string | Buffer) => toCardFiles([["x", Buffer.from(content)]]);
    expect(diffFiles(files("a\0b"), files("a"))).toEqual([{ path: "x", change: "changed", hunks: null }]);
    expect(diffFiles(files(Buffer.from([0xff])), files("a"))).toMatchObject([{ hunks: null }]);
    expect(diffFiles(files("a\n".repeat(300_000)), files("b"))).toMatchObject([{ hunks: null }]);
    expect(diffFiles(files("a\nb\n"), files("a\nc\n"))).toEqual([
      { path: "x", change: "changed", hunks: [{ from: 1, to: 1, lines: [" a", "-b", "+c"] }] },
    ]);
  });

  test("gives up on texts that could keep it busy for long", () => {
    const lines = (seed: number) => {
      let value = seed;
      return Array.from({ length: 40_000 }, () => {
        value = (value * 48_271) % 2_147_483_647;
        return String(value % 1_000);
      }).join("\n");
    };
    const file = (seed: number) => toCardFiles([["x", Buffer.from(lines(seed))]]);
    expect(diffFiles(file(1), file(2))).toMatchObject([{ path: "x", change: "changed", hunks: null }]);
  });
});

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
