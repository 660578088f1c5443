import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { acceptVersions, addRegistry, setCardScopes } from "../../src/operations/machine/registry-settings.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { installCards } from "../../src/operations/project/install.ts";
import { temporaryFolder } from "../support/cards.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { cloneOf, newProject, publish } from "../support/projects.ts";

async function sharedRegistry() {
  const folder = temporaryFolder();
  const host = newProject();
  await addRegistry(host, { name: "shared", location: folder, isStatic: false });
  await setCardScopes(host, ["@me"], "shared");
  await publish(host, {});
  const old = temporaryFolder();
  fs.cpSync(folder, old, { recursive: true });
  await publish(host, { version: "1.0.1" });
  await addCards(host, ["@me/backend"]);
  return { host, folder, old };
}

function replay(from: string, to: string): void {
  fs.rmSync(path.join(to, "cards"), { recursive: true });
  fs.cpSync(from, to, { recursive: true });
}

describe("a registry that is set back to an older state", () => {
  test("is refused, and both versions are named", async () => {
    const { host, folder, old } = await sharedRegistry();
    replay(old, folder);
    const problem = await problemOf(() => addCards(host, ["@me/backend"]));
    expect(problem.code).toBe("DRWN_REGISTRY_ROLLED_BACK");
    expect(textOf(problem)).toContain("@me/backend@1.0.1");
    expect(textOf(problem)).toContain("it has now: 1.0.0");
    fs.rmSync(path.join(folder, "cards"), { recursive: true });
    expect((await problemOf(() => addCards(host, ["@me/backend"]))).code).toBe("DRWN_REGISTRY_ROLLED_BACK");
  });

  test("in a lower line of releases alone is refused, too: its users would miss a fix", async () => {
    const { host, folder } = await sharedRegistry();
    await publish(host, { version: "2.0.0" });
    await addCards(host, ["@me/backend@^1.0.0"]);
    const record = path.join(folder, "cards/@me/backend/1.0.1.json");
    fs.renameSync(record, path.join(host.home, "hidden.json"));
    for (const range of ["^1.0.0", "^2.0.0"]) {
      const problem = await problemOf(() => addCards(host, [`@me/backend@${range}`]));
      expect(problem.code).toBe("DRWN_REGISTRY_ROLLED_BACK");
      expect(textOf(problem)).toContain("had @me/backend@1.0.1 before");
    }
    fs.rmSync(path.join(folder, "cards/@me/backend/1.0.0.json"));
    expect(textOf(await problemOf(() => addCards(host, ["@me/backend@^2.0.0"])))).toContain("no version of 1");
    await acceptVersions(host, "@me/backend");
    expect((await addCards(host, ["@me/backend@^2.0.0"])).cards).toMatchObject([{ version: "2.0.0" }]);
  });

  test("in its only line of releases, with a later line beside it, is refused, too", async () => {
    const { host, folder, old } = await sharedRegistry();
    replay(old, folder);
    await publish(host, { version: "2.0.0" });
    expect(textOf(await problemOf(() => addCards(host, ["@me/backend@^2.0.0"])))).toContain(
      "had @me/backend@1.0.1 before",
    );
  });

  test("is taken as it is once a person has accepted that", async () => {
    const { host, folder, old } = await sharedRegistry();
    replay(old, folder);
    await acceptVersions(host, "@me/backend");
    expect((await addCards(host, ["@me/backend"])).cards).toMatchObject([{ version: "1.0.0", before: "1.0.1" }]);
  });

  test("still serves what is locked, since those bytes are pinned", async () => {
    const { host, folder } = await sharedRegistry();
    const clone = host.at(cloneOf(host));
    await publish(host, { version: "1.1.0" });
    await addCards(host, ["@me/backend@^1.1.0"]);
    fs.rmSync(path.join(folder, "cards/@me/backend/1.1.0.json"));
    fs.renameSync(path.join(host.drwnHome, "store"), path.join(host.home, "moved"));
    expect(await installCards(clone, { frozen: true })).toMatchObject({ cards: [{ version: "1.0.1", fetched: true }] });
  });

  test("that goes on is followed", async () => {
    const { host } = await sharedRegistry();
    await publish(host, { version: "1.0.2" });
    expect((await addCards(host, ["@me/backend"])).cards).toMatchObject([{ version: "1.0.2" }]);
  });
});
