import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { removeTree } from "../../../src/kernel/files.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { editJson, snapshot } from "../../support/machine-state.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { CARD, GUARD, newProject, plant, publish } from "../../support/projects.ts";

test("a damaged or half-gone store entry is fetched again, and the report says so", async () => {
  const host = newProject();
  const { tree } = await publish(host);
  await addCards(host, [CARD]);
  const folder = path.join(layout.store(host.drwnHome), tree);
  const intact = snapshot(folder);
  fs.chmodSync(path.join(folder, "card.json"), 0o644);
  fs.appendFileSync(path.join(folder, "card.json"), " ");
  expect((await installCards(host, { frozen: true })).cards).toMatchObject([
    { name: CARD, version: "1.0.0", fetched: true },
  ]);
  expect(snapshot(folder)).toEqual(intact);
  fs.chmodSync(folder, 0o755);
  fs.rmSync(path.join(folder, "card.json"), { force: true });
  expect((await installCards(host, { frozen: true })).cards[0]?.fetched).toBe(true);
  expect(snapshot(folder)).toEqual(intact);
});

test("a store entry that is damaged stays refused when the registry no longer has the version", async () => {
  const host = newProject();
  const { tree } = await publish(host);
  await addCards(host, [CARD]);
  fs.rmSync(layout.registry(host.drwnHome), { recursive: true });
  expect((await installCards(host, { frozen: true })).cards[0]?.fetched).toBe(false);
  const file = path.join(layout.store(host.drwnHome), tree, "card.json");
  fs.chmodSync(file, 0o644);
  fs.appendFileSync(file, " ");
  expect((await problemOf(() => installCards(host, { frozen: true }))).code).toBe("DRWN_CARD_UNAVAILABLE");
});

test.each([["add"], ["install"], ["install of what is stored already"]])(
  "a version that was published again with other content stops %s and names both digests",
  async (verb) => {
    const host = newProject();
    const first = await publish(host);
    await addCards(host, [CARD]);
    const second = await plant(host, { ...GUARD, files: { "README.md": "other" } });
    if (verb === "install") removeTree(layout.store(host.drwnHome));
    const before = snapshot(host.cwd);
    const work = () => (verb === "add" ? addCards(host, [CARD]) : installCards(host, { frozen: false }));
    const problem = await problemOf(work);
    expect(problem.code).toBe("DRWN_INTEGRITY_MISMATCH");
    expect(problem.details).toEqual([`expected: ${first.integrity}`, `received: ${second.integrity}`]);
    expect(snapshot(host.cwd)).toEqual(before);
  },
);

test("a tarball that is not the one of its record is refused before anything is stored", async () => {
  const host = newProject();
  const card = await publish(host);
  const [blob = ""] = fs.readdirSync(path.join(layout.registry(host.drwnHome), "blobs"));
  fs.appendFileSync(path.join(layout.registry(host.drwnHome), "blobs", blob), "x");
  const problem = await problemOf(() => addCards(host, [CARD]));
  expect(problem.code).toBe("DRWN_INTEGRITY_MISMATCH");
  expect(textOf(problem)).toContain(card.integrity);
  expect(fs.existsSync(layout.store(host.drwnHome))).toBe(false);
});

test.each<[string, (record: Record<string, unknown>) => void, RegExp]>([
  [
    "tree",
    (record) => {
      record["tree"] = `drwn1-sha512-${"a".repeat(86)}`;
    },
    /DRWN_INTEGRITY_MISMATCH[\s\S]*expected: drwn1-sha512-a{86}\nreceived: drwn1/u,
  ],
  [
    "hooks",
    (record) => {
      record["hooks"] = [];
    },
    /DRWN_REGISTRY_INVALID[\s\S]*other hooks/u,
  ],
  [
    "matcher",
    (record) => {
      record["hooks"] = (record["hooks"] as object[]).map((hook) => ({ ...hook, matcher: "Read" }));
    },
    /DRWN_REGISTRY_INVALID[\s\S]*other hooks/u,
  ],
])("a record whose %s is not the card's is refused before anything is stored", async (_, edit, message) => {
  const host = newProject();
  await publish(host);
  editJson(path.join(layout.registry(host.drwnHome), "cards", CARD, "1.0.0.json"), edit);
  expect(textOf(await problemOf(() => addCards(host, [CARD])))).toMatch(message);
  expect(fs.existsSync(layout.store(host.drwnHome))).toBe(false);
});
