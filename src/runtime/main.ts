import { findAdapter } from "../agents/adapters.ts";
import { blockBare } from "./answer-agent.ts";
import { runHook } from "./hook.ts";
import { runRequirement } from "./require.ts";
import { servePolicy } from "./serve-policy.ts";

/**
 * `hook.cjs <runtime> <pre|post> <key> <home> <config> [explain]`, or `hook.cjs <runtime> require <key> <home> <config>`, started
 * by the launcher; or `hook.cjs --policy`, started by itself.
 */
function main([runtime = "", when = "", key = "", home = "", config = "", mode = ""]: readonly string[]): void {
  if (runtime === "--policy") {
    servePolicy();
    return;
  }
  // Whatever ends this process before it has answered blocks the call.
  process.exitCode = 2;
  const phase = when === "post" ? "post-tool" : "pre-tool";
  try {
    const adapter = findAdapter(runtime);
    if (adapter === undefined) throw new Error("it was asked for an agent that it does not know");
    if (!/^[0-9a-f]{1,64}$/u.test(key) || !home.startsWith("/")) throw new Error("it was not told whose project it is");
    const call = { adapter, phase, key, home, isExplained: mode === "explain" } as const;
    if (when === "require") runRequirement(call, config);
    else runHook(call);
  } catch (error) {
    blockBare(
      `drwn: the hook process failed, so the call is blocked: ${error instanceof Error ? error.message : ""}\n`,
    );
  }
}

main(process.argv.slice(2));
