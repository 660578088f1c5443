import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { measure } from "./measure.mjs";
import { promptGuard, shellGuard } from "./policies.mjs";
import { armed, BASE, eventIn, HARMFUL, HARMLESS, hookRow, isDenied, isSilent, tenPolicies } from "./rows.mjs";
import { drwn, installCard, makeSignedWorld } from "./world.mjs";

const LONGEST_WAIT_MS = 20_000;
/** What is left of a start when its process says that it waits is over by then. */
const SETTLE_MS = 30;
const SESSIONS = { count: 8, callsPerSecond: 20, seconds: 12 };
const CPU_CALLS = 40;
const MEGABYTE = 1024 * 1024;

/**
 * A call that finds a process waiting, and all that being ahead costs. Each figure is a ratio to `node -e 0` of the same run, but for memory.
 * @param {string} folder where the throwaway homes are made
 * @param {number} rounds
 */
export async function measureWarm(folder, rounds) {
  const worlds = makeWorlds(folder);
  const one = hookRow("one", worlds.one, HARMFUL);
  const base = { name: BASE, program: process.execPath, args: ["-e", "0"], cwd: one.cwd, env: one.env };
  const inTurn = await measureInTurn(base, worlds, rounds);
  const median = at(inTurn.get(BASE), 0.5);
  const [ahead, alone] = [await measureSessions(one), await withoutWaiting(worlds.one, () => measureSessions(one))];
  const memory = measureMemory(one);
  const left = measureLeft(one);
  const cpu = measureCpu(folder, { base, one, off: () => drwn(worlds.one, "hook", "warm", "off") });
  return [
    ...ratios(inTurn, median),
    { name: "eight sessions, median", ratio: at(ahead, 0.5) / median, most: 0.5 },
    { name: "eight sessions, p99", ratio: at(ahead, 0.99) / median, most: 1.3 },
    { name: "eight sessions while it is off, median", ratio: at(alone, 0.5) / median },
    { name: "eight sessions while it is off, p99", ratio: at(alone, 0.99) / median },
    { name: "memory while one project is in use, MiB", ratio: memory / MEGABYTE, most: 140 },
    { name: "memory after idling, MiB", ratio: left / MEGABYTE, most: 0 },
    ...cpu,
  ].map((row) => ({ ...row, verdict: row.most === undefined ? "" : row.ratio <= row.most ? "pass" : "over" }));
}

export function printWarm(rows) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, ratio, most = "", verdict } of rows) {
    const figure = ratio === undefined ? "" : ratio.toFixed(3);
    console.log(`${name.padEnd(width)}  ${figure.padStart(8)}  ${`${most}`.padStart(5)}  ${verdict}`.trimEnd());
  }
}

function makeWorlds(folder) {
  const many = makeSignedWorld(path.join(folder, "many"));
  for (let card = 0; card < 10; card++) installCard(many, `guards-${card}`, tenPolicies());
  drwn(many, "write");
  const worlds = {
    one: armed(path.join(folder, "one"), { guard: shellGuard }),
    many,
    prompts: armed(path.join(folder, "prompts"), { guard: shellGuard, prompts: promptGuard }),
    idle: armed(path.join(folder, "idle"), { guard: shellGuard }),
    outside: armed(path.join(folder, "outside"), { guard: shellGuard }),
  };
  for (const world of Object.values(worlds)) drwn(world, "hook", "warm", "on");
  return worlds;
}

