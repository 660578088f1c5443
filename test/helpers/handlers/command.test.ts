import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Command, runCommand } from "../../../src/helpers/handlers/command.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { isRunning } from "../../support/processes.ts";

const ENV = { PATH: "/usr/bin:/bin" };

const USUAL = { input: "", env: ENV, timeoutMs: 20_000, maxOutputBytes: 64 * 1024 };

function run(script: string, parts: Partial<Command> = {}) {
  return runCommand({ ...USUAL, command: script, shell: "bash", ...parts });
}

function start(program: string, parts: Partial<Command> = {}) {
  return runCommand({ ...USUAL, command: program, ...parts });
}

test("a command reads its input and ends with its code, its output and its errors", async () => {
  const end = await run("cat; echo out; echo err >&2; exit 3", { input: "in " });
  expect(end).toEqual({
    kind: "exited",
    code: 3,
    signal: null,
    stdout: "in out\n",
    stderr: "err\n",
    truncated: false,
  });
});

test("without a shell, nothing of the arguments is expanded", async () => {
  const end = await start("echo", { args: ["$PATH", "a b", "*"] });
  expect(end).toMatchObject({ kind: "exited", code: 0, stdout: "$PATH a b *\n" });
});

test("a script gets its arguments", async () => {
  expect(await run('echo "$1-$2"', { args: ["a", "b c"] })).toMatchObject({ stdout: "a-b c\n" });
});

test("it gets the variables that it is given, and its folder", async () => {
  const cwd = fs.realpathSync(temporaryFolder());
  const end = await start("env", { env: { ...ENV, ONE: "1" }, cwd });
  expect(end).toMatchObject({ kind: "exited", stdout: "SHLVL=1\nPATH=/usr/bin:/bin\nONE=1\n" });
  expect(await run("pwd", { cwd })).toMatchObject({ stdout: `${cwd}\n` });
});

test("a bash reads no startup file of the user's", async () => {
  const home = temporaryFolder();
  fs.writeFileSync(path.join(home, ".bashrc"), "echo startup");
  expect(await run("echo $HOME", { env: { ...ENV, HOME: home } })).toMatchObject({ stdout: `${home}\n` });
});

test("a command that never reads its input, or closes it, isn't an error", async () => {
  const input = "x".repeat(4 * 1024 * 1024);
  expect(await run("echo done", { input })).toMatchObject({ kind: "exited", code: 0, stdout: "done\n" });
  expect(await run("exec 0<&-; echo done", { input })).toMatchObject({ kind: "exited", code: 0, stdout: "done\n" });
});

test("output above the cap is dropped, and the command still ends by itself", async () => {
  const end = await run("head -c 100000000 /dev/zero | tr '\\0' x; echo end >&2", { maxOutputBytes: 1000 });
  expect(end).toMatchObject({ kind: "exited", code: 0, stdout: "x".repeat(1000), stderr: "end\n", truncated: true });
});

test("a command that ignores SIGTERM dies at its deadline, with the processes that it started", async () => {
  const folder = temporaryFolder();
  const end = await run('trap "" TERM; echo before; (trap "" TERM; sleep 60) & echo $! > child; sleep 60', {
    cwd: folder,
    timeoutMs: 2_000,
  });
  expect(end).toEqual({ kind: "timeout", stdout: "before\n", stderr: "" });
  const child = Number(fs.readFileSync(path.join(folder, "child"), "utf8"));
  await expect.poll(() => isRunning(child)).toBe(false);
});

test("a process that left the group and holds the output does not keep us waiting", async () => {
  const folder = temporaryFolder();
  const end = await run("setsid sleep 5 & echo $! > child; echo said", { cwd: folder, timeoutMs: 2_000 });
  expect(end).toEqual({ kind: "timeout", stdout: "said\n", stderr: "" });
});

test("a command that a signal ends says so", async () => {
  expect(await run("kill -9 $$")).toMatchObject({ kind: "exited", code: null, signal: "SIGKILL" });
});

test.each([
  ["a program that is not there", { command: "no-such-program" }, "there is no such program or folder"],
  ["a folder that is not there", { command: "env", cwd: "/nowhere/at/all" }, "there is no such program or folder"],
  ["a file that is not executable", { command: "/etc/passwd" }, "it is not executable"],
  [
    "variables without end",
    { command: "env", env: { ...ENV, LONG: "x".repeat(8 * 1024 * 1024) } },
    "its arguments and variables are larger than the system allows",
  ],
])("%s cannot be started", async (_, parts, reason) => {
  expect(await start("echo", parts)).toEqual({ kind: "unstartable", reason });
});

test("a NUL in an argument cannot be started", async () => {
  expect(await run("echo", { args: ["\0"] })).toMatchObject({ kind: "unstartable" });
});
