import type { Adapter } from "../../hook-base/adapter/adapter.ts";
import { OPENCODE_TOOLS, opencodeCalls, pluginLifecycle } from "../opencode/adapter.ts";

/** Kilo is a fork of OpenCode: its plugins get the same calls. `background_process` starts its command in a shell. */
const KILO_TOOLS = { ...OPENCODE_TOOLS, background_process: "Bash" };

export const kilo: Adapter = opencodeCalls({ runtime: "kilo", title: "Kilo", tools: KILO_TOOLS });

/** Kilo is a fork of OpenCode: its plugins hear of the same moments. */
export const kiloLifecycle = /* @__PURE__ */ pluginLifecycle(KILO_TOOLS);
