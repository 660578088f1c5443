import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { withFreeLock, withLock } from "../../src/kernel/mutex.ts";
import { thisMachine } from "../../src/kernel/process.ts";
import { readTree, temporaryFolder, writeTree } from "../support/cards.ts";
import { leftoverName } from "../support/leftovers.ts";
import { bundleScript, runTogether } from "../support/processes.ts";

const COUNTING = `
import fs from "node:fs";
import { withLock } from "src/kernel/mutex.ts";
const folder = process.argv[2];
for (let round = 0; round < 10; round += 1) {
  await withLock(folder + "/locks/counter.lock", async () => {
    const count = Number(fs.readFileSync(folder + "/count", "utf8"));
    await new Promise((resolve) => setImmediate(resolve));
    fs.writeFileSync(folder + "/count", String(count + 1));
  });
}
`;

// Every process but the last dies inside the lock, each time leaving the lock of a dead owner to several that wait for it.
const DYING = `
import fs from "node:fs";
import { withLock } from "src/kernel/mutex.ts";
const folder = process.argv[2];
await withLock(folder + "/locks/counter.lock", async () => {
  fs.writeFileSync(folder + "/inside-" + process.argv[3], "", { flag: "wx" });
  const others = fs.readdirSync(folder).filter((name) => name.startsWith("inside-"));
  const alive = others.filter((name) => name !== "inside-" + process.argv[3]);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  fs.appendFileSync(folder + "/seen", alive.length + "\\n");
  fs.rmSync(folder + "/inside-" + process.argv[3]);
  process.kill(process.pid, "SIGKILL");
});
`;

/** As a container has it: processes are numbered anew, and none of those outside is seen. */
const CONTAINER = ["-rpm", "--fork", "--kill-child", "--mount-proc"];

const HOLDING = `
import { withLock } from "src/kernel/mutex.ts";
await withLock(process.argv[2], async () => {
  process.stdout.write("held");
  await new Promise((resolve) => setTimeout(resolve, 60000));
});
`;

test("sixteen processes that read, change and write one file lose no change", async () => {
  const folder = writeTree(temporaryFolder(), { count: "0" });
  const ends = await runTogether(await bundleScript(COUNTING), 16, [folder]);
  expect(ends).toEqual(Array.from({ length: 16 }, () => 0));
  expect(fs.readFileSync(path.join(folder, "count"), "utf8")).toBe("160");
  expect(readTree(path.join(folder, "locks"))).toEqual({});
});

test("of processes that are killed inside the lock, no two were ever inside at once", async () => {
  const folder = temporaryFolder();
  const ends = await runTogether(await bundleScript(DYING), 24, [folder]);
  expect(ends).toEqual(Array.from({ length: 24 }, () => "SIGKILL"));
  const seen = fs.readFileSync(path.join(folder, "seen"), "utf8").trim().split("\n");
  expect(seen).toEqual(Array.from({ length: 24 }, () => "0"));
});

test("the lock of a killed process is taken over at once", async () => {
  const lock = path.join(temporaryFolder(), "a.lock");
  const holder = spawn(process.execPath, [await bundleScript(HOLDING), lock], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  holder.kill("SIGKILL");
  await once(holder, "exit");
  const started = performance.now();
  expect(await withLock(lock, () => "mine")).toBe("mine");
  expect(performance.now() - started).toBeLessThan(5_000);
});

test.runIf(process.platform === "linux")(
  "a process that has ended and was never waited for holds no lock",
  async () => {
    const lock = path.join(temporaryFolder(), "a.lock");
    const script = await bundleScript(HOLDING);
    // The shell becomes `sleep`, which does not know that it has a child.
    const parent = spawn(
      "/bin/sh",
      ["-c", '"$0" "$1" "$2" & echo "$!"; exec sleep 60', process.execPath, script, lock],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    onTestFinished(() => {
      parent.kill("SIGKILL");
    });
    let said = "";
    for await (const chunk of parent.stdout) {
      said += String(chunk);
      if (said.includes("held")) break;
    }
    process.kill(Number(/\d+/u.exec(said)?.[0]), "SIGKILL");
    expect(await withLock(lock, () => "mine")).toBe("mine");
  },
);

test("a number that another process has by now does not keep a lock", async () => {
  const lock = path.join(temporaryFolder(), "a.lock");
  writeTree(lock, { [`${process.pid}-12345-${thisMachine()}-abcdef`]: "" });
  expect(await withLock(lock, () => "mine")).toBe("mine");
});

test("the lock is free again when the work fails, and the failure is passed on", async () => {
  const lock = path.join(temporaryFolder(), "a.lock");
  await expect(withLock(lock, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(fs.existsSync(lock)).toBe(false);
  expect(await withLock(lock, () => 1)).toBe(1);
});

test("two pieces of work in one process do not overlap either", async () => {
  const lock = path.join(temporaryFolder(), "a.lock");
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`${name} ends`);
  };
  await Promise.all([withLock(lock, work("a")), withLock(lock, work("b"))]);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

test("what killed processes left beside a lock is swept by the next one that wants a lock there", async () => {
  const folder = writeTree(temporaryFolder(), {
    [`a.lock/1-12345-${thisMachine()}-ab`]: "",
    [`${leftoverName()}/999999999-1-${thisMachine()}-ab`]: "",
  });
  await withLock(path.join(folder, "a.lock"), () => {});
  expect(fs.readdirSync(folder)).toEqual([]);
});

function isTaken(lock: string): boolean {
  let isDone = false;
  withFreeLock(lock, () => {
    isDone = true;
  });
  return isDone;
}

test.runIf(spawnSync("unshare", [...CONTAINER, "true"]).status === 0)(
  "a lock that is held in another container is not taken over",
  async () => {
    const lock = path.join(temporaryFolder(), "a.lock");
    const words = [...CONTAINER, process.execPath, await bundleScript(HOLDING), lock];
    const holder = spawn("unshare", words, { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => {
      holder.kill("SIGKILL");
    });
    await once(holder.stdout, "data");
    const held = readTree(lock);
    expect([isTaken(lock), readTree(lock)]).toEqual([false, held]);
  },
);

const FOREIGN = "999999999-1-0123456789ab-fedcba";

test("a lock of another machine is taken over after a day, whatever the clock of this one says", () => {
  const lock = writeTree(path.join(temporaryFolder(), "a.lock"), { [FOREIGN]: "" });
  const begun = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: begun + 48 * 3_600_000 });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const takenAfter = (hours: number) => {
    const then = new Date(begun - hours * 3_600_000);
    fs.utimesSync(path.join(lock, FOREIGN), then, then);
    return isTaken(lock);
  };
  expect([0, -30, 23, 25].map(takenAfter)).toEqual([false, false, false, true]);
});

test("who waits in vain for another machine is told how to go on", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const lock = writeTree(path.join(temporaryFolder(), "a.lock"), { [FOREIGN]: "" });
  const waiting = expect(withLock(lock, () => "mine")).rejects.toMatchObject({
    code: "DRWN_BUSY",
    details: ["owner: process 999999999 of another machine or container that shares this folder"],
    hint: expect.stringContaining(`rm -r ${lock}`),
  });
  await vi.advanceTimersByTimeAsync(31_000);
  await waiting;
});

test("a lock below a link that leads nowhere is refused by name", async () => {
  const link = path.join(temporaryFolder(), "link");
  fs.symlinkSync("/nowhere/at/all", link);
  await expect(withLock(path.join(link, "locks/a"), () => {})).rejects.toMatchObject({
    code: "DRWN_TARGET_UNWRITABLE",
    message: `no folder can be made at ${link}`,
  });
});
