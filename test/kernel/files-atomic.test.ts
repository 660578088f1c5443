import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import {
  createAtomic,
  listFolder,
  makeFolders,
  readIfThere,
  sweepTemporaries,
  temporaryName,
  writeAtomic,
  writeNoted,
} from "../../src/kernel/files.ts";
import { isAlive } from "../../src/kernel/process.ts";
import { readTree, temporaryFolder, writeTree } from "../support/cards.ts";
import { leftoverName } from "../support/leftovers.ts";
import { bundleScript, runTogether } from "../support/processes.ts";

const modeOf = (file: string) => fs.statSync(file).mode & 0o777;

test("a file is written with its folders, and nothing else is left beside it", () => {
  const folder = temporaryFolder();
  writeAtomic(path.join(folder, "a/b/file"), "text");
  expect(readTree(folder)).toEqual({ "a/b/file": "text" });
});

test("a new file is its owner's alone unless a mode is asked for, whatever the umask", () => {
  const folder = temporaryFolder();
  const former = process.umask(0o077);
  try {
    writeAtomic(path.join(folder, "own"), "text");
    writeAtomic(path.join(folder, "shared"), "text", 0o644);
  } finally {
    process.umask(former);
  }
  expect([modeOf(path.join(folder, "own")), modeOf(path.join(folder, "shared"))]).toEqual([0o600, 0o644]);
});

test("a file is written, then synced, then named, and then its folder is synced", () => {
  const folder = temporaryFolder();
  const order: string[] = [];
  const opened = new Map<unknown, unknown>();
  const open = fs.openSync;
  vi.spyOn(fs, "openSync").mockImplementation((...given) => {
    const fd = open(...given);
    opened.set(fd, given[0]);
    return fd;
  });
  const watch = <K extends "writeFileSync" | "fsyncSync" | "renameSync">(name: K) => {
    const real = fs[name] as (...given: unknown[]) => unknown;
    const spy = (...given: unknown[]) => {
      const [first] = given;
      order.push(`${name} ${opened.get(first) ?? first}`);
      return real(...given);
    };
    vi.spyOn(fs, name).mockImplementation(spy as never);
  };
  for (const name of ["writeFileSync", "fsyncSync", "renameSync"] as const) watch(name);
  try {
    writeAtomic(path.join(folder, "file"), "text");
  } finally {
    vi.restoreAllMocks();
  }
  const temporary = order[0]?.split(" ")[1] ?? "";
  expect(path.basename(temporary)).toMatch(/^\.drwn-tmp-/u);
  expect(order).toEqual([
    `writeFileSync ${temporary}`,
    `fsyncSync ${temporary}`,
    `renameSync ${temporary}`,
    `fsyncSync ${folder}`,
  ]);
});

test("a folder is made with those above it, and refused where there can be none", () => {
  const folder = writeTree(temporaryFolder(), { file: "text" });
  makeFolders(path.join(folder, "a/b/c"));
  expect(fs.statSync(path.join(folder, "a/b/c")).isDirectory()).toBe(true);
  fs.symlinkSync("nowhere", path.join(folder, "link"));
  for (const place of ["file/below", "link"]) expect(() => makeFolders(path.join(folder, place))).toThrow();
});

test("a file that is written over keeps its mode", () => {
  const file = path.join(writeTree(temporaryFolder(), { file: "old" }), "file");
  fs.chmodSync(file, 0o640);
  writeAtomic(file, "new", 0o600);
  expect([fs.readFileSync(file, "utf8"), modeOf(file)]).toEqual(["new", 0o640]);
});

test("writing to the place of a link replaces the link, not what it leads to", () => {
  const folder = writeTree(temporaryFolder(), { target: "theirs" });
  fs.symlinkSync("target", path.join(folder, "link"));
  writeAtomic(path.join(folder, "link"), "ours");
  expect(readTree(folder)).toEqual({ link: "ours", target: "theirs" });
});

test("a write that cannot be finished leaves what was there, and no temporary file", () => {
  const folder = writeTree(temporaryFolder(), { "place/inner": "theirs" });
  expect(() => writeAtomic(path.join(folder, "place"), "ours")).toThrow();
  expect(readTree(folder)).toEqual({ "place/inner": "theirs" });
});

test("creating refuses a file that is there, and leaves it as it is", () => {
  const folder = writeTree(temporaryFolder(), { there: "theirs" });
  expect(createAtomic(path.join(folder, "there"), "ours")).toBe(false);
  expect(createAtomic(path.join(folder, "sub/new"), "ours")).toBe(true);
  expect(readTree(folder)).toEqual({ there: "theirs", "sub/new": "ours" });
});

