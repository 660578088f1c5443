import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { addHook } from "../../../src/card/source/edit-source.ts";
import CardPack from "../../../src/cli/commands/card/pack.ts";
import CardPublish from "../../../src/cli/commands/card/publish.ts";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import { layout } from "../../../src/contract/layout.ts";
import { listKeys } from "../../../src/operations/machine/keys.ts";
import { addRegistry, setCardScopes } from "../../../src/operations/machine/registry-settings.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { updateCards } from "../../../src/operations/project/update.ts";
import { openDefaultRegistry } from "../../../src/project/fetch/fetch-card.ts";
import { denyingPolicy, sourceWith, temporaryFolder } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { editJson } from "../../support/machine-state.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { CARD, inAgent, inForce, newProject, newSource, trust, write } from "../../support/projects.ts";

const ALL = { names: [], latest: false, dryRun: false };

test("publishing says which version it can be before it tries a case", async () => {
  const host = newProject();
  const { folder, publish } = newSource();
  await publish(host, "1.0.0");
  fs.renameSync(path.join(folder, "hooks/guard"), path.join(folder, "hooks/other"));
  editJson<{ hooks: object }>(path.join(folder, "card.json"), (card) => {
    card.hooks = { include: ["other"] };
  });
  const wrong = { id: "a", tool: "Bash", input: { command: "ls" }, expect: "allow" };
  fs.writeFileSync(path.join(folder, "hooks/other/cases.jsonl"), `${JSON.stringify(wrong)}\n`);
  const taken = await runCommand(host, CardPublish, folder);
  expect(taken.stderr).toContain(`${CARD}@1.0.0 is published already`);
  expect(taken.stderr).toContain(`hint: drwn card source set ${CARD} --version 2.0.0\n`);
});

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
    expect([problem.code, textOf(problem)]).toEqual([
      "DRWN_SIGNATURE_MISSING",
      expect.stringContaining("--key <file>"),
    ]);
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

describe("a review says which later versions will join", () => {
  const said = async (host: TestHost, ...flags: string[]) => {
    const { stderr } = await runCommand(host, CardTrust, CARD, "--hooks", "--yes", ...flags);
    const { stdout } = await runCommand(host, CardTrust, CARD, "--hooks", "--yes", "--json", ...flags);
    return [
      stderr
        .split("\n")
        .find((line) => /^ {2}later /u.test(line))
        ?.slice(15),
      JSON.parse(stdout).later,
    ];
  };

  test("of a card that is signed: those with the key, from elsewhere after three days", async () => {
    const host = newProject();
    await newSource().publish(host, "1.0.0");
    await addCards(host, [CARD]);
    expect(await said(host)).toEqual([
      "^1.0.0 with the same key joins by itself, if it may do no more",
      { join: "same-key", afterHours: 0 },
    ]);
    expect(await said(host, "--range", "1.0.0")).toEqual(["this version alone", { join: "no-others", afterHours: 0 }]);
  });

  test.each([
    ["signed, in a shared folder", {}, "with the same key", { join: "same-key", afterHours: 72 }],
    [
      "unsigned, in a shared folder",
      { isSigned: false },
      "each version waits for you",
      { join: "none", afterHours: 0 },
    ],
  ])("of one that is %s", async (_, options, text, later) => {
    const host = newProject();
    await addRegistry(host, { name: "team", location: temporaryFolder(), isStatic: false });
    await setCardScopes(host, ["@me"], "team");
    await newSource().publish(host, "1.0.0", options);
    await addCards(host, [CARD]);
    expect(await said(host)).toEqual([expect.stringContaining(text), later]);
  });

  test("of one that is unsigned, in the own registry: those that a person publishes", async () => {
    const host = newProject();
    await newSource().publish(host, "1.0.0", { isSigned: false });
    await addCards(host, [CARD]);
    expect(await said(host)).toEqual([
      "^1.0.0 that a person publishes here joins, if it may do no more",
      { join: "published-here", afterHours: 0 },
    ]);
  });
});

test("a rehearsal refuses what the registry would refuse", async () => {
  const host = newProject();
  const { folder, publish } = newSource();
  await publish(host, "1.0.0");
  expect((await problemOf(() => publish(host, "1.0.0", { dryRun: true }))).code).toBe("DRWN_VERSION_EXISTS");
  addHook(folder, "second");
  expect((await problemOf(() => publish(host, "1.0.1", { dryRun: true }))).code).toBe("DRWN_BUMP_TOO_SMALL");
});

test("a hook whose review would show the template's line is named to its publisher", async () => {
  const folder = sourceWith({ manifest: { name: CARD } });
  addHook(folder, "guard");
  const asMade = await runCommand(newProject(), CardPublish, folder, "--dry-run");
  expect(asMade.stderr).not.toContain("warning");
  fs.writeFileSync(path.join(folder, "hooks/guard/policy.ts"), denyingPolicy("Bash"));
  const { stderr } = await runCommand(newProject(), CardPublish, folder);
  expect(stderr).toContain("hooks/guard/README.md: its first line is still the template's");
});
