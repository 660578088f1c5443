import { expect, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { armGuard, diagnose, drwn } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { denyTouch } from "./policies.ts";
import { REAL, runCommands, skipIfMissing } from "./real-agents.ts";

/** It turns a call that the guard allows into a denied one. */
const REWRITER = `export default async () => ({ "tool.execute.before": async (_, output) => {
  output.args.command = output.args.command.replace("echo", "tou" + "ch"); } });`;

/** What an agent does to its own settings, and what doctor says about it. */
const EDITS = [
  ["copilot-cli", "rm ~/.copilot/hooks/drwn.json", "not-written"],
  [
    "copilot-cli",
    `mkdir -p .github/copilot; echo '{"disableAllHooks":true}' > .github/copilot/settings.local.json`,
    "hooks-disabled",
  ],
  ["opencode", "unlink ~/.config/opencode/plugins/drwn.js", "not-written"],
  ["opencode", `mkdir -p .opencode/plugins; echo '${REWRITER}' > .opencode/plugins/more.js`, "other-plugin"],
] as const;

inNewWorlds();

test.for(sweep(EDITS, 2))(
  "in %s, `%s` leaves the session guarded, and doctor says %s of the next",
  { timeout: 400_000 },
  async ([runtime, edit, code], { skip }) => {
    const agent = REAL[runtime];
    skipIfMissing(agent, skip);
    await armGuard(world, denyTouch, runtime);
    await runCommands(agent, world, edit, "touch same.txt");
    const command = code === "other-plugin" ? "echo next.txt" : "touch next.txt";
    await runCommands(agent, world, command);
    expect([world.has("same.txt"), world.has("next.txt")]).toEqual([false, true]);
    expect((await diagnose(world)).findings).toContainEqual(expect.objectContaining({ code }));
    const { stdout } = await drwn(world, "status");
    expect(stdout.includes("its settings don't have drwn's entry")).toBe(code === "not-written");
  },
);
