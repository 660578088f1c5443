import fs from "node:fs";
import path from "node:path";
import { expect, inject, test } from "vitest";
import { askClaude } from "../../src/agents/claude-code/ask.ts";
import { sweep } from "../support/sweep.ts";
import { armGuard, diagnose, tryDrwn } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { denyTouch } from "./policies.ts";

inNewWorlds();

/** What makes the real Claude Code ignore a settings file, hooks included, without a word from `claude -p`. */
const FAULTS: readonly object[] = [
  { statusLine: "date" },
  { worktree: true },
  { autoMode: 5 },
  { agentPushNotifEnabled: "yes" },
  { skipAutoPermissionPrompt: 1 },
  { useAutoModeDuringPlan: "x" },
  { voiceEnabled: "x" },
  { disableDeepLinkRegistration: 7 },
  { attribution: 5 },
  { forceLoginOrgUUID: 5 },
  { timeFormat: 5 },
  { defaultView: 5 },
  { statusLine: { type: "static" } },
  { statusLine: { type: "command" } },
  { statusLine: { type: "command", command: "x", padding: "1" } },
  { permissions: { allow: "Bash" } },
  { permissions: { deny: {} } },
  { permissions: { defaultMode: "yolo" } },
  { permissions: { additionalDirectories: "x" } },
  { sandbox: { enabled: "yes" } },
  { sandbox: { network: { allowedDomains: "x" } } },
  { enabledPlugins: { "a@b": "yes" } },
  { extraKnownMarketplaces: { m: { source: { source: "nope" } } } },
  { attribution: { commit: 5 } },
  { fileSuggestion: {} },
  { modelOverrides: 5 },
  { spinnerVerbs: { mode: "x" } },
  { availableModels: [5] },
  { companyAnnouncements: [5] },
  { skillOverrides: 5 },
  { pluginConfigs: 5 },
  { sshConfigs: [{}] },
  { voice: { enabled: "x" } },
  { remote: { defaultEnvironmentId: 5 } },
  { worktree: { symlinkDirectories: "x" } },
  { autoMode: { allow: "x" } },
  { env: [] },
  { outputStyle: null },
  { verbose: 5 },
];

/** What it forgives. */
const FORGIVEN: readonly object[] = [{ env: { A: 1 } }, { permissions: { allow: [5] } }, { theme: 5 }, {}];

test("doctor says of each settings file that the real Claude Code drops what Claude Code says of it", async () => {
  await armGuard(world, denyTouch);
  const file = path.join(world.home, ".claude/settings.json");
  const own = JSON.parse(fs.readFileSync(file, "utf8"));
  const programs = path.join(world.folder, "programs");
  fs.mkdirSync(programs);
  fs.symlinkSync(inject("claude"), path.join(programs, "claude"));
  const env = { PATH: `${programs}:${path.dirname(process.execPath)}:/usr/bin:/bin` };
  const host = { cwd: world.project, home: world.home, drwnHome: path.join(world.home, ".agents/drwn"), env };
  const ask = async (settings: object) => {
    fs.writeFileSync(file, JSON.stringify({ ...settings, ...own }));
    const { findings, isAnswered } = await askClaude({ host, root: world.project, file, isAsked: true });
    expect(isAnswered).toBe(true);
    return findings.some(
      ({ code, message }) => code === "settings-drop-hooks" && message.includes("Claude Code says:"),
    );
  };
  const missed: object[] = [];
  for (const fault of sweep(FAULTS, 12)) if (!(await ask(fault))) missed.push(fault);
  expect(missed).toEqual([]);
  for (const forgiven of FORGIVEN) expect([forgiven, await ask(forgiven)]).toEqual([forgiven, false]);
  const { ok, findings } = await diagnose(world, env);
  expect([ok, findings.filter(({ code }) => code.startsWith("claude-"))]).toEqual([true, []]);
  await ask({ tui: "bad" });
  expect(await diagnose(world, env)).toMatchObject({ ok: false });
  // The entry is as it was: what an agent says counts all the same, in the commands that ask nobody, too.
  for (const command of ["write", "status"])
    expect((await tryDrwn(world, [command], { env })).stdout).toMatch(
      /^NOT GUARDED in Claude Code: Claude Code says: tui/u,
    );
});
