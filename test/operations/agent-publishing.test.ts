import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import CardPack from "../../src/cli/commands/card/pack.ts";
import CardPublish from "../../src/cli/commands/card/publish.ts";
import CardTrust from "../../src/cli/commands/card/trust.ts";
import { layout } from "../../src/contract/layout.ts";
import type { Host } from "../../src/kernel/host.ts";
import { yankCard } from "../../src/operations/author/annotate.ts";
import { publishCard } from "../../src/operations/author/publish.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { listKeys } from "../../src/operations/machine/keys.ts";
import { addRegistry, setScope } from "../../src/operations/machine/registry-settings.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { installCards } from "../../src/operations/project/install.ts";
import { readStatus } from "../../src/operations/project/status.ts";
import { reviewConsent } from "../../src/operations/project/trust.ts";
import { updateCards } from "../../src/operations/project/update.ts";
import { vendorCards } from "../../src/operations/project/vendor.ts";
import { openDefaultRegistry } from "../../src/supply/fetch-card.ts";
import { denyingPolicy, sourceWith, temporaryFolder } from "../support/cards.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { editJson } from "../support/machine-state.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { CARD, newProject, plant, trust, write } from "../support/projects.ts";

const ALL = { names: [], latest: false, dryRun: false };

/** The same machine, seen from a command that Claude Code runs. */
function inAgent<H extends Host>(host: H): H {
  return { ...host, env: { ...host.env, CLAUDECODE: "1" } };
}

/** A source that is edited and published again and again, by whoever it is. */
function newSource(name = CARD) {
  const folder = sourceWith({ manifest: { name }, hooks: { guard: denyingPolicy("Bash", "1.0.0") } });
  const publish = (host: Host, version: string, options: { isSigned?: boolean } = {}) => {
    editJson<{ version: string }>(path.join(folder, "card.json"), (card) => {
      card.version = version;
    });
    fs.writeFileSync(path.join(folder, "hooks/guard/policy.ts"), denyingPolicy("Bash", version));
    return publishCard(host, { source: folder, key: null, dryRun: false, ...options });
  };
  return { folder, publish };
}

const recordOf = (host: Host, version: string) =>
  path.join(layout.registry(host.drwnHome), "cards", CARD, `${version}.json`);

async function inForce(host: TestHost): Promise<string[]> {
  return (await write(host)).plan.policies.map(({ cardVersion }) => cardVersion);
}

describe("with nothing set up, what a person publishes joins what a person consented to", () => {
  test.each([
    ["signed, by default", {}],
    ["unsigned, as asked", { isSigned: false }],
  ])("%s", async (_, options) => {
    const host = newProject();
    const { publish } = newSource();
    await publish(host, "1.0.0", options);
    await addCards(host, [CARD]);
    await trust(host, { range: "^1.0.0" });
    expect(await inForce(host)).toEqual(["1.0.0"]);
    await publish(host, "1.0.1", options);
    await updateCards(host, ALL);
    expect(await inForce(host)).toEqual(["1.0.1"]);
  });

  test("also where the card was not signed before, and its user signs from now on", async () => {
    const host = newProject();
    const { publish } = newSource();
    await publish(host, "1.0.0", { isSigned: false });
    await addCards(host, [CARD]);
    await trust(host);
    await write(host);
    for (const version of ["1.0.1", "1.0.2"]) {
      expect((await publish(host, version)).publisher).toBe(listKeys(host).own[0]?.publisher);
      await updateCards(host, ALL);
      expect(await inForce(host)).toEqual([version]);
    }
    expect((await problemOf(() => publish(host, "1.0.3", { isSigned: false }))).code).toBe("DRWN_SIGNATURE_MISSING");
  });

  test("also where an agent runs `update` and `write`", async () => {
    const host = newProject();
    const { publish } = newSource();
    await publish(host, "1.0.0");
    await addCards(host, [CARD]);
    await trust(host);
    await write(host);
    await publish(host, "1.0.1");
    await updateCards(inAgent(host), ALL);
    expect(await inForce(inAgent(host))).toEqual(["1.0.1"]);
  });
});

