import fs from "node:fs";
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
 * Long sweeps: `npm run test:deep` runs all of them; with DRWN_SWEEP_SEED set, the laws and others of the rest each
 * day, in two minutes.
 */
export const sweeps: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: "sweeps",
    include: chosen.map((name) => `test/sweeps/${name}`),
    ...RUN_FOLDER,
    isolate: true,
    testTimeout: 600_000,
    env: { PATH: OWN_PATH },
    sequence: { groupOrder: 1 },
  },
};
