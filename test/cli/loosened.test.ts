import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Doctor from "../../src/cli/commands/doctor.ts";
import Install from "../../src/cli/commands/install.ts";
import List from "../../src/cli/commands/list.ts";
import Status from "../../src/cli/commands/status.ts";
import Write from "../../src/cli/commands/write.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { readTree, writeTree } from "../support/cards.ts";
import { type CommandClass, runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { CARD, GUARD, guardedProject, inForce, publish, trust, write } from "../support/projects.ts";

const folder = (host: TestHost) => path.join(host.cwd, ".agents");

/** A pull that takes every card out. */
async function emptied() {
  const host = await guardedProject();
  const config = path.join(folder(host), "drwn/config.json");
  fs.writeFileSync(config, JSON.stringify({ ...JSON.parse(fs.readFileSync(config, "utf8")), cards: {} }));
  fs.writeFileSync(path.join(folder(host), "drwn/card.lock"), '{"lockfileVersion":1,"cards":[]}');
  return { host, back: `drwn add ${CARD}@^1.0.0`, accept: `drwn remove ${CARD}` };
}

/** A pull that goes back to an older lock. */
async function older() {
  const host = await guardedProject();
  const before = readTree(folder(host));
  await publish(host, { ...GUARD, version: "1.0.1", files: { "README.md": "later" } });
  await addCards(host, [`${CARD}@1.0.1`]);
  await trust(host);
  await write(host);
  fs.rmSync(folder(host), { recursive: true });
  writeTree(folder(host), before);
  return { host, back: `drwn add ${CARD}@^1.0.1`, accept: `drwn card trust ${CARD} --hooks` };
}

describe.each([
  ["takes a guard out", emptied],
  ["goes back to an older lock", older],
])("after a pull that %s", (_, pull) => {
  test.each<[string, CommandClass]>([
    ["install", Install],
    ["status", Status],
    ["list", List],
    ["write", Write],
    ["doctor", Doctor],
  ])("%s says how to bring the guard back before how to accept less", async (_name, Command) => {
    const { host, back, accept } = await pull();
    const { stdout, stderr } = await runCommand(host, Command);
    const said = `${stdout}\n${stderr}`;
    expect(said).toContain(back);
    if (said.includes(accept)) expect(said.indexOf(back)).toBeLessThan(said.indexOf(accept));
    const next = said.split("\n").filter((line) => line.startsWith("Next: "));
    expect(next.filter((line) => line.includes(accept) || line.includes("drwn add <card>"))).toEqual([]);
  });

  test("the command brings it back, without a question", async () => {
    const { host, back } = await pull();
    const before = await inForce(host);
    await addCards(host, [back.replace("drwn add ", "")]);
    expect(await inForce(host)).toEqual(before);
    const { stdout } = await runCommand(host, Status);
    expect(stdout).not.toContain("Bring it back");
  });
});
