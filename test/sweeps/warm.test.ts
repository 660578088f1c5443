import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { shellQuote } from "../../src/kernel/text.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { endWaiting, setWarm } from "../../src/wiring/waiting.ts";
import type { ArmedHome } from "../support/armed-home.ts";
import { eventOf, verdictOf } from "../support/hook-calls.ts";
import { isRunning } from "../support/processes.ts";
import { sweep } from "../support/sweep.ts";
import { armWarmHome, findStarted, nextWaiting, readIfThere, startCall, type Waiting } from "../support/warm-homes.ts";

const DENY = `{ beforeToolCall: () => ({ action: "deny", reason: "no" }) }`;
let armed: ArmedHome;
const undo: (() => void)[] = [];

beforeAll(() => {
  armed = armWarmHome([{ policy: DENY, timeoutMs: 5_000 }]);
  // Opens the folders around it, so that only the folder of what waits stops other users.
  for (let folder = armed.home; path.dirname(folder) !== folder; folder = path.dirname(folder)) {
    const { mode, uid } = fs.statSync(folder);
    if (uid === process.getuid?.() && (mode & 0o005) !== 0o005) fs.chmodSync(folder, (mode & 0o7777) | 0o055);
  }
});
afterAll(() => setWarm(armed.home, false));

type Attack = (waiting: Waiting) => unknown;

const swap = (file: string, put: (file: string) => void): void => {
  fs.rmSync(file, { recursive: true, force: true });
  put(file);
};
const text = (what: string) => (file: string) => fs.writeFileSync(file, what);
const pipe = (file: string): void => {
  execFileSync("mkfifo", [file]);
};
/** Leaves the text in a pipe that somebody has open. */
const leave = (file: string, what: string): void => {
  const fd = fs.openSync(file, fs.constants.O_RDWR);
  fs.writeSync(fd, what);
  fs.closeSync(fd);
};
/** Keeps the pipe open both ways until the call is over. */
const hold = (file: string): void => {
  const fd = fs.openSync(file, fs.constants.O_RDWR);
  undo.push(() => fs.closeSync(fd));
};
const told = ({ readyFile }: Waiting): string[] => fs.readFileSync(readyFile, "utf8").split("\n");
const tell = ({ readyFile }: Waiting, lines: string[]): void => fs.writeFileSync(readyFile, lines.join("\n"));
const copyOfNode = (): string => {
  const copy = path.join(armed.world, "node");
  fs.cpSync(process.execPath, copy);
  return copy;
};
const asNobody = (command: string): { status: number | null } => {
  return spawnSync("sh", ["-c", command], { uid: 65_534, gid: 65_534, stdio: "ignore", timeout: 20_000 });
};
const give = (folder: string, uid: number): void => {
  if (process.getuid?.() === 0) fs.chownSync(folder, uid, uid);
};
/**
 * A process that knows the launcher's word and says with it, at the pipes of the process that it has killed, that the
 * call may run.
 */
const IMPOSTOR = `
  const fs = require("fs");
  const [slot, ready, says] = process.argv.slice(1);
  const bytes = Buffer.alloc(200);
  let length = 0;
  process.kill(process.ppid, "SIGUSR2");
  while (length === 0) { length = fs.readSync(0, bytes); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); }
  const word = bytes.toString("utf8", 0, length).trim().split(" ").at(-1);
  fs.unlinkSync(ready);
  fs.writeSync(5, says.replace("WORD", word) + "\\n");`;
