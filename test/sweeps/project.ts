import fs from "node:fs";
import path from "node:path";
import type { TestProjectInlineConfiguration } from "vitest/config";
import { OWN_PATH } from "../support/own-path.ts";
import { RUN_FOLDER } from "../support/run-folder-setup.ts";
import { sweep } from "../support/sweep.ts";

/** The laws behind the three promises: they are in every sample. */
const LAWS = ["consent-laws", "faults", "hostile-shell", "one-law", "same-decisions", "wiring-laws"];

const names = fs
  .readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".test.ts"))
  .sort();
const isLaw = (name: string) => LAWS.includes(name.replace(".test.ts", ""));
const chosen = [
  ...names.filter(isLaw),
  ...sweep(
    names.filter((name) => !isLaw(name)),
    9,
  ),
];

/**
 * Test files outside of here with a table that `npm test` takes a sample of. Only whoever asks for all sweeps gets them
 * from this project: `npm run test:one` finds them as what they are.
 */
function sampledElsewhere(): string[] {
  if (process.env["DRWN_SWEEP_SEED"] || !process.argv.includes("sweeps")) return [];
  const tests = path.dirname(import.meta.dirname);
  return fs
    .readdirSync(tests, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !/^(?:sweeps|e2e|bench)\b|^sweep\./u.test(name))
    .filter((name) => fs.readFileSync(path.join(tests, name), "utf8").includes("support/sweep.ts"))
    .map((name) => `test/${name}`);
}

/**
 * Long sweeps: `npm run test:deep` runs all of them; with DRWN_SWEEP_SEED set, the laws and others of the rest each
 * day, in two minutes.
 */
export const sweeps: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "sweeps",
    include: [...chosen.map((name) => `test/sweeps/${name}`), ...sampledElsewhere()],
    ...RUN_FOLDER,
    isolate: true,
    testTimeout: 600_000,
    env: { PATH: OWN_PATH },
    sequence: { groupOrder: 1 },
  },
};
