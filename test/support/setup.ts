import fs from "node:fs";
import { afterAll, inject } from "vitest";
import { isInMemory } from "./run-folder.ts";
import { removeWorlds } from "./worlds.ts";

// Memory makes nobody wait. On a disk, half of a guarded project's time would be waiting; no power fails in the tests.
if (!isInMemory(inject("runFolder"))) fs.fsyncSync = () => {};

// Runs for every test file, even if the files of a worker share their modules.
afterAll(removeWorlds);
