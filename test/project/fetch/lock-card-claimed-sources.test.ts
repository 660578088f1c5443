import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import Why from "../../../src/cli/commands/why.ts";
import { explainCard } from "../../../src/operations/diagnose/why.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { reviewConsent } from "../../../src/operations/project/trust.ts";
import { type LockedCard, readLock, vendoredFile, writeLock } from "../../../src/project/lock.ts";
import { putCard } from "../../../src/registry/store.ts";
import { packedCard } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { type TestHost, testHost } from "../../support/host.ts";
import { editJson } from "../../support/machine-state.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { type CardParts, cloneOf, newProject, plant, publish, trust, write } from "../../support/projects.ts";

const FROZEN = { frozen: false };
const IMPOSTOR = { name: "@drwn/git", hooks: { "keep-work": { matcher: "Bash" } } };

/** A repository whose card.lock names this card, with the bytes in its vendor folder. */
async function repository(parts: CardParts, claim: Partial<LockedCard> = {}): Promise<TestHost> {
  const host = newProject();
  const card = await packedCard(parts);
  const { name, version } = card.manifest;
  const range = claim.range ?? `^${version}`;
  editJson<{ cards: Record<string, string> }>(path.join(host.cwd, ".agents/drwn/config.json"), (config) => {
    config.cards[name] = range;
  });
  const { integrity, tree, index, tarball } = card;
  const source = "drwn:catalogue";
  const locked = { name, range, version, source, integrity, tree, hooks: index.hooks, publisher: null, ...claim };
  writeLock(host.cwd, { lockfileVersion: 1, cards: [locked] });
  const file = vendoredFile(host.cwd, { name, version });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, tarball);
  fs.writeFileSync(path.join(host.cwd, "card.tgz"), tarball);
  return host;
}

async function fillStore(host: TestHost, parts: CardParts): Promise<void> {
  const { files, tree } = await packedCard(parts);
  await putCard(host.drwnHome, files, tree);
}

describe("a repository's own @drwn/git", () => {
  test.each<[string, CardParts, Partial<LockedCard>]>([
    ["under the version that drwn has", IMPOSTOR, {}],
    ["under a version that drwn doesn't have", { ...IMPOSTOR, version: "1.0.1" }, {}],
    ["under a later major version", { ...IMPOSTOR, version: "9.0.0" }, {}],
    ["under a prerelease", { ...IMPOSTOR, version: "1.0.1-rc.1" }, { range: ">=1.0.1-rc.1" }],
    ["under a name that drwn doesn't have", { ...IMPOSTOR, name: "@drwn/guard" }, {}],
    ["from this machine's folder", IMPOSTOR, { source: "folder:default" }],
    ["from another folder", IMPOSTOR, { source: "folder:/srv/cards" }],
    ["from npm", IMPOSTOR, { source: "npm:https://registry.npmjs.org/" }],
    ["from a web server", IMPOSTOR, { source: "static:https://cards.example/" }],
    ["from a source that looks like drwn's", IMPOSTOR, { source: "drwn:catalogue/" }],
    ["from no source", IMPOSTOR, { source: "" }],
    ["from a tarball", IMPOSTOR, { source: "file:./card.tgz", range: "file:./card.tgz" }],
    ["from a tarball, locked to drwn", IMPOSTOR, { range: "file:./card.tgz" }],
    ["from git", IMPOSTOR, { source: "git+https://h.example/x.git", range: "git+https://h.example/x.git" }],
    ["from git, locked to drwn", IMPOSTOR, { range: "git+https://h.example/x.git" }],
  ])("isn't installed, reviewed, consented to or written: %s", async (_, parts, claim) => {
    const host = await repository(parts, claim);
    const card = parts.name ?? "";
    expect((await problemOf(() => installCards(host, FROZEN))).code).toMatch(/^DRWN_/u);
    expect((await problemOf(() => installCards(host, { frozen: true }))).code).toMatch(/^DRWN_/u);
    // Whatever puts the bytes into the store, they are nobody's word for where they came from.
    await fillStore(host, parts);
    expect((await problemOf(() => installCards(host, FROZEN))).code).toMatch(/^DRWN_/u);
    expect((await problemOf(() => reviewConsent(host, { card, range: null }))).code).toBe("DRWN_REGISTRY_UNABLE");
    expect((await problemOf(() => write(host))).code).toMatch(/^DRWN_/u);
    expect(() => explainCard(host, card)).toThrow(/didn't come with drwn/u);
    expect((await runCommand(host, CardTrust, card, "--hooks", "--yes")).stderr).not.toContain("drwn itself");
  });

  test("is told with the way to drwn's own", async () => {
    const host = await repository({ ...IMPOSTOR, version: "1.0.1" });
    expect(textOf(await problemOf(() => installCards(host, FROZEN)))).toContain("drwn update @drwn/git");
    await addCards(host, ["@drwn/git"]);
    expect(reviewConsent(host, { card: "@drwn/git", range: null }).publishedBy).toBe("drwn");
  });

  test("doesn't come by the folder of this machine, or by a tarball that is added", async () => {
    const host = await repository(IMPOSTOR);
    fs.rmSync(path.join(host.cwd, ".agents"), { recursive: true });
    const other = newProject({ cwd: host.cwd });
    await plant(other, IMPOSTOR);
    await addCards(other, ["@drwn/git"]);
    expect(reviewConsent(other, { card: "@drwn/git", range: null }).publishedBy).toBe("drwn");
    const named = await problemOf(() => addCards(other, ["./card.tgz"]));
    expect(named.message).toContain("@drwn");
  });
});

test("a clone takes drwn's own card whatever Node version packed it for the lock", async () => {
  const host = newProject();
  await addCards(host, ["@drwn/git"]);
  const lock = readLock(host.cwd);
  const integrity = `sha512-${"A".repeat(86)}==`;
  writeLock(host.cwd, { lockfileVersion: 1, cards: (lock?.cards ?? []).map((card) => ({ ...card, integrity })) });
  const clone = testHost({ cwd: cloneOf(host) });
  expect((await installCards(clone, { frozen: true })).cards).toMatchObject([{ name: "@drwn/git", fetched: true }]);
});

describe("a card that a project brings along", () => {
  const TEAM = { name: "@team/guard", hooks: { guard: { matcher: "Bash" } } };

  test.each(["npm:https://registry.npmjs.org/", "folder:default", "static:https://cards.example/"])(
    "is reviewed as the project's own copy, and as from %s only by the lock's word",
    async (source) => {
      const host = await repository(TEAM, { source });
      await installCards(host, FROZEN);
      const { stderr } = await runCommand(host, CardTrust, "@team/guard", "--hooks", "--yes");
      expect(stderr).toContain("from         this project's own copy");
      expect(stderr).toContain(`card.lock says from ${source}; this machine never got it from there`);
      const why = await runCommand(host, Why, "@team/guard");
      expect(why.stdout).toContain(`from this project's own copy; card.lock says from ${source}`);
    },
  );

  test("is refused where this machine's registry has other contents under that version", async () => {
    const host = await repository(TEAM, { source: "folder:default" });
    await publish(host, { ...TEAM, hooks: { guard: { matcher: "Edit" } } });
    expect((await problemOf(() => installCards(host, FROZEN))).code).toBe("DRWN_INTEGRITY_MISMATCH");
  });

  test("is from where this machine got it, once it has", async () => {
    const host = newProject();
    await publish(host, TEAM);
    await addCards(host, ["@team/guard"]);
    await trust(host, { card: "@team/guard" });
    expect(reviewConsent(host, { card: "@team/guard", range: null }).isSourceSeen).toBe(true);
  });
});
