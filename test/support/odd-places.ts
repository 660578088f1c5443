import { type ChildProcess, execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder, writeTree } from "./cards.ts";

const PROGRAM = new URL("../../bin/drwn.js", import.meta.url).pathname;

/** Every command that takes a path, written as PLACE. */
export const COMMANDS: readonly string[] = [
  "add file:PLACE",
  "add PLACE",
  "card show file:PLACE",
  "card pack PLACE",
  "card pack @me/own --key PLACE",
  "card publish PLACE --dry-run",
  "card publish @me/own --dry-run --key PLACE",
  "card new @me/other --into PLACE",
  "card source doctor PLACE",
  "card source set PLACE --version patch",
  "card source add-hook PLACE guard",
  "card source import @me/own PLACE",
  ...["hooker", "polytoken", "astrid", "arawn"].map((system) => `card source import @me/own PLACE --from ${system}`),
  "explain --event PLACE",
  "hook run --dialect hooker --root PLACE",
  "hook run --event model.before --root PLACE",
  "trust accept --trust-file PLACE",
  "registry add odd PLACE",
  "key trust PLACE @other",
];

/** Places that nobody could mean as a file or a folder, by kind. */
export interface OddPlaces {
  names: readonly string[];
  /** How the command ended with that place: its exit status (null: it didn't end in time), and what it said. */
  run(command: string, place: string): Promise<{ status: number | null; said: string }>;
}

export const NAMES: readonly string[] = [
  "a device without an end",
  "a pipe",
  "a pipe that is called a tarball",
  "a file of the system without an end, called a tarball",
  "standard input",
  "a source whose card.json has no end",
  "a folder of the system",
  "a socket",
  "a device that is empty",
  "a terminal",
  "the memory of a process",
  "a file of the system that is waited for",
  "a link to itself",
  "a file larger than any",
  "a folder that is called a tarball",
  "a name below a file",
  "a name that is too long",
  "bytes",
  "an empty file",
  "a folder that isn't there",
  "a source whose card.json is a folder",
  "a source whose card.json is a pipe",
  "an empty name",
];

export async function makeOddPlaces(): Promise<OddPlaces> {
  const folder = writeTree(temporaryFolder(), { bytes: Buffer.from([0, 255, 254, 1]), empty: "" });
  const at = (...names: string[]) => path.join(folder, ...names);
  for (const name of ["home", "project", "folder.tgz", "endless", "piped", "folders/card.json"]) {
    fs.mkdirSync(at(name), { recursive: true });
  }
  for (const pipe of ["pipe", "pipe.tgz", "piped/card.json"]) execFileSync("mkfifo", [at(pipe)]);
  fs.symlinkSync("itself", at("itself"));
  fs.symlinkSync("/dev/zero", at("endless/card.json"));
  fs.symlinkSync("/proc/self/pagemap", at("endless.tgz"));
  fs.closeSync(fs.openSync(at("large.tgz"), "w"));
  fs.truncateSync(at("large.tgz"), 5e9);
  const server = net.createServer().listen(at("socket"));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const places: Record<string, string> = {
    "a device without an end": "/dev/zero",
    "a pipe": at("pipe"),
    "a pipe that is called a tarball": at("pipe.tgz"),
    "a file of the system without an end, called a tarball": at("endless.tgz"),
    "standard input": "/dev/stdin",
    "a source whose card.json has no end": at("endless"),
    "a folder of the system": "/proc/self",
    "a socket": at("socket"),
    "a device that is empty": "/dev/null",
    "a terminal": "/dev/tty",
    "the memory of a process": "/proc/self/mem",
    "a file of the system that is waited for": "/proc/kmsg",
    "a link to itself": at("itself"),
    "a file larger than any": at("large.tgz"),
    "a folder that is called a tarball": at("folder.tgz"),
    "a name below a file": at("empty/below"),
    "a name that is too long": at("n".repeat(300)),
    bytes: at("bytes"),
    "an empty file": at("empty"),
    "a folder that isn't there": at("missing"),
    "a source whose card.json is a folder": at("folders"),
    "a source whose card.json is a pipe": at("piped"),
    "an empty name": "",
  };
  const env = { PATH: process.env["PATH"], HOME: at("home") };
  const start = (args: string[]) => drwn(args, { cwd: at("project"), env });
  await start(["card", "new", "@me/own"]);
  await start(["init"]);
  return {
    names: Object.keys(places),
    run: (command, name) => start(command.split(" ").map((part) => part.replace("PLACE", places[name] ?? ""))),
  };
}

const DEADLINE_MS = 60_000;

function drwn(args: string[], at: { cwd: string; env: NodeJS.ProcessEnv }): ReturnType<OddPlaces["run"]> {
  return new Promise((resolve) => {
    const child: ChildProcess = execFile(
      process.execPath,
      [PROGRAM, ...args],
      { ...at, timeout: DEADLINE_MS, killSignal: "SIGKILL" },
      (_, stdout, stderr) => resolve({ status: child.exitCode, said: stdout + stderr }),
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end("{}");
  });
}
