// Makes calls one after another, each when a process waits for it where the last one has started one, and says what it used itself. Its
// parent is told what all processes have used.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { findWaiting, sleep, waitForOne } from "./warm.mjs";

const { program, args, cwd, env, stdin, calls } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const home = env.DRWN_HOME;
const isAhead = stdin !== undefined && fs.existsSync(`${home}/warm`);
for (let call = 0; call < calls; call++) {
  if (isAhead && call > 0) waitForOne(home);
  spawnSync(program, args, { cwd, env: { PATH: process.env.PATH, ...env }, input: stdin ?? "" });
}
if (isAhead) {
  waitForOne(home);
  const waiting = findWaiting(home);
  for (const pid of waiting) process.kill(pid, "SIGKILL");
  while (waiting.some((pid) => fs.existsSync(`/proc/${pid}`))) sleep(2);
}
const { user, system } = process.cpuUsage();
console.log((user + system) / 1e6);
