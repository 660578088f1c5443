import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { HookDispatcher } from "../../dist/systems/astrid/library.js";

const MODULES = fileURLToPath(new URL("../support/wasm-modules.ts", import.meta.url));
const ROUNDS = 40;
const MANY = 50;
const PROGRAM = { command: "/bin/sh", args: ["-c", "cat > /dev/null; echo continue"] };
const EVENT = { data: { tool_name: "shell", arguments: { command: "ls" } } };
const MOST = 1.1;

/**
 * Hooks of another system in this process, beside the program that such a hook starts: what drwn adds to it, what fifty of them
 * take, and what a WebAssembly module takes the first time and after that. In turns, and by their medians.
 * @param {string} folder
 */
export async function measureHandlers(folder) {
  const root = path.join(folder, "handlers");
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(root, "hook.wasm"), await assemble());
  const one = dispatcherOf(root, [commandHook(0)]);
  const many = dispatcherOf(
    root,
    Array.from({ length: MANY }, (_, at) => commandHook(at)),
  );
  const warm = dispatcherOf(root, [wasmHook()]);
  await ask(warm);
  const works = {
    alone: () => runAlone(root),
    one: () => ask(one),
    cold: async () => {
      const cold = dispatcherOf(root, [wasmHook()]);
      await ask(cold);
      cold.close();
    },
    warm: () => ask(warm),
  };
  const samples = Object.fromEntries(Object.keys(works).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries(works)) samples[name].push(await time(work));
  }
  samples.many = [await time(() => ask(many)), await time(() => ask(many)), await time(() => ask(many))];
  warm.close();
  return Object.fromEntries(Object.entries(samples).map(([name, times]) => [name, medianOf(times)]));
}

export function printHandlers({ alone, one, many, cold, warm }) {
  const ratio = one / alone;
  console.log("\nHandlers of other hook systems, in this process");
  console.log(`  the program of a command hook, alone     ${alone.toFixed(2)} ms`);
  console.log(
    `  dispatch of that command hook            ${one.toFixed(2)} ms  ${ratio.toFixed(2)} ≤ ${MOST} ${ratio <= MOST ? "pass" : "over"}`,
  );
  console.log(
    `  ${MANY} of them on one event                 ${many.toFixed(1)} ms  ${(many / MANY / alone).toFixed(2)} for each`,
  );
  console.log(`  a WebAssembly module, the first call     ${cold.toFixed(2)} ms`);
  console.log(`  the same module after that               ${warm.toFixed(2)} ms`);
}

function dispatcherOf(root, hooks) {
  return new HookDispatcher({ hooks, root, env: {} });
}

async function ask(dispatcher) {
  const { result } = await dispatcher.dispatch("pre_tool_call", EVENT);
  if (result.action !== "continue") throw new Error(`a hook of the bench said ${JSON.stringify(result)}`);
}

/** As little as it takes: the same input, the same environment, and its output to the end. */
function runAlone(cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM.command, PROGRAM.args, { cwd, env: { PATH: "/usr/bin:/bin" }, detached: true });
    child.stdout.resume();
    child.stderr.resume();
    child.on("error", reject);
    child.on("close", resolve);
    child.stdin.end(JSON.stringify(EVENT));
  });
}

function commandHook(at) {
  return hookOf({ type: "command", ...PROGRAM, env: {}, workingDir: null }, at);
}

function wasmHook() {
  return hookOf({ type: "wasm", modulePath: "hook.wasm", function: "handle" }, 0);
}

function hookOf(handler, at) {
  return {
    id: `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
    name: null,
    description: null,
    event: "pre_tool_call",
    matcher: null,
    handler,
    timeoutSecs: 30,
    failAction: "block",
    asyncMode: false,
    enabled: true,
    priority: 100,
  };
}

async function assemble() {
  const { outputFiles } = await build({ entryPoints: [MODULES], bundle: true, format: "esm", write: false });
  const { extismModule, say } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`
  );
  return extismModule({ functions: { handle: say('{"action":"continue"}') } });
}

async function time(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function medianOf(times) {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}
