// Loaded before drwn with `node --import`: counts the calls that change something below one folder, and at one of them lets
// the machine die or the disk fail. What it is to do is in DRWN_FAULT, as `Fault` of faulty-run.ts has it.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";

const fault = JSON.parse(process.env.DRWN_FAULT ?? "null");
const real = { ...fs };
const calls = [];
const opened = new Map();
/** Above zero inside a call that was counted: Node's own functions call each other. */
let depth = 0;
let isFull = false;

/** By name: which arguments are paths, or the first a descriptor, and what a full disk refuses. */
const CALLS = {
  appendFile: { paths: [0], grows: true },
  chmod: { paths: [0] },
  copyFile: { paths: [1], grows: true },
  cp: { paths: [1], grows: true },
  fchmod: { fd: true },
  fdatasync: { fd: true },
  fsync: { fd: true },
  ftruncate: { fd: true },
  futimes: { fd: true },
  lchown: { paths: [0] },
  link: { paths: [1], grows: true },
  lutimes: { paths: [0] },
  mkdir: { paths: [0], grows: true },
  mkdtemp: { paths: [0], grows: true },
  open: { paths: [0], grows: true },
  rename: { paths: [0, 1] },
  rm: { paths: [0] },
  rmdir: { paths: [0] },
  symlink: { paths: [1], grows: true },
  truncate: { paths: [0] },
  unlink: { paths: [0] },
  utimes: { paths: [0] },
  write: { fd: true, grows: true },
  writeFile: { paths: [0], grows: true },
  writev: { fd: true, grows: true },
};

const isChanging = (flags) =>
  typeof flags === "number" ? (flags & (real.constants.O_WRONLY | real.constants.O_RDWR)) !== 0 : /[wa+]/u.test(flags);

function isInside(file) {
  const absolute = path.resolve(String(file));
  return absolute === fault.root || absolute.startsWith(`${fault.root}/`);
}

/** What the call changes, relative to the folder that is watched; undefined: nothing there. */
function targetOf(name, args) {
  const { paths = [], fd = false } = CALLS[name];
  if (name === "open" && !isChanging(args[1] ?? "r")) return undefined;
  const isDescriptor = fd || typeof args[0] === "number";
  const file = isDescriptor ? opened.get(args[0]) : paths.map((at) => args[at]).find((one) => isInside(one));
  return file === undefined ? undefined : path.relative(fault.root, path.resolve(String(file)));
}

function failure(code, name, file) {
  const text = code === "ENOSPC" ? "no space left on device" : "i/o error";
  const errno = code === "ENOSPC" ? -28 : -5;
  return Object.assign(new Error(`${code}: ${text}, ${name} '${file}'`), { code, errno, syscall: name, path: file });
}

/** The first half of a call that has halves. */
function doHalf(name, args) {
  if (name === "rm") {
    const inner = real.statSync(args[0], { throwIfNoEntry: false })?.isDirectory()
      ? real.readdirSync(args[0], { recursive: true, withFileTypes: true }).find((entry) => entry.isFile())
      : undefined;
    if (inner !== undefined) real.unlinkSync(path.join(inner.parentPath ?? inner.path, inner.name));
    return;
  }
  const half = (content) => Buffer.from(content).subarray(0, Math.ceil(Buffer.from(content).length / 2));
  if (name === "write") real.writeSync(args[0], half(args[1]));
  else if (name === "writeFile" || name === "appendFile") real.writeFileSync(args[0], half(args[1]), args[2]);
}

function die() {
  process.kill(process.pid, "SIGKILL");
  // The signal is on its way.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Called before each call that changes something; throws when the call is to fail. */
function count(name, args, target) {
  const isGrowing = CALLS[name].grows === true;
  calls.push({ name, target, isGrowing });
  if (isFull && isGrowing) throw failure("ENOSPC", name, target);
  if (calls.length !== fault.at) return;
  const { shape } = fault;
  if (shape === "torn" || shape === "short") doHalf(name, args);
  if (shape === "kill" || shape === "torn") die();
  if (shape === "EIO") throw failure("EIO", name, target);
  if (shape === "ENOSPC" || shape === "short") {
    isFull = true;
    throw failure("ENOSPC", name, target);
  }
}

/** Which file a descriptor is of; its number is used again after it was closed. */
function noteOpened(name, args, result) {
  const fd = typeof result === "number" ? result : result?.fd;
  if (name !== "open" || typeof fd !== "number") return result;
  if (isInside(args[0])) opened.set(fd, args[0]);
  else opened.delete(fd);
  return result;
}

function watchSync(name) {
  const plain = real[`${name}Sync`];
  fs[`${name}Sync`] = function watched(...args) {
    if (depth > 0) return plain.apply(fs, args);
    const target = targetOf(name, args);
    if (target !== undefined) count(name, args, target);
    depth += 1;
    try {
      return noteOpened(name, args, plain.apply(fs, args));
    } finally {
      depth -= 1;
    }
  };
}

function watchCallback(name) {
  const plain = real[name];
  fs[name] = function watched(...args) {
    if (depth > 0) return plain.apply(fs, args);
    const target = targetOf(name, args);
    try {
      if (target !== undefined) count(name, args, target);
    } catch (error) {
      setImmediate(args.at(-1), error);
      return undefined;
    }
    const done = args.at(-1);
    return plain.apply(fs, [
      ...args.slice(0, -1),
      (error, result, ...more) => done(error, error ? result : noteOpened(name, args, result), ...more),
    ]);
  };
}

function watchPromise(name) {
  const plain = fs.promises[name];
  fs.promises[name] = async function watched(...args) {
    const target = targetOf(name, args);
    if (target !== undefined) count(name, args, target);
    return noteOpened(name, args, await plain.apply(fs.promises, args));
  };
}

/** A handle's methods are those of its class, which Node does not export. */
async function watchHandles() {
  const handle = await fs.promises.open(process.execPath);
  const shared = Object.getPrototypeOf(handle);
  await handle.close();
  const named = { sync: "fsync", datasync: "fdatasync", truncate: "ftruncate", chmod: "fchmod", utimes: "futimes" };
  for (const method of ["write", "writev", "writeFile", "appendFile", ...Object.keys(named)]) {
    const plain = shared[method];
    const name = named[method] ?? method;
    shared[method] = async function watched(...args) {
      const target = targetOf(name, [this.fd, ...args]);
      if (target !== undefined) count(name, [this.fd, ...args], target);
      return plain.apply(this, args);
    };
  }
}

if (fault !== null) {
  await watchHandles();
  for (const name of Object.keys(CALLS)) {
    if (typeof real[`${name}Sync`] === "function") watchSync(name);
    if (typeof real[name] === "function") watchCallback(name);
    if (typeof fs.promises[name] === "function") watchPromise(name);
  }
  syncBuiltinESMExports();
  const moment = new Date(fault.now).getTime();
  // The time of day goes into the files: with one moment for all runs their bytes can be compared.
  globalThis.Date = class extends Date {
    constructor(...parts) {
      if (parts.length === 0) super(moment);
      else super(...parts);
    }
  };
  if (fault.log !== undefined) process.on("exit", () => real.writeFileSync(fault.log, JSON.stringify(calls)));
}
