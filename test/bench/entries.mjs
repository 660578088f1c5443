import path from "node:path";
import { promptGuard, shellGuard } from "./policies.mjs";
import { eventIn, HARMFUL, isDenied, isSilent } from "./rows.mjs";
import { drwn, hookStart, installCard, makeSignedWorld } from "./world.mjs";

const CODEX = ".codex/hooks.json";
/** One event, one policy. */
const target = { ratio: 1.3 };

/**
 * One event through the entry that each agent starts, and a lifecycle event: whole processes, from the shell that the agent
 * runs to the answer.
 * @param {string} folder
 * @returns {(import("./measure.mjs").Row & { target: { ratio: number } })[]}
 */
export function entryRows(folder) {
  const world = makeSignedWorld(path.join(folder, "entries"));
  installCard(world, "guards", { guard: shellGuard, prompts: promptGuard });
  drwn(world, "write", "--runtime", "claude-code", "--runtime", "codex");
  const call = eventIn(world.project, HARMFUL);
  const { tool_name: _tool, tool_input: _input, tool_use_id: _id, ...session } = JSON.parse(call);
  const prompt = { ...session, hook_event_name: "UserPromptSubmit", prompt: "look through the tests of the parser" };
  const prompted = [{ event: "UserPromptSubmit" }, JSON.stringify(prompt), isSilent];
  return [
    ["one event through Claude Code's entry", {}, call, isDenied],
    ["one event through Codex's entry", { file: CODEX }, call, isDenied],
    // It is answered by the program that answers everything.
    ["one prompt through Claude Code's entry", ...prompted, { target: { ratio: 1.35 } }],
  ].map(([name, entry, stdin, fault, more]) => ({
    name,
    ...hookStart(world, entry),
    cwd: world.project,
    // Codex names no project: its sessions' folder counts.
    env: { ...world.env, ...(entry.file === CODEX ? {} : { CLAUDE_PROJECT_DIR: world.project }) },
    stdin,
    target,
    fault,
    ...more,
  }));
}