const impostor = async (
  waiting: Waiting,
  says: string,
  how: { uid?: number; program?: string } = {},
): Promise<void> => {
  const { slot, readyFile, pid } = waiting;
  const { uid, program = process.execPath } = how;
  const open = (name: string, flags: number): number => fs.openSync(path.join(slot, name), flags);
  const both = ["in", "out", "word"].map((name) => open(name, fs.constants.O_RDWR));
  const [input, out, said] = [open("in", fs.constants.O_RDONLY), open("out", fs.constants.O_WRONLY), open("word", 1)];
  const stdio: ("ignore" | number)[] = [input, out, "ignore", "ignore", "ignore", said];
  const begun = new Promise((resolve) => process.once("SIGUSR2", resolve));
  const user = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(program, ["-e", IMPOSTOR, slot, readyFile, says], { stdio, ...user });
  undo.push(() => child.kill("SIGKILL"));
  // Another user may not signal this process, which belongs to somebody else.
  await (uid === undefined ? begun : pause(500));
  process.kill(pid, "SIGKILL");
  await expect.poll(() => isRunning(pid)).toBe(false);
  const [first = "", ...others] = told(waiting);
  tell(waiting, [first.replace(/^[0-9]+/u, `${child.pid}`), ...others]);
  for (const fd of [...both, input, out, said]) fs.closeSync(fd);
};
/** A process like one that the launcher starts, in a mount that nobody else has and that pauses all policies. */
const startElsewhere = async ({ pid }: Waiting): Promise<void> => {
  const paused = path.join(armed.world, "paused");
  fs.writeFileSync(
    paused,
    JSON.stringify({ ...armed.ledger, pausedUntil: new Date(Date.now() + 600_000).toISOString() }),
  );
  process.kill(pid, "SIGKILL");
  const inside = `mount --bind '${paused}' '${armed.ledgerFile}' && ${hookCommand({ home: armed.home, runtime: "claude-code", phase: "pre" })}`;
  // Not every machine lets its users do this.
  const { status } = armed.run(`unshare -rm sh -c ${shellQuote(inside)}`, {
    input: JSON.stringify(eventOf("pre", armed.project)),
  });
  if (status === 0) await nextWaiting(armed);
};
const open = ({ slot }: Waiting): void => {
  for (const folder of [layout.warm(armed.home), slot]) fs.chmodSync(folder, 0o777);
};
const kill = ({ pid }: Waiting, signal: NodeJS.Signals = "SIGKILL"): void => {
  process.kill(pid, signal);
};

