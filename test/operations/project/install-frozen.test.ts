import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { PackedCard } from "../../../src/card/source/pack.ts";
import { addRegistry, setCardScopes } from "../../../src/operations/machine/registry-settings.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards, vendorCards } from "../../../src/operations/project/install.ts";
import { packedCard } from "../../support/cards.ts";
import { testHost } from "../../support/host.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { cloneOf, newProject } from "../../support/projects.ts";
import { sendJson, serve } from "../../support/servers.ts";

const NAME = "@me/backend";
const FILE = ".agents/drwn/vendor/@me/backend/1.0.0.tgz";

/** An npm registry with the card, and how it answers meanwhile. */
async function registryWith(card: PackedCard) {
  const state: { status: number; has: boolean } = { status: 200, has: true };
  const { url } = await serve((request, response) => {
    if (state.status !== 200) response.writeHead(state.status).end();
    else if (request.url === "/card.tgz") response.end(card.tarball);
    else {
      const drwn = { hooks: card.index.hooks, tree: card.tree };
      const dist = { integrity: card.integrity, tarball: `${url}card.tgz` };
      const versions = state.has ? { "1.0.0": { name: NAME, version: "1.0.0", drwn, dist } } : {};
      sendJson(response, { name: NAME, versions, time: { "1.0.0": "2026-01-31T12:00:00.000Z" } });
    }
  });
  return { url, state };
}

async function userOf(url: string | null, root?: string) {
  const host = root === undefined ? newProject() : testHost({ cwd: root });
  if (url !== null) {
    await addRegistry(host, { name: "team", location: url, isStatic: false });
    await setCardScopes(host, ["@me"], "team");
  }
  return host;
}

/** A project whose card is locked, and the registry that it came from. */
async function lockedProject() {
  const registry = await registryWith(await packedCard({ hooks: { guard: {} } }));
  const project = await userOf(registry.url);
  await addCards(project, [NAME]);
  return { ...registry, project };
}

describe("install --frozen in a fresh home", () => {
  test("works from the registry that the lock names, and from vendor without any", async () => {
    const { url, project } = await lockedProject();
    const fetched = [{ name: NAME, version: "1.0.0", fetched: true, deprecated: null }];
    const reaching = await userOf(url, cloneOf(project));
    expect((await installCards(reaching, { frozen: true })).cards).toEqual(fetched);
    await vendorCards(project, { dryRun: false });
    const vendored = await userOf(null, cloneOf(project));
    expect((await installCards(vendored, { frozen: true })).cards).toEqual(fetched);
  });

  test("takes what is vendored although the registry is gone", async () => {
    const { url, state, project } = await lockedProject();
    await vendorCards(project, { dryRun: false });
    state.status = 404;
    expect((await installCards(await userOf(url, cloneOf(project)), { frozen: true })).cards).toHaveLength(1);
  });

  test.each<[string, (registry: { state: { status: number; has: boolean } }) => boolean, RegExp]>([
    [
      "the registry is not set up here",
      () => false,
      /would come from folder:default[\s\S]*drwn registry add team http:/u,
    ],
    ["the registry does not answer", ({ state }) => setStatus(state, 503), /asks to come back later: 503/u],
    ["the registry wants a token", ({ state }) => setStatus(state, 401), /does not let you[\s\S]*_authToken/u],
    ["the registry lost the version", ({ state }) => takeOut(state), /does not have @me\/backend@1\.0\.0/u],
    ["the registry lost the card", ({ state }) => setStatus(state, 404), /does not have @me\/backend@1\.0\.0/u],
  ])("says that it is not vendored, and that %s", async (_, change, why) => {
    const { url, state, project } = await lockedProject();
    const isSetUp = change({ state });
    const root = cloneOf(project);
    const problem = await problemOf(async () =>
      installCards(await userOf(isSetUp ? url : null, root), { frozen: true }),
    );
    expect(problem.code).toBe("DRWN_CARD_UNAVAILABLE");
    expect(textOf(problem)).toContain(`vendored: no, there is no ${path.join(root, FILE)}`);
    expect(textOf(problem)).toContain(`locked to: npm:${url}`);
    expect(textOf(problem)).toMatch(why);
  });

  test("does not go on to the registry past something wrong in vendor", async () => {
    const { url, project } = await lockedProject();
    await vendorCards(project, { dryRun: false });
    const root = cloneOf(project);
    fs.appendFileSync(path.join(root, FILE), "x");
    const problem = await problemOf(async () => installCards(await userOf(url, root), { frozen: true }));
    expect(problem.code).toBe("DRWN_TARBALL_INVALID");
  });

  test("changes neither the lock nor anything else of the project", async () => {
    const { url, project } = await lockedProject();
    const root = cloneOf(project);
    const before = fs.readFileSync(path.join(root, ".agents/drwn/card.lock"));
    await installCards(await userOf(url, root), { frozen: true });
    expect(fs.readFileSync(path.join(root, ".agents/drwn/card.lock")).equals(before)).toBe(true);
  });
});

function setStatus(state: { status: number }, status: number): boolean {
  state.status = status;
  return true;
}

function takeOut(state: { has: boolean }): boolean {
  state.has = false;
  return true;
}
