import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Status from "../../src/cli/commands/status.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { initProject } from "../../src/operations/project/init.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import { callTool } from "../hostile/machine.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";
import { editJson, ledgerFile, userSettings } from "../support/machine-state.ts";
import { guardedProject, publish, trust, write } from "../support/projects.ts";

/** A folder in the guarded project that says that it is a project, as one that `git pull` brings. */
function innerOf(host: TestHost, name = "packages/a"): TestHost {
  const inner = host.at(path.join(host.cwd, name));
  fs.mkdirSync(inner.cwd, { recursive: true });
  initProject(inner);
  return inner;
}

async function consentIn(host: TestHost): Promise<void> {
  await publish(host, { name: "@me/inner", hooks: { guard: { matcher: "Edit" } } });
  await addCards(host, ["@me/inner"]);
  await trust(host, { card: "@me/inner" });
  await write(host);
}

async function firstLine(host: TestHost) {
  const { stdout, exitCode } = await runCommand(host, Status, "--check");
  return { line: stdout.split("\n")[0], exitCode };
}

describe("a project in a guarded one", () => {
  test("that `git pull` brought is said to be guarded by the outer one, as calls there are", async () => {
    const host = await guardedProject();
    const inner = innerOf(host);
    expect(callTool(inner)).toBe("denied by the guard");
    const guarded = { line: `Guarded: Claude Code, also by what holds in ${host.cwd}`, exitCode: 0 };
    expect(await firstLine(inner)).toEqual(guarded);
    await write(inner);
    expect(callTool(inner)).toBe("denied by the guard");
    expect(await firstLine(inner)).toEqual(guarded);
    expect((await diagnoseProject(inner)).ok).toBe(true);
  });

  test("with a consent of its own is guarded by both, and so is one in it", async () => {
    const host = await guardedProject();
    const inner = innerOf(host);
    await consentIn(inner);
    const innermost = innerOf(inner, "b");
    for (const [one, around] of [
      [inner, [host.cwd]],
      [innermost, [inner.cwd, host.cwd]],
    ] as const) {
      expect(callTool(one)).toBe("denied by the guard");
      expect(readStatus(one).guarding).toMatchObject({ ok: true, enclosing: around, agents: [{ state: "guarded" }] });
      expect((await diagnoseProject(one)).ok).toBe(true);
    }
    expect(readStatus(host).guarding.enclosing).toEqual([]);
  });

  const TROUBLES: [string, (host: TestHost, inner: TestHost) => unknown, RegExp, string][] = [
    [
      "whose own settings turn hooks off",
      (_, { cwd }) => {
        fs.mkdirSync(path.join(cwd, ".claude"));
        fs.writeFileSync(path.join(cwd, ".claude/settings.json"), '{"disableAllHooks": true}');
      },
      /^NOT GUARDED in Claude Code: `disableAllHooks`/u,
      "denied by the guard",
    ],
    [
      "where the settings lost the entry",
      (host) => fs.writeFileSync(userSettings(host), "{}"),
      /^NOT GUARDED in Claude Code: its settings don't have drwn's entry/u,
      "denied by the guard",
    ],
    [
      "while the ledger of the outer one is gone",
      (host) => fs.rmSync(ledgerFile(host)),
      /^Every tool call is blocked in Claude Code: in \S+, around this folder: the record/u,
      "blocked",
    ],
    [
      "while the outer one is paused",
      (host) =>
        editJson<{ pausedUntil: string }>(ledgerFile(host), (ledger) => {
          ledger.pausedUntil = new Date(Date.now() + 60_000).toISOString();
        }),
      /^NOT GUARDED in Claude Code: in \S+, around this folder: the hook policies of this project are paused/u,
      "silence",
    ],
  ];

  test.each(TROUBLES)("%s isn't said to be guarded", async (_, spoil, says, call) => {
    const host = await guardedProject();
    const inner = innerOf(host);
    spoil(host, inner);
    const { line, exitCode } = await firstLine(inner);
    expect([line, exitCode]).toEqual([expect.stringMatching(says), 3]);
    if (call !== "silence") expect(callTool(inner)).toBe(call);
  });

  test("whose outer one is wired in its own folder alone isn't said to be guarded", async () => {
    const host = await guardedProject();
    await writeProject(host, { wiring: "project" });
    expect((await firstLine(innerOf(host))).exitCode).toBe(3);
  });

  test("is guarded by an outer one whose files are gone", async () => {
    const host = await guardedProject();
    const inner = innerOf(host);
    fs.rmSync(path.join(host.cwd, ".agents"), { recursive: true });
    expect(callTool(inner)).toBe("denied by the guard");
    expect(await firstLine(inner)).toEqual({
      line: `Guarded: Claude Code, also by what holds in ${host.cwd}`,
      exitCode: 0,
    });
  });
});
