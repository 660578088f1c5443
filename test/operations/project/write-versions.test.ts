import fs from "node:fs";
import { expect, test } from "vitest";
import { advise, drwn } from "../../../src/kernel/advice.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { removeCard } from "../../../src/operations/project/remove.ts";
import { isWaiting } from "../../../src/operations/project/write.ts";
import { writeConfig } from "../../../src/project/config.ts";
import { EMPTY_LOCK, writeLock } from "../../../src/project/lock.ts";
import { readLedger } from "../../../src/trust/ledger-file.ts";
import { ledgerFile, openProjectKey } from "../../support/machine-state.ts";
import { CARD, GUARD, guardedProject, newProject, plant, publish, trust, write } from "../../support/projects.ts";

const inForce = ({ plan }: Awaited<ReturnType<typeof write>>) =>
  plan.policies.map(({ card, cardVersion, hook }) => `${card}@${cardVersion}#${hook}`);

test("a version inside the range with the same facts joins by itself, compiled and recorded", async () => {
  const host = await guardedProject();
  await publish(host, { ...GUARD, version: "1.1.0" });
  await addCards(host, [CARD]);
  const written = await write(host);
  expect(written.joined).toEqual([`${CARD}@1.1.0`]);
  expect(inForce(written)).toEqual([`${CARD}@1.1.0#guard`]);
  const approved = readLedger(host.drwnHome, openProjectKey(host))?.grants[0]?.approved ?? [];
  expect(approved.map(({ cardVersion, by }) => [cardVersion, by])).toEqual([
    ["1.0.0", "person"],
    ["1.1.0", "range"],
  ]);
});

const WAITING: [string, Parameters<typeof plant>[1], RegExp][] = [
  ["outside the range", { ...GUARD, version: "2.0.0" }, /outside the range \^1\.0\.0.*1\.0\.0 stays in force/u],
  [
    "that only watches",
    { version: "1.1.0", hooks: { guard: { matcher: "Bash", kind: "observer" } } },
    /kind enforcement → observer/u,
  ],
  ["on other tools", { version: "1.1.0", hooks: { guard: { matcher: "Edit" } } }, /matcher Bash → Edit/u],
  [
    "with more time",
    { version: "1.1.0", hooks: { guard: { matcher: "Bash", timeoutMs: 9_000 } } },
    /timeoutMs 5000 ms → 9000 ms/u,
  ],
  [
    "that wants the network",
    { version: "1.1.0", hooks: { guard: { matcher: "Bash", capabilities: ["net"] } } },
    /capabilities none → net/u,
  ],
  ["with a hook more", { version: "1.1.0", hooks: { guard: { matcher: "Bash" }, more: {} } }, /more: added/u],
  [
    "with another hook instead",
    { version: "1.1.0", hooks: { other: { matcher: "Bash" } } },
    /guard: removed.*other: added/u,
  ],
];

test.each(WAITING)("a version %s waits, and the last approved one stays in force", async (_, parts, reason) => {
  const host = await guardedProject();
  const { manifest } = await plant(host, parts);
  const before = fs.readFileSync(ledgerFile(host));
  await addCards(host, [`${CARD}@${manifest.version}`]);
  const written = await write(host);
  expect(inForce(written)).toEqual([`${CARD}@1.0.0#guard`]);
  expect(written.joined).toEqual([]);
  expect(written.findings.filter(isWaiting)).toMatchObject([{ subject: CARD, message: expect.stringMatching(reason) }]);
  expect(fs.readFileSync(ledgerFile(host))).toEqual(before);
});

test("a version without hooks takes no guard away", async () => {
  const host = await guardedProject();
  await plant(host, { version: "1.1.0" });
  await addCards(host, [CARD]);
  const written = await write(host);
  expect(inForce(written)).toEqual([`${CARD}@1.0.0#guard`]);
  expect(written.findings.filter(isWaiting)).toMatchObject([
    { subject: CARD, message: expect.stringMatching(/guard: removed/u), hint: drwn("card untrust", CARD, "--hooks") },
  ]);
  expect(written.changes).toEqual([]);
});

test("a guard that leaves the lock without remove or untrust stays in force, and write says so each time", async () => {
  const host = await guardedProject();
  writeConfig(host.cwd, { version: 1, cards: {} });
  writeLock(host.cwd, EMPTY_LOCK);
  const written = await write(host);
  expect(inForce(written)).toEqual([`${CARD}@1.0.0#guard`]);
  expect(written.changes).toEqual([]);
  expect(written.findings).toMatchObject([
    {
      code: "guard-left-the-lock",
      subject: CARD,
      hint: advise`${drwn("add", `${CARD}@^1.0.0`)}; only if you want less: ${drwn("remove", CARD)}`,
    },
  ]);
  await removeCard(host, CARD);
  expect(inForce(await write(host))).toEqual([]);
});

test("policies run in the order of the lock, then of the card", async () => {
  const host = newProject();
  await publish(host, { name: "@me/z", hooks: { b: {}, a: {} } });
  await publish(host, { name: "@me/a", hooks: { c: {} } });
  await addCards(host, ["@me/z", "@me/a"]);
  for (const card of ["@me/a", "@me/z"]) await trust(host, { card });
  expect(inForce(await write(host))).toEqual(["@me/z@1.0.0#b", "@me/z@1.0.0#a", "@me/a@1.0.0#c"]);
});
