import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import { layout } from "../../../src/contract/layout.ts";
import type { Host } from "../../../src/kernel/host.ts";
import { yankCard } from "../../../src/operations/author/annotate.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards, vendorCards } from "../../../src/operations/project/install.ts";
import { reviewConsent } from "../../../src/operations/project/trust.ts";
import { updateCards } from "../../../src/operations/project/update.ts";
import { isWaiting } from "../../../src/operations/project/write.ts";
import { denyingPolicy } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { editJson } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, inAgent, inForce, newProject, newSource, plant, trust, write } from "../../support/projects.ts";

const ALL = { names: [], latest: false, dryRun: false };

const recordOf = (host: Host, version: string) =>
  path.join(layout.registry(host.drwnHome), "cards", CARD, `${version}.json`);

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
    const { plan, joined, findings } = await write(host);
    expect([plan.policies.map(({ cardVersion }) => cardVersion), joined]).toEqual([["1.0.0"], []]);
    const said =
      "it was published inside an agent's tool call, so no person is known to have seen it; 1.0.0 stays in force";
    expect(findings.filter(isWaiting)).toMatchObject([{ message: said }]);
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
    expect(stderr).toContain("published    inside an agent's tool call");
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
      "lacks the field",
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
    const { plan, findings } = await write(host);
    expect(plan.policies).toMatchObject([{ cardVersion: "1.0.0" }]);
    expect(findings.filter(isWaiting)).toMatchObject([
      { message: expect.stringContaining("nothing on this machine says that a person") },
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

  test("what a linked folder holds waits, whoever edited it, and goes back to nothing that was approved before", async () => {
    const host = newProject();
    const folder = path.join(host.cwd, "linked");
    fs.cpSync(newSource().folder, folder, { recursive: true });
    const edit = async (reason: string) => {
      fs.writeFileSync(path.join(folder, "hooks/guard/policy.ts"), denyingPolicy("Bash", reason));
      const { packSource } = await import("../../../src/card/source/pack.ts");
      const { writeIndex } = await import("../../../src/card/source/build-index.ts");
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

test("versions are yanked and taken back by people alone, also before anybody consents", async () => {
  const host = newProject();
  const { publish } = newSource();
  await publish(host, "1.0.0");
  for (const isYanked of [true, false]) {
    expect((await problemOf(() => yankCard(inAgent(host), `${CARD}@1.0.0`, isYanked))).code).toBe("DRWN_AGENT_SESSION");
  }
});