test("a link that leads nowhere counts as a file that is there", () => {
  const folder = temporaryFolder();
  fs.symlinkSync("nowhere", path.join(folder, "link"));
  expect(createAtomic(path.join(folder, "link"), "ours")).toBe(false);
  expect(fs.readdirSync(folder)).toEqual(["link"]);
});

test("of many processes that create one file, one does, and its content is whole", async () => {
  const folder = temporaryFolder();
  const script = await bundleScript(`
    import { createAtomic } from "src/kernel/files.ts";
    const [folder, own] = process.argv.slice(2);
    process.exitCode = createAtomic(folder + "/file", own.repeat(100_000)) ? 0 : 3;
  `);
  const ends = await runTogether(script, 8, [folder]);
  expect(ends.filter((end) => end === 0)).toHaveLength(1);
  expect(ends.filter((end) => end === 3)).toHaveLength(7);
  expect(readTree(folder)).toEqual({ file: String(ends.indexOf(0)).repeat(100_000) });
});

test("a reader sees the old content or the new one, whole, while a file is written again and again", async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, "file");
  writeAtomic(file, "a".repeat(200_000));
  const script = await bundleScript(`
    import { writeAtomic } from "src/kernel/files.ts";
    for (const letter of "bcdefghijklmnopq") writeAtomic(process.argv[2], letter.repeat(200_000));
  `);
  const writing = runTogether(script, 1, [file]);
  let isDone = false;
  writing.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const text = fs.readFileSync(file, "utf8");
    expect(text).toBe((text[0] ?? "").repeat(200_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await writing).toEqual([0]);
});

test("only what processes left that are gone is swept", () => {
  const folder = temporaryFolder();
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  const mine = path.basename(temporaryName(path.join(folder, "x")));
  const [one, other] = [leftoverName(pid), leftoverName(pid)];
  writeTree(folder, { [mine]: "", [one]: "", [`${other}/inner`]: "", other: "" });
  fs.chmodSync(path.join(folder, other), 0o555);
  sweepTemporaries(folder);
  expect(listFolder(folder)).toEqual([mine, "other"].sort());
});

test("a folder or file that is absent holds nothing, and any other failure is passed on", () => {
  const folder = writeTree(temporaryFolder(), { file: "text" });
  expect(listFolder(path.join(folder, "none"))).toEqual([]);
  expect(readIfThere(path.join(folder, "none"))).toBeUndefined();
  expect(readIfThere(path.join(folder, "file/inner"))).toBeUndefined();
  expect(() => listFolder(path.join(folder, "file"))).toThrow(/ENOTDIR/u);
});

test.each<[string, (file: string) => unknown, string]>([
  ["a folder", (file) => fs.mkdirSync(file), "is not a regular file"],
  ["a pipe that nobody writes to", (file) => execFileSync("mkfifo", [file]), "is not a regular file"],
  ["a device without end", (file) => fs.symlinkSync("/dev/zero", file), "is not a regular file"],
  ["a link to itself", (file) => fs.symlinkSync(file, file), "is not a regular file"],
  ["a file without end", (file) => fs.closeSync(endless(file)), "at most 67108864 are read"],
])("%s is not read, and not waited for", (_, put, says) => {
  const file = path.join(temporaryFolder(), "file");
  put(file);
  expect(() => readIfThere(file)).toThrow(says);
});

function endless(file: string): number {
  const fd = fs.openSync(file, "w");
  fs.ftruncateSync(fd, 2 ** 40);
  return fd;
}

test.each([[0], [-1], [1.5], [Number.NaN], [2 ** 22 + 1]])("%s is the number of no living process", (pid) => {
  expect(isAlive(pid)).toBe(false);
});

test("this process is alive", () => {
  expect(isAlive(process.pid)).toBe(true);
});

test("what is to be noted of a change is not noted where it cannot be written, and it is not made where that cannot be noted", () => {
  const folder = writeTree(temporaryFolder(), { a: "old", file: "old" });
  const seen: string[] = [];
  const write = (name: string, note: () => void): void =>
    writeNoted({ file: path.join(folder, name), content: "new", mode: 0o600, note });
  expect(() => write("file/inner", () => seen.push("noted"))).toThrow(/EEXIST|ENOTDIR/u);
  expect(seen).toEqual([]);
  const fail = (): void => {
    throw new Error("full");
  };
  expect(() => write("a", fail)).toThrow("full");
  expect(readTree(folder)).toEqual({ a: "old", file: "old" });
  write("a", () => seen.push(fs.readFileSync(path.join(folder, "a"), "utf8")));
  expect([seen, readTree(folder)]).toEqual([["old"], { a: "new", file: "old" }]);
});