/** Each call begins when the processes that the calls before it have started wait, so that their start costs it nothing. */
async function measureInTurn(base, { one, many, prompts, idle, outside }, rounds) {
  const elsewhere = path.join(outside.folder, "elsewhere");
  fs.mkdirSync(elsewhere);
  const rows = [
    { ...hookRow("one policy", one, HARMFUL), fault: isDenied },
    { ...hookRow("100 policies, 30 match", many, HARMLESS), fault: isSilent },
    promptRow(prompts),
    { ...hookRow("first call after idling", idle, HARMFUL), fault: isDenied },
  ];
  const guarded = rows.map(({ env }) => env.DRWN_HOME);
  for (const row of rows) start(row);
  const settle = () => {
    for (const home of guarded) waitForOne(home);
    sleep(SETTLE_MS);
  };
  const forget = () => {
    settle();
    for (const pid of findWaiting(idle.env.DRWN_HOME)) process.kill(pid, "SIGKILL");
  };
  const all = [
    { ...base, prepare: settle },
    ...rows.map((row) => ({ ...row, prepare: row.env.DRWN_HOME === idle.env.DRWN_HOME ? forget : settle })),
    { ...hookRow("outside", outside, HARMFUL, elsewhere), fault: isSilent, prepare: settle },
  ];
  const samples = await measure(all, rounds);
  if (findWaiting(outside.env.DRWN_HOME).length > 0) throw new Error("a process waits that a call outside has started");
  return samples;
}

function promptRow(world) {
  const {
    tool_name: _tool,
    tool_input: _input,
    tool_use_id: _id,
    ...session
  } = JSON.parse(eventIn(world.project, HARMFUL));
  const prompt = { ...session, hook_event_name: "UserPromptSubmit", prompt: "look through the tests of the parser" };
  const row = hookRow("prompt", world, HARMFUL, world.project, "UserPromptSubmit");
  return { ...row, stdin: JSON.stringify(prompt), fault: isSilent };
}

function ratios(samples, base) {
  const row = (name, share, most) => ({
    name: `${name}, ${share === 0.5 ? "median" : "p99"}`,
    ratio: at(samples.get(name), share) / base,
    most,
  });
  return [
    row("one policy", 0.5, 0.3),
    row("one policy", 0.99, 0.6),
    row("100 policies, 30 match", 0.5, 0.6),
    row("prompt", 0.5, 0.35),
    row("first call after idling", 0.5, 1.4),
    row("outside", 0.5, 0.13),
  ];
}

/** Milliseconds of calls that come when they come, whether or not those before them are done. */
function measureSessions(row) {
  const { count, callsPerSecond, seconds } = SESSIONS;
  const every = (count / callsPerSecond) * 1_000;
  const times = [];
  const session = (number) =>
    new Promise((resolve, reject) => {
      let left = Math.round((seconds * 1_000) / every);
      let running = 0;
      const call = () => {
        left--;
        running++;
        timeCall(row).then((milliseconds) => {
          times.push(milliseconds);
          running--;
          if (left === 0 && running === 0) resolve();
        }, reject);
        if (left > 0) setTimeout(call, every * (0.5 + Math.random()));
      };
      setTimeout(call, (every * number) / count);
    });
  return Promise.all(Array.from({ length: count }, (_, number) => session(number))).then(() => times);
}

function timeCall({ program, args, cwd, env, stdin }) {
  return new Promise((resolve, reject) => {
    const started = process.hrtime.bigint();
    const child = spawn(program, args, { cwd, env: { PATH: process.env.PATH, ...env } });
    let stdout = "";
    child.stdout.on("data", (text) => (stdout += text));
    child.on("close", (status) => {
      const wrong = isDenied({ stdout, status });
      if (wrong === undefined) resolve(Number(process.hrtime.bigint() - started) / 1e6);
      else reject(new Error(wrong));
    });
    child.stdin.end(stdin);
  });
}

async function withoutWaiting(world, work) {
  drwn(world, "hook", "warm", "off");
  const result = await work();
  drwn(world, "hook", "warm", "on");
  return result;
}

