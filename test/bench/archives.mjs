import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { Header } from "tar";
import { drwn, drwnBinary, makeWorld } from "./world.mjs";

const MEBIBYTE = 1024 * 1024;
const TARGET = { milliseconds: 3_000, mebibytes: 200 };

/**
 * Loaded into a process, leaves behind how many KiB of memory it had at most. Where there is none of Linux's own figure,
 * that of `getrusage` may be that of the process before it.
 */
const PEAK = `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs";
  process.on("exit", () => {
    const [, kibibytes] = fs.existsSync("/proc/self/status")
      ? /VmHWM:\\s*(\\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))
      : [, process.resourceUsage().maxRSS];
    fs.writeFileSync(process.env.DRWN_PEAK, String(kibibytes));
  });
`)}`;

/**
 * The archives that cost most before they are refused, and the largest card that is not: time and peak memory of a whole
 * `drwn add` of each.
 * @param {string} folder
 */
export function measureArchives(folder) {
  const world = makeWorld(path.join(folder, "archives"));
  drwn(world, "init");
  return Object.entries(SHAPES).map(([name, { bytes, code }]) => {
    const file = path.join(world.folder, "card.tgz");
    fs.writeFileSync(file, bytes());
    const runs = [1, 2, 3].map(() => runOnce(world, file, code));
    const milliseconds = Math.min(...runs.map((run) => run.milliseconds));
    const mebibytes = Math.max(...runs.map((run) => run.mebibytes));
    const isKept = milliseconds <= TARGET.milliseconds && mebibytes <= TARGET.mebibytes;
    return { name, milliseconds, mebibytes, target: TARGET, verdict: isKept ? "pass" : "over" };
  });
}

/** @param {ReturnType<typeof measureArchives>} rows */
export function printArchives(rows) {
  console.log(`\ndrwn add of an archive; at most ${TARGET.milliseconds} ms and ${TARGET.mebibytes} MiB\n`);
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, milliseconds, mebibytes, verdict } of rows) {
    const figures = [`${milliseconds.toFixed(0)} ms`.padStart(9), `${mebibytes.toFixed(0)} MiB`.padStart(9)];
    console.log([name.padEnd(width), ...figures, verdict].join("  "));
  }
}

function runOnce(world, file, code) {
  const peak = path.join(world.folder, "peak");
  const started = process.hrtime.bigint();
  const { status, stdout } = spawnSync(process.execPath, ["--import", PEAK, drwnBinary, "add", file, "--json"], {
    cwd: world.project,
    env: { PATH: process.env.PATH, ...world.env, DRWN_PEAK: peak },
    encoding: "utf8",
  });
  const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
  const received = status === 0 ? null : JSON.parse(stdout).error.code;
  if (received !== code) throw new Error(`${file}: expected ${code}, received ${stdout}`);
  return { milliseconds, mebibytes: Number(fs.readFileSync(peak, "utf8")) / 1024 };
}

const REFUSED = "DRWN_TARBALL_INVALID";

const SHAPES = {
  "nothing but text": { code: REFUSED, bytes: () => Buffer.from("no archive") },
  "1 GiB of zeros": { code: REFUSED, bytes: () => gzipSync(Buffer.alloc(1024 * MEBIBYTE)) },
  "76 MB of zeros": { code: REFUSED, bytes: () => gzipSync(Buffer.alloc(76_000_000)) },
  "100,000 files": { code: REFUSED, bytes: () => tarball(100_000, () => "") },
  "70,000 comments": { code: REFUSED, bytes: () => comments(35_000) },
  "nine files of 8 MiB": { code: REFUSED, bytes: () => tarball(9, () => dense(8 * MEBIBYTE)) },
  "64 MiB that shrink well": { code: REFUSED, bytes: () => tarball(8, () => dense(8 * MEBIBYTE - 1)) },
  "31 MiB that do not shrink": { code: REFUSED, bytes: () => tarball(4, () => randomBytes(7.75 * MEBIBYTE)) },
};

function tarball(files, content) {
  const entries = Array.from({ length: files }, (_, at) =>
    entry(`package/${randomBytes(16).toString("hex")}${at}`, content()),
  );
  return gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]), { level: 1 });
}

function comments(count) {
  const one = () =>
    entry("PaxHeader", `210 comment=${randomBytes(98).toString("hex")}\n`.padStart(210), "GlobalExtendedHeader");
  return gzipSync(Buffer.concat([...Array.from({ length: count }, one), Buffer.alloc(1024)]), { level: 1 });
}

function entry(name, content, type = "File") {
  const body = Buffer.from(content);
  const block = Buffer.alloc(512);
  new Header({ path: name, size: body.length, type, mode: 0o644, uid: 0, gid: 0, mtime: new Date(0) }).encode(block, 0);
  return Buffer.concat([block, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

/** Bytes that shrink to a fiftieth: a bomb that no ratio gives away. */
function dense(length) {
  return Buffer.alloc(length, Buffer.concat([randomBytes(1_000), Buffer.alloc(63_000, 1)]));
}