describe("a version that an agent published never joins", () => {
  /** Who publishes 1.0.0, and when the agent publishes 1.0.1. */
  const orders: [string, (host: TestHost, source: ReturnType<typeof newSource>) => Promise<void>][] = [
    [
      "before the first add",
      async (host, { publish }) => {
        await publish(inAgent(host), "1.0.0");
        await publish(inAgent(host), "1.0.1");
        await addCards(host, [`${CARD}@1.0.0`]);
        await trust(host, { range: "^1.0.0" });
      },
    ],
    [
      "between add and consent",
      async (host, { publish }) => {
        await publish(inAgent(host), "1.0.0");
        await addCards(host, [CARD]);
        await publish(inAgent(host), "1.0.1");
        await trust(host, { range: "^1.0.0" });
      },
    ],
    [
      "of a card that a person publishes unsigned",
      async (host, { publish }) => {
        await publish(host, "1.0.0", { isSigned: false });
        await addCards(host, [CARD]);
        await publish(inAgent(host), "1.0.1");
        await trust(host, { range: "^1.0.0" });
      },
    ],
    [
      "by going around the refusal of `publish`: the consent is withdrawn, and given again",
      async (host, { publish }) => {
        await publish(host, "1.0.0", { isSigned: false });
        await addCards(host, [CARD]);
        await trust(host, { range: "^1.0.0" });
        const ledger = fs
          .readdirSync(path.join(host.drwnHome, "ledger"))
          .map((file) => path.join(host.drwnHome, "ledger", file));
        const kept = ledger.map((file) => [file, fs.readFileSync(file)] as const);
        for (const file of ledger) fs.rmSync(file);
        await publish(inAgent(host), "1.0.1");
        for (const [file, bytes] of kept) fs.writeFileSync(file, bytes, { mode: 0o600 });
      },
    ],
  ];

  test.each(orders)("%s", async (_, prepare) => {
    const host = newProject();
    await prepare(host, newSource());
    expect(await inForce(host)).toEqual(["1.0.0"]);
    await updateCards(inAgent(host), ALL);
    await write(inAgent(host));
    await addCards(host, [CARD]);
    const { plan, joined, hookIssues } = await write(host);
    expect([plan.policies.map(({ cardVersion }) => cardVersion), joined]).toEqual([["1.0.0"], []]);
    const said =
      "it was published inside an agent's tool call, so no person is known to have seen it; 1.0.0 stays in force";
    expect(hookIssues).toMatchObject([{ version: "1.0.1", reason: said }]);
    expect((await diagnoseProject(host)).hookIssues).toMatchObject([{ reason: said }]);
    expect(readStatus(host).cards[0]?.consent).toMatchObject({ state: "waits", reason: said });
  });

  test("is in force once a person has reviewed it, and is told that an agent published it", async () => {
    const host = newProject();
    const { publish } = newSource();
    await publish(inAgent(host), "1.0.0");
    await addCards(host, [CARD]);
    expect(reviewConsent(host, { card: CARD, range: null })).toMatchObject({ publishedBy: "agent" });
    const { stderr } = await runCommand(host, CardTrust, CARD, "--hooks", "--yes");
    expect(stderr).toContain("published     inside an agent's tool call");
    expect(await inForce(host)).toEqual(["1.0.0"]);
    await publish(host, "1.0.1", { isSigned: false });
    await updateCards(host, ALL);
    expect(await inForce(host)).toEqual(["1.0.1"]);
  });

  test.each<[string, (host: TestHost) => void]>([
    [
      "says nothing of it",
      (host) =>
        editJson<{ publishedBy: unknown }>(recordOf(host, "1.0.1"), (record) =>
          Object.assign(record, { publishedBy: null }),
        ),
    ],
    [
      "is as it was before drwn noted it",
      (host) => editJson<{ publishedBy?: unknown }>(recordOf(host, "1.0.1"), (record) => delete record.publishedBy),
    ],
    ["is gone", (host) => fs.rmSync(recordOf(host, "1.0.1"))],
    ["is no record", (host) => fs.writeFileSync(recordOf(host, "1.0.1"), "{}")],
    [
      "is one of another content",
      (host) =>
        editJson<{ tree: string }>(recordOf(host, "1.0.1"), (record) =>
          Object.assign(record, { tree: `drwn1-sha512-${"a".repeat(86)}` }),
        ),
    ],
    ["is one of another version", (host) => fs.copyFileSync(recordOf(host, "1.0.0"), recordOf(host, "1.0.1"))],
  ])("an unsigned version whose record %s waits", async (_, spoil) => {
    const host = newProject();
    const { publish } = newSource();
    await publish(host, "1.0.0", { isSigned: false });
    await addCards(host, [CARD]);
    await trust(host);
    await publish(host, "1.0.1", { isSigned: false });
    await updateCards(host, ALL);
    spoil(host);
    const { plan, hookIssues } = await write(host);
    expect(plan.policies).toMatchObject([{ cardVersion: "1.0.0" }]);
    expect(hookIssues).toMatchObject([
      { reason: expect.stringContaining("nothing on this machine says that a person") },
    ]);
  });

  test("a version that this machine has had as an agent's waits, also where its record names a person by now", async () => {
    const host = newProject();
    const { publish } = newSource();
    await publish(host, "1.0.0", { isSigned: false });
    await publish(inAgent(host), "1.0.1");
    await addCards(host, [`${CARD}@1.0.0`]);
    await trust(host, { range: "^1.0.0" });
    await addCards(host, [CARD]);
    editJson<{ publishedBy: unknown }>(recordOf(host, "1.0.1"), (record) => {
      record.publishedBy = "person";
    });
    expect(await inForce(host)).toEqual(["1.0.0"]);
  });

  test("what was put into the registry by hand waits", async () => {
    const host = newProject();
    await plant(host);
    await addCards(host, [CARD]);
    await trust(host);
    await plant(host, { version: "1.0.1", hooks: { guard: { matcher: "Bash" } } }, null);
    await updateCards(host, ALL);
    expect(await inForce(host)).toEqual(["1.0.0"]);
  });

  test("what a repository vendors as one of the own registry waits: no record is of it", async () => {
    const [author, host] = [newProject(), newProject()];
    for (const one of [author, host]) {
      await plant(one);
      await addCards(one, [CARD]);
    }
    await trust(host);
    await plant(author, { version: "1.0.1", hooks: { guard: { matcher: "Bash" } } });
    await updateCards(author, ALL);
    await vendorCards(author, { dryRun: false });
    fs.cpSync(path.join(author.cwd, ".agents"), path.join(host.cwd, ".agents"), { recursive: true });
    await installCards(host, { frozen: true });
    expect(await inForce(host)).toEqual(["1.0.0"]);
  });

  test("what is published to another registry, whose scope the agent set, waits", async () => {
    const host = newProject();
    const { publish } = newSource();
    await publish(host, "1.0.0", { isSigned: false });
    await addCards(host, [CARD]);
    await trust(host);
    await addRegistry(inAgent(host), { name: "evil", location: temporaryFolder(), isStatic: false });
    await setScope(inAgent(host), "@me", "evil");
    await publish(host, "1.0.1", { isSigned: false });
    await updateCards(host, ALL).catch(() => undefined);
    await addCards(host, [CARD]);
    expect(await inForce(host)).toEqual(["1.0.0"]);
  });

  test("what a linked folder holds waits, whoever edited it, and goes back to nothing that was approved before", async () => {
    const host = newProject();
    const folder = path.join(host.cwd, "linked");
    fs.cpSync(newSource().folder, folder, { recursive: true });
    const edit = async (reason: string) => {
      fs.writeFileSync(path.join(folder, "hooks/guard/policy.ts"), denyingPolicy("Bash", reason));
      const { packSource } = await import("../../src/card/source/pack.ts");
      const { writeIndex } = await import("../../src/card/source/build-index.ts");
      writeIndex(folder, (await packSource(folder)).index);
    };
    await edit("first");
    await addCards(host, ["./linked"]);
    await trust(host);
    const first = (await write(host)).plan;
    await edit("second");
    expect((await write(host)).plan).toEqual(first);
    await trust(host);
    const second = (await write(host)).plan;
    expect(second).not.toEqual(first);
    await edit("first");
    expect((await write(host)).plan).toEqual(second);
  });
});