/** Bytes that the processes which wait have for themselves, with their share of what they have in common: two of them, after calls at once. */
function measureMemory(row) {
  const shell = `(${row.args[1]}) <"$0" & (${row.args[1]}) <"$0"; wait`;
  const event = path.join(row.cwd, "event.json");
  fs.writeFileSync(event, row.stdin);
  for (let round = 0; round < 4; round++) {
    spawnSync("/bin/sh", ["-c", shell, event], { cwd: row.cwd, env: { PATH: process.env.PATH, ...row.env } });
    waitForOne(row.env.DRWN_HOME);
    sleep(500);
  }
  return sizeOfWaiting(row.env.DRWN_HOME);
}

/** The same after the time that a process waits, which is a second here. */
function measureLeft(row) {
  const home = row.env.DRWN_HOME;
  const launcher = path.join(home, "bin", "warm");
  const text = fs.readFileSync(launcher, "utf8");
  for (const pid of findWaiting(home)) process.kill(pid, "SIGKILL");
  if (!text.includes("ready:900")) throw new Error(`${launcher} does not say for how long a process waits`);
  fs.writeFileSync(launcher, text.replace("ready:900", "ready:1"));
  start(row);
  waitForOne(home);
  sleep(3_000);
  fs.writeFileSync(launcher, text);
  return sizeOfWaiting(home);
}

function sizeOfWaiting(home) {
  const sizes = findWaiting(home).map(
    (pid) => Number(/^Pss:\s+(\d+) kB/mu.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))[1]) * 1024,
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What all processes of a call use of the processor, those that it leaves behind for the next one among them. */
function measureCpu(folder, { base, one, off }) {
  const take = (row) => {
    const file = path.join(folder, "cpu.json");
    fs.writeFileSync(file, JSON.stringify({ ...row, calls: CPU_CALLS }));
    const driver = fileURLToPath(new URL("warm-cpu.mjs", import.meta.url));
    // Whatever loses its parent in there becomes a child of the shell, which takes note of what it used.
    const words = ["-Urpf", "--mount-proc", "sh", "-c", '"$@"; times', "sh", process.execPath, driver, file];
    const { status, stdout } = spawnSync("unshare", words, { encoding: "utf8" });
    if (status !== 0) return undefined;
    const [own, , ofChildren] = stdout.trim().split("\n").slice(-3);
    return (secondsOf(ofChildren) - Number(own)) / CPU_CALLS;
  };
  const [started, ahead] = [take(base), take(one)];
  off();
  const cold = take(one);
  if (started === undefined || ahead === undefined || cold === undefined) {
    return [{ name: "CPU per call: skipped, since there is no unshare" }];
  }
  return [
    { name: "CPU per call, all processes", ratio: ahead / started, most: 1.6 },
    { name: "CPU per call while it is off", ratio: cold / started },
  ];
}

function secondsOf(times) {
  return [...times.matchAll(/(\d+)m([\d.]+)s/gu)].reduce(
    (sum, [, minutes, rest]) => sum + minutes * 60 + Number(rest),
    0,
  );
}

function start({ program, args, cwd, env, stdin }) {
  spawnSync(program, args, { cwd, env: { PATH: process.env.PATH, ...env }, input: stdin });
}

/** @param {string} home */
export function waitForOne(home) {
  const until = Date.now() + LONGEST_WAIT_MS;
  const projects = path.join(home, "projects");
  const isReady = () =>
    fs
      .readdirSync(projects)
      .some((key) => ["ready-1", "ready-2"].some((name) => fs.existsSync(path.join(projects, key, name))));
  while (!isReady()) {
    if (Date.now() > until) throw new Error(`no hook process waits in ${projects}`);
    sleep(2);
  }
}

/** @param {string} home */
export function findWaiting(home) {
  return ["1", "2"].flatMap((place) => {
    const record = path.join(home, "warm", place, "for");
    const pid = fs.existsSync(record) ? Number.parseInt(fs.readFileSync(record, "utf8"), 10) : 0;
    return pid > 0 && fs.existsSync(`/proc/${pid}/exe`) ? [pid] : [];
  });
}

/** @param {number} milliseconds */
export function sleep(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

function at(samples, share) {
  const sorted = [...samples].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
