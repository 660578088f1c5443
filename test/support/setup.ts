import { afterAll } from "vitest";
import { removeWorlds } from "./worlds.ts";

// Run for every test file, also where the files of a worker share their modules.
afterAll(removeWorlds);