const ATTACKS: [name: string, attack: Attack][] = [
  ["the process is killed", kill],
  ["the process is stopped", (w) => kill(w, "SIGSTOP")],
  ["the process is told to end", (w) => leave(`${w.slot}/in`, "end\n")],
  ["the input is gone", (w) => fs.rmSync(`${w.slot}/in`)],
  ["the output is gone", (w) => fs.rmSync(`${w.slot}/out`)],
  ["the pipe of the word is gone", (w) => fs.rmSync(`${w.slot}/word`)],
  ["the input is a file", (w) => swap(`${w.slot}/in`, text(""))],
  ["the output is a file with an answer", (w) => swap(`${w.slot}/out`, text("{}"))],
  ["the word is in a file", (w) => swap(`${w.slot}/word`, text("100\n"))],
  ["the word is in a link", (w) => swap(`${w.slot}/word`, (file) => fs.symlinkSync("/dev/zero", file))],
  ["another pipe is in the input's place", (w) => swap(`${w.slot}/in`, pipe)],
  [
    "other pipes are in all places",
    (w) => {
      for (const name of ["in", "out", "word"]) swap(`${w.slot}/${name}`, pipe);
    },
  ],
  ["a word lies in the pipe already", (w) => leave(`${w.slot}/word`, "100\n")],
  ["a word of another call lies in the pipe", (w) => leave(`${w.slot}/word`, `${"0".repeat(36)} 100\n`)],
  ["an answer lies in the pipe already", (w) => leave(`${w.slot}/out`, '{"hookSpecificOutput":{}}\n')],
  ["an event lies in the pipe already", (w) => leave(`${w.slot}/in`, '{"tool_name":"Read"}\n')],
  ["somebody holds the input open", (w) => hold(`${w.slot}/in`)],
  ["somebody holds all pipes open", ({ slot }) => ["in", "out", "word"].map((name) => hold(`${slot}/${name}`))],
  ["somebody rings first", (w) => leave(`${w.slot}/in`, "ring 1 pre x\n")],
  ["somebody takes it first", (w) => fs.writeFileSync(`${w.slot}/taken`, "")],
  [
    "the folder is a link to its copy",
    (w) => {
      fs.renameSync(w.slot, `${w.slot}-real`);
      fs.symlinkSync(`${w.slot}-real`, w.slot);
    },
  ],
  [
    "the folder of all is a link",
    () => {
      const folder = layout.warm(armed.home);
      fs.renameSync(folder, `${folder}-real`);
      fs.symlinkSync(`${folder}-real`, folder);
      undo.push(() => {
        fs.rmSync(folder);
        fs.rmSync(`${folder}-real`, { recursive: true, force: true });
      });
    },
  ],
  ["the record is empty", (w) => fs.writeFileSync(w.readyFile, "")],
  ["the record is a pipe", (w) => swap(w.readyFile, pipe)],
  ["the record is a folder", (w) => swap(w.readyFile, fs.mkdirSync)],
  ["the record names process 1", (w) => tell(w, ["1 1", ...told(w).slice(1)])],
  ["the record names a dead process", (w) => tell(w, ["4194303 1", ...told(w).slice(1)])],
  ["the record names this test", (w) => tell(w, [`${process.pid} 1`, ...told(w).slice(1)])],
  ["the record names a path", (w) => tell(w, ["../../etc 1", ...told(w).slice(1)])],
  ["the record names another number of the process", (w) => tell(w, [`${w.pid} 1`, ...told(w).slice(1)])],
  [
    "the record is of another agent",
    (w) => tell(w, [told(w)[0] ?? "", (told(w)[1] ?? "").replace("claude-code", "codex"), ""]),
  ],
  ["the record is gone", (w) => fs.rmSync(w.readyFile)],
  ["an impostor says a word of its own", (w) => impostor(w, "100")],
  ["an impostor says the word of another call", (w) => impostor(w, `${"0".repeat(36)} 100`)],
  ["an impostor says the word, and no more", (w) => impostor(w, "WORD")],
  ["an impostor promises an answer that doesn't come", (w) => impostor(w, "WORD text 400")],
  ["an impostor that is another Node says all of the word", (w) => impostor(w, "WORD 100", { program: copyOfNode() })],
  ["an impostor of another user says all of the word", (w) => impostor(w, "WORD 100", { uid: 65_534 })],
  ["it was started where another ledger seems to lie", startElsewhere],
  ["the file of its errors is a device", (w) => swap(`${w.slot}/err`, (file) => fs.symlinkSync("/dev/null", file))],
  [
    "the part of the launcher is gone",
    () => {
      const file = layout.warmProgram(armed.home);
      const was = fs.readFileSync(file);
      fs.rmSync(file);
      undo.push(() => fs.writeFileSync(file, was));
    },
  ],
  [
    "the part of the launcher is empty",
    () => {
      const file = layout.warmProgram(armed.home);
      const was = fs.readFileSync(file);
      fs.writeFileSync(file, "");
      undo.push(() => fs.writeFileSync(file, was));
    },
  ],
  [
    "the part of the launcher is cut short",
    () => {
      const file = layout.warmProgram(armed.home);
      const was = fs.readFileSync(file);
      fs.writeFileSync(file, was.subarray(0, was.length / 2));
      undo.push(() => fs.writeFileSync(file, was));
    },
  ],
  ["the program was touched", () => fs.utimesSync(layout.hook(armed.home), new Date(), new Date())],
  [
    "it was stopped for a call before, and goes on",
    (w) => {
      kill(w, "SIGSTOP");
      armed.call();
      kill(w, "SIGCONT");
    },
  ],
  ["the session of its user ends", (w) => kill(w, "SIGHUP")],
  ["the machine is shut down", (w) => kill(w, "SIGTERM")],
  [
    "somebody has held the pipe of the word open since the call before",
    (w) => {
      hold(`${w.slot}/word`);
      armed.call();
    },
  ],
  [
    "the clock was put back before the program was replaced",
    (w) => {
      const later = new Date(Date.now() + 3_600_000);
      fs.utimesSync(`${w.slot}/for`, later, later);
      const program = layout.hook(armed.home);
      fs.cpSync(program, `${program}-new`);
      fs.renameSync(`${program}-new`, program);
    },
  ],
  [
    "its folder is open to all, and another user swaps the pipes",
    (w) => {
      open(w);
      asNobody(`cd '${w.slot}' && for name in in out word; do rm -f $name && mkfifo $name; done`);
    },
  ],
  [
    "its folder is open to all, and another user has the word in a file",
    (w) => {
      open(w);
      asNobody(`cd '${w.slot}' && rm -f word && echo 100 >word`);
    },
  ],
  [
    "its folder is open to all, and another user takes it and rings",
    (w) => {
      open(w);
      asNobody(`: >'${w.slot}/taken'; echo "ring 1 pre 1 ${"0".repeat(36)}" 1<>'${w.slot}/in'`);
    },
  ],
  [
    "the folder of all is another user's",
    () => {
      give(layout.warm(armed.home), 65_534);
      undo.push(() => give(layout.warm(armed.home), 0));
    },
  ],
  [
    "its folder is another user's",
    (w) => {
      give(w.slot, 65_534);
      asNobody(`cd '${w.slot}' && for name in in out word; do rm -f $name && mkfifo $name; done`);
    },
  ],
  ["another user kills it", ({ pid }) => asNobody(`kill -KILL ${pid}`)],
  ["another user reads the record and connects", (w) => asNobody(`cat '${w.readyFile}' && cat 0<>'${w.slot}/out'`)],
  ["another user writes the word", (w) => asNobody(`echo 100 1<>'${w.slot}/word'`)],
  ["another user rings", (w) => asNobody(`echo end 1<>'${w.slot}/in'`)],
  ["another user takes it", (w) => asNobody(`: > '${w.slot}/taken'`)],
  ["another user stops it", ({ pid }) => asNobody(`kill -STOP ${pid}`)],
];

