// Starts one program after another for the benchmark and says how long each took. A process of its own, because starting a program takes
// longer the more memory the process has that starts it: of the one that has made the throwaway homes, two milliseconds.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

const timeout = 60_000;

process.on("message", async ({ program, args, starts = [{ program, args }], isAtOnce = false, ...how }) => {
  const started = process.hrtime.bigint();
  const results = isAtOnce
    ? await Promise.all(starts.map((one) => start(one, how)))
    : starts.map((one) => run(one, how));
  const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
  const { status, error } = results.find((result) => result.status !== 0 || result.error) ?? results[0];
  const [stdout, stderr] = ["stdout", "stderr"].map((name) => results.map((result) => result[name]).join(""));
  process.send({ milliseconds, status, stdout, stderr, error: error && { code: error.code, message: error.message } });
});

function run({ program, args }, { cwd, env, stdin }) {
  return spawnSync(program, args, { cwd, env, input: stdin, encoding: "utf8", timeout });
}

async function start({ program, args }, { cwd, env, stdin }) {
  const child = spawn(program, args, { cwd, env, timeout });
  let error;
  child.stdin.on("error", (fault) => (error = fault));
  child.stdin.end(stdin);
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { status, stdout, stderr, error };
}
