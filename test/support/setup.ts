import { afterAll } from "vitest";
import { removeWorlds } from "./worlds.ts";

// Runs for every test file, even if the files of a worker share their modules.
afterAll(removeWorlds);
