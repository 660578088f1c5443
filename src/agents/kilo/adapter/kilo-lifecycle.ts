import { pluginLifecycle } from "../../opencode/adapter/opencode-lifecycle.ts";
import { KILO_TOOLS } from "./kilo-calls.ts";

/** Kilo is a fork of OpenCode: its plugins hear of the same moments. */
export const kiloLifecycle = pluginLifecycle(KILO_TOOLS);
