import { spawnSync } from "node:child_process";
import path from "node:path";
import { build } from "esbuild";
import { temporaryFolder } from "../support/cards.ts";
import { repository } from "./world.ts";

/** Fails with what the real compiler says of a card source, by the configuration that the source was scaffolded with. */
export function typeCheck(folder: string): void {
  const tsc = path.join(repository, "node_modules/typescript/bin/tsc");
  const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", "."], { cwd: folder, env: {}, encoding: "utf8" });
  if (status !== 0) throw new Error(`it does not type-check:\n${stdout}`);
}

/** Runs a file of node:test tests; Node itself only knows TypeScript from 22.18 on. */
export async function runUnitTest(file: string): Promise<void> {
  const outfile = path.join(temporaryFolder(), "unit.test.mjs");
  await build({ entryPoints: [file], outfile, bundle: true, platform: "node", format: "esm", logLevel: "silent" });
  const { status, stdout } = spawnSync(process.execPath, ["--test", outfile], { env: {}, encoding: "utf8" });
  if (status !== 0 || !/^# pass [1-9]/mu.test(stdout.replaceAll("ℹ", "#")))
    throw new Error(`its tests fail:\n${stdout}`);
}
