import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import CardNew from "../../src/cli/commands/card/new.ts";
import CardTrust from "../../src/cli/commands/card/trust.ts";
import { publishCard } from "../../src/operations/author/publish.ts";
import { addRegistry, setCardScopes } from "../../src/operations/machine/registry-settings.ts";
import { searchCards } from "../../src/operations/machine/search.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { openRegistryOf } from "../../src/project/fetch/registries.ts";
import { isFromCatalogue } from "../../src/registry/catalogue.ts";
import { sourceWith, temporaryFolder } from "../support/cards.ts";
import { runCommand } from "../support/cli.ts";
import { problemOf } from "../support/problems.ts";
import { inForce, lockedVersions, newProject, write } from "../support/projects.ts";

describe("the scope @drwn", () => {
  test("is added, reviewed as drwn's own, and put in force without a registry", async () => {
    const host = newProject();
    await addCards(host, ["@drwn/git"]);
    expect(lockedVersions(host)).toEqual(["@drwn/git@1.0.0"]);
    const { stdout, stderr } = await runCommand(host, CardTrust, "@drwn/git", "--hooks", "--yes");
    expect(`${stdout}${stderr}`).toContain("by           drwn itself");
    await write(host);
    expect(new Set(await inForce(host))).toEqual(new Set(["1.0.0"]));
  });

  test("is found by a search that names no registry", async () => {
    const { cards } = await searchCards(newProject(), { text: "history", registry: null });
    expect(cards.map(({ name }) => name)).toEqual(["@drwn/git"]);
  });

  test("a search that names no registry says which others it didn't ask", async () => {
    const host = newProject();
    await addRegistry(host, { name: "team", location: temporaryFolder(), isStatic: false });
    const asked = async (text: string, registry: string | null) => (await searchCards(host, { text, registry })).others;
    expect([await asked("history", null), await asked("", "team"), await asked("@drwn/git", null)]).toEqual([
      ["team"],
      [],
      [],
    ]);
  });

  test("comes from drwn, whatever .npmrc and the settings say", async () => {
    const host = newProject();
    fs.writeFileSync(path.join(host.home, ".npmrc"), "@drwn:registry=https://registry.invalid/\n");
    expect((await openRegistryOf(host, "@drwn/git")).id).toBe("drwn:catalogue");
    await addRegistry(host, { name: "mine", location: temporaryFolder(), isStatic: false });
    expect((await problemOf(() => setCardScopes(host, ["@drwn"], "mine"))).code).toBe("DRWN_REGISTRY_UNABLE");
  });

  test.each([[undefined], ["default"]])("takes nobody's card, with --registry %s", async (registry) => {
    const dir = sourceWith({ manifest: { name: "@drwn/git" } });
    const request = { source: dir, dryRun: false, key: null, ...(registry === undefined ? {} : { registry }) };
    expect((await problemOf(() => publishCard(newProject(), request))).code).toBe("DRWN_REGISTRY_UNABLE");
  });

  test("isn't taken from a folder that a project names", async () => {
    const host = newProject();
    const dir = sourceWith({ manifest: { name: "@drwn/git" } });
    expect((await problemOf(() => addCards(host, [dir]))).message).toContain("@drwn");
  });

  test("is drwn's own only with exactly its content", () => {
    expect(isFromCatalogue({ name: "@drwn/git", version: "1.0.0", tree: `drwn1-sha512-${"A".repeat(86)}` })).toBe(
      false,
    );
  });

  test("gives a card of one's own to begin with", async () => {
    const host = newProject();
    const { exitCode } = await runCommand(host, CardNew, "@me/git", "--from", "@drwn/git", "--into", "cards");
    expect(exitCode).toBe(0);
    const manifest = JSON.parse(fs.readFileSync(path.join(host.cwd, "cards/git/card.json"), "utf8"));
    expect(manifest).toMatchObject({
      name: "@me/git",
      version: "1.0.0",
      hooks: { include: expect.arrayContaining(["keep-work"]) },
    });
    expect(fs.existsSync(path.join(host.cwd, "cards/git/hooks/keep-work/policy.ts"))).toBe(true);
  });
});