describe("signing", () => {
  test("is the default: a person's first publish of a scope makes its key, says so once, and the next ones use it", async () => {
    const host = newProject();
    const { folder } = newSource();
    const first = await runCommand(host, CardPublish, folder);
    const file = layout.ownKey(host.drwnHome, "@me");
    expect(first.stderr.split("\n").filter((line) => line.includes(file))).toHaveLength(1);
    expect((fs.statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect((fs.statSync(path.dirname(file)).mode & 0o777).toString(8)).toBe("700");
    const other = sourceWith({ manifest: { name: "@me/other" }, hooks: { guard: denyingPolicy("Bash") } });
    const { stdout, stderr } = await runCommand(host, CardPublish, other, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      madeKey: null,
      publisher: listKeys(host).own[0]?.publisher,
      by: "person",
    });
    expect(stderr).not.toContain(file);
  });

  test("makes no key in a dry run, with --no-sign, and where `card pack` finds none", async () => {
    const host = newProject();
    const { folder } = newSource();
    await runCommand(host, CardPublish, folder, "--dry-run");
    await runCommand(host, CardPack, folder);
    const { stderr } = await runCommand(host, CardPublish, folder, "--no-sign");
    expect(stderr).toContain("not signed");
    expect(listKeys(host).own).toEqual([]);
    expect(await openDefaultRegistry(host).versions(CARD)).toMatchObject([{ publisher: null, publishedBy: "person" }]);
  });

  test("makes no second key where earlier versions are signed with one that is not here", async () => {
    const host = newProject();
    const { publish } = newSource();
    await publish(host, "1.0.0");
    fs.rmSync(layout.ownKey(host.drwnHome, "@me"));
    const problem = await problemOf(() => publish(host, "1.0.1"));
    expect([problem.code, textOf(problem)]).toEqual(["DRWN_SIGNATURE_MISSING", expect.stringContaining("--key FILE")]);
    expect(listKeys(host).own).toEqual([]);
  });

  test("is not for agents: what they pack and publish is not signed, and a signed card takes no version of theirs", async () => {
    const host = newProject();
    const { folder, publish } = newSource();
    await publish(host, "1.0.0");
    const packed = await runCommand(inAgent(host), CardPack, folder, "--json");
    expect(JSON.parse(packed.stdout)).toMatchObject({ publisher: null, by: "agent" });
    const problem = await problemOf(() => publish(inAgent(host), "1.0.1"));
    expect([problem.code, problem.hint]).toEqual([
      "DRWN_AGENT_SESSION",
      `a person can, in a terminal of their own: drwn card publish ${CARD}`,
    ]);
    for (const isSigned of [true, false]) await problemOf(() => publish(inAgent(host), "1.0.1", { isSigned }));
    expect(await openDefaultRegistry(host).versions(CARD)).toHaveLength(1);
  });

  test("is not for scripts either where the machine asks for a terminal, and nobody is said to have published", async () => {
    const host = newProject();
    const settings = { version: 1, registries: {}, scopes: {}, consent: { terminal: true } };
    fs.mkdirSync(host.drwnHome, { recursive: true });
    fs.writeFileSync(layout.settings(host.drwnHome), JSON.stringify(settings));
    const { publish } = newSource();
    expect(await publish(host, "1.0.0")).toMatchObject({ publisher: null, by: null, madeKey: null });
    expect(await openDefaultRegistry(host).versions(CARD)).toMatchObject([{ publishedBy: null }]);
    expect(await publish({ ...host, isAtTerminal: true }, "1.0.1")).toMatchObject({ by: "person" });
  });
});

test("a person who publishes is told what differs from what a person published last, agents' versions between included", async () => {
  const host = newProject();
  const { folder, publish } = newSource();
  expect((await publish(host, "1.0.0", { isSigned: false })).changes).toBeNull();
  await publish(inAgent(host), "1.0.1");
  const { changes } = await publish(host, "1.0.2", { isSigned: false });
  expect(changes).toEqual({
    since: "1.0.0",
    files: [
      { path: "card.json", change: "changed", lines: { added: 1, removed: 1 } },
      { path: "hooks/guard/policy.ts", change: "changed", lines: { added: 1, removed: 1 } },
    ],
  });
  editJson<{ version: string }>(path.join(folder, "card.json"), (card) => {
    card.version = "1.0.3";
  });
  const { stderr } = await runCommand(host, CardPublish, folder, "--dry-run");
  expect(stderr).toContain("Would differ from 1.0.2 in 1 file");
});

test("versions are yanked and taken back by people alone, also before anybody consents", async () => {
  const host = newProject();
  const { publish } = newSource();
  await publish(host, "1.0.0");
  for (const isYanked of [true, false]) {
    expect((await problemOf(() => yankCard(inAgent(host), `${CARD}@1.0.0`, isYanked))).code).toBe("DRWN_AGENT_SESSION");
  }
});

describe("a review says which later versions will join", () => {
  const said = async (host: TestHost, ...flags: string[]) => {
    const { stderr } = await runCommand(host, CardTrust, CARD, "--hooks", "--yes", ...flags);
    const { stdout } = await runCommand(host, CardTrust, CARD, "--hooks", "--yes", "--json", ...flags);
    return [
      stderr
        .split("\n")
        .find((line) => line.includes("consent for"))
        ?.split(": ")[1],
      JSON.parse(stdout).later,
    ];
  };
  const facts = "that differs in none of the facts below";

  test("of a card that is signed: those with the key, from elsewhere after three days", async () => {
    const host = newProject();
    await newSource().publish(host, "1.0.0");
    await addCards(host, [CARD]);
    expect(await said(host)).toEqual([
      `a later version in this range with the same key ${facts} joins by itself`,
      { join: "same-key", afterHours: 0 },
    ]);
    expect(await said(host, "--range", "1.0.0")).toEqual(["this version alone", { join: "no-others", afterHours: 0 }]);
  });

  test.each([
    ["signed, in a shared folder", {}, "with the same key", { join: "same-key", afterHours: 72 }],
    ["unsigned, in a shared folder", { isSigned: false }, "each later version waits", { join: "none", afterHours: 0 }],
  ])("of one that is %s", async (_, options, text, later) => {
    const host = newProject();
    await addRegistry(host, { name: "team", location: temporaryFolder(), isStatic: false });
    await setScope(host, "@me", "team");
    await newSource().publish(host, "1.0.0", options);
    await addCards(host, [CARD]);
    expect(await said(host)).toEqual([expect.stringContaining(text), later]);
  });

  test("of one that is unsigned, in the own registry: those that a person publishes", async () => {
    const host = newProject();
    await newSource().publish(host, "1.0.0", { isSigned: false });
    await addCards(host, [CARD]);
    expect(await said(host)).toEqual([
      `a later version in this range that a person publishes on this machine and ${facts} joins by itself`,
      { join: "published-here", afterHours: 0 },
    ]);
  });
});
