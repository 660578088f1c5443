// Starts one program after another for the benchmark and says how long each took. A process of its own, because starting a program takes
// longer the more memory the process has that starts it: of the one that has made the throwaway homes, two milliseconds.
import { spawnSync } from "node:child_process";

process.on("message", ({ program, args, cwd, env, stdin }) => {
  const started = process.hrtime.bigint();
  const result = spawnSync(program, args, { cwd, env, input: stdin, encoding: "utf8", timeout: 60_000 });
  const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
  const { status, stdout, stderr, error } = result;
  process.send({ milliseconds, status, stdout, stderr, error: error && { code: error.code, message: error.message } });
});
