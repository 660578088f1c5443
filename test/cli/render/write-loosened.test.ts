import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Add from "../../../src/cli/commands/add.ts";
import Doctor from "../../../src/cli/commands/doctor.ts";
import Install from "../../../src/cli/commands/install.ts";
import List from "../../../src/cli/commands/list.ts";
import Status from "../../../src/cli/commands/status.ts";
import TrustRequest from "../../../src/cli/commands/trust/request.ts";
import Trust from "../../../src/cli/commands/trust.ts";
import Write from "../../../src/cli/commands/write.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { readTree, writeTree } from "../../support/cards.ts";
import { type CommandClass, runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { CARD, GUARD, guardedProject, inForce, installed, publish, trust, write } from "../../support/projects.ts";

const folder = (host: TestHost) => path.join(host.cwd, ".agents");

/** A pull that takes every card out. */
async function emptied() {
  const host = await guardedProject();
  const config = path.join(folder(host), "drwn/config.json");
  fs.writeFileSync(config, JSON.stringify({ ...JSON.parse(fs.readFileSync(config, "utf8")), cards: {} }));
  fs.writeFileSync(path.join(folder(host), "drwn/card.lock"), '{"lockfileVersion":1,"cards":[]}');
  return { host, back: `drwn add ${CARD}@^1.0.0`, accept: `drwn remove ${CARD}` };
}

/** A pull of a trust.json that asks for a looser option. */
async function looser() {
  const options = { strict: { type: "boolean", default: true, description: "Strict.", tightens: true } } as const;
  const host = await installed({ hooks: { push: { matcher: "Bash", options } } });
  await trust(host);
  await write(host);
  const requests = { [CARD]: { hooks: "^1.0.0", options: { push: { strict: false } } } };
  fs.writeFileSync(path.join(folder(host), "drwn/trust.json"), JSON.stringify({ version: 1, requests }));
  return {
    host,
    back: `drwn trust request ${CARD} --set push.strict=true`,
    accept: `drwn card set ${CARD} push.strict=false`,
  };
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

const PULLS: [string, () => Promise<{ host: TestHost; back: string; accept: string }>, CommandClass][] = [
  ["takes a guard out", emptied, Add],
  ["goes back to an older lock", older, Add],
  ["asks for a looser option", looser, TrustRequest],
];

describe.each(PULLS)("after a pull that %s", (_, pull, Back) => {
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

  test("nobody says that it stays in force where it isn't", async () => {
    const { host, back } = await pull();
    expect((await runCommand(host, Status)).stdout).toMatch(/^Guarded: /u);
    fs.rmSync(path.join(host.home, ".claude/settings.json"));
    for (const Command of [Status, List]) {
      const { stdout } = await runCommand(host, Command);
      expect(stdout).toMatch(/^NOT GUARDED in /u);
      expect(stdout).not.toMatch(/stays? in force/u);
      if (Command !== List) expect(stdout).toContain(back);
    }
  });

  test("the command brings it back, without a question", async () => {
    const { host, back } = await pull();
    const before = await inForce(host);
    const [, ...typed] = back.split(/^drwn (?:add|trust request) | /u);
    expect((await runCommand(host, Back, ...typed)).exitCode).toBe(0);
    expect(await inForce(host)).toEqual(before);
    const { stdout } = await runCommand(host, Status);
    expect(stdout).not.toContain("Bring it back");
  });
});

test("of an option, `trust` says both commands, and a trust.json that can't be read doesn't hide the state of the guards", async () => {
  const { host, back, accept } = await looser();
  expect((await runCommand(host, Trust)).stdout).toContain(`Bring it back: ${back}; only if you want less: ${accept}`);
  fs.writeFileSync(path.join(folder(host), "drwn/trust.json"), "{");
  expect((await runCommand(host, Status)).stdout).toMatch(/^Guarded: /u);
});

test("guards that a pull takes out come back with one command", async () => {
  const host = await guardedProject();
  await publish(host, { ...GUARD, name: "@me/two" });
  await addCards(host, ["@me/two"]);
  await trust(host, { card: "@me/two" });
  await write(host);
  fs.writeFileSync(path.join(folder(host), "drwn/config.json"), '{"version":1,"cards":{}}');
  fs.writeFileSync(path.join(folder(host), "drwn/card.lock"), '{"lockfileVersion":1,"cards":[]}');
  const { stdout } = await runCommand(host, Install);
  expect(stdout.match(/^Next: .*$/gmu)).toEqual([`Next: drwn add ${CARD}@^1.0.0 @me/two@^1.0.0`]);
});