test.skipIf(process.getuid?.() !== 0)("another user finds the folder of what waits, and gets no further", async () => {
  armed.call();
  const { slot } = await nextWaiting(armed);
  const found = asNobody(`ls -d '${layout.warm(armed.home)}' && ! ls '${slot}' && ! echo end 1<>'${slot}/in'`);
  expect(found.status).toBe(0);
});

describe("no call passes that a process of its own would deny, if", () => {
  test.each(sweep(ATTACKS, 8))("%s", async (_, attack) => {
    armed.call();
    await attack(await nextWaiting(armed));
    expect(["deny", "block"]).toContain(verdictOf(armed.call()));
    for (const work of undo.splice(0).reverse()) work();
    // Some attacks leave a process that nobody finds, or that is stopped.
    for (const pid of findStarted(armed)) process.kill(pid, "SIGKILL");
    endWaiting(armed.home);
    for (const place of ["1", "2"])
      fs.rmSync(layout.ready(armed.home, armed.key, place), { recursive: true, force: true });
    fs.rmSync(layout.warm(armed.home), { recursive: true, force: true });
    setWarm(armed.home, true);
    expect(verdictOf(armed.call())).toBe("deny");
  });
});

test("of calls at once each is denied, and they leave two processes at most", async () => {
  const busy = armWarmHome([{ policy: DENY }]);
  for (let round = 0; round < 3; round++) {
    const results = await Promise.all(Array.from({ length: 8 }, () => startCall(busy, {})));
    for (const { stdout, stderr } of results) expect(`${stdout}${stderr}`).toContain("no");
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 0));
  }
  await nextWaiting(busy);
  await pause(500);
  expect(findStarted(busy).length).toBeLessThanOrEqual(2);
  setWarm(busy.home, false);
});

/** A machine that goes to sleep stops all processes at the same moment, and nobody can say which one wakes first. */
describe("while the machine sleeps", () => {
  const signal = (pids: number[], name: NodeJS.Signals): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
    }
  };

  test.each(
    sweep(
      Array.from({ length: 40 }, (_, round) => round),
      6,
    ),
  )("at some moment of a call, no answer is lost or another (%i)", async (round) => {
    armed.call();
    const { pid } = await nextWaiting(armed);
    const answered = startCall(armed, {});
    for (let look = 0; look < round * 4; look++) findCall();
    const asleep = [...findCall(), pid];
    signal(asleep, "SIGSTOP");
    await pause(20);
    signal(round % 2 === 0 ? asleep : asleep.reverse(), "SIGCONT");
    const { status, stdout, stderr } = await answered;
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining("] no")]);
  });

  test("a pause that ends meanwhile is over, and a process that waited for the call answers it", async () => {
    armed.call();
    await nextWaiting(armed);
    const waiting = findStarted(armed);
    const pausedUntil = new Date(Date.now() + 300).toISOString();
    armed.writeLedger({ ...armed.ledger, pausedUntil });
    signal(waiting, "SIGSTOP");
    await expect.poll(() => new Date().toISOString() > pausedUntil, { timeout: 20_000 }).toBe(true);
    signal(waiting, "SIGCONT");
    expect(verdictOf(armed.call())).toBe("deny");
    expect(waiting).toContain(armed.journal().at(-1)?.["pid"]);
    armed.writeLedger(armed.ledger);
  });

  test("for longer than it waits, by a clock that goes on, it ends when it wakes, and the call starts its own", async () => {
    const file = layout.warmProgram(armed.home);
    const was = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, was.replaceAll("ready:900", "ready:2"));
    const pid = await nextOf("ready:2");
    signal([pid], "SIGSTOP");
    await pause(2_100);
    signal([pid], "SIGCONT");
    await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
    fs.writeFileSync(file, was);
    expect(verdictOf(armed.call())).toBe("deny");
  });
});

/**
 * Calls until the waiting process was started with this word: the one that the last call started may still be on its
 * way.
 */
async function nextOf(word: string): Promise<number> {
  for (;;) {
    armed.call();
    const { pid } = await nextWaiting(armed);
    if (readIfThere(`/proc/${pid}/cmdline`).split("\0").includes(word)) return pid;
    endWaiting(armed.home);
  }
}

/** The processes of the current call: the agent's shell, the launcher, and what the launcher started. */
function findCall(): number[] {
  const shells = childrenOf(process.pid).filter((pid) => readIfThere(`/proc/${pid}/cmdline`).includes(armed.home));
  const launchers = shells.flatMap(childrenOf);
  return [...shells, ...launchers, ...launchers.flatMap(childrenOf)];
}

function childrenOf(pid: number): number[] {
  return readIfThere(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}
