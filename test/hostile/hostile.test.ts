import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import type { Host } from "../../src/kernel/host.ts";
import { isProblem } from "../../src/kernel/problem.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { listConsents } from "../../src/operations/machine/consents.ts";
import { installCards } from "../../src/operations/project/install.ts";
import { previewWrite, writeProject } from "../../src/operations/project/write.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { cloneHostile } from "./clone.ts";
import { CARDS, LINKS } from "./projects/cards.ts";
import { CLAIMS } from "./projects/claims.ts";
import { ENVIRONMENT } from "./projects/environment.ts";

const PROJECTS = [...CLAIMS, ...ENVIRONMENT, ...CARDS, ...LINKS];

/** Everything that somebody does with a repository that they have cloned and not looked at. */
const STEPS: readonly ((host: Host) => unknown)[] = [
  (host) => readStatus(host),
  (host) => listConsents(host),
  (host) => previewWrite(host, { wiring: undefined }),
  (host) => installCards(host, { frozen: true }),
  (host) => installCards(host, { frozen: false }),
  (host) => writeProject(host, { wiring: undefined }),
];

async function diagnose(host: Host): Promise<string[]> {
  const { findings } = await diagnoseProject(host);
  return findings.map(({ code, subject, message }) => `${code} ${subject} ${message}`);
}

/** What an agent's tool call in the clone comes to, through the very command that `write` puts into settings. */
function call({ env, cwd }: Host, home: string): { status: number | null; stdout: string } {
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd };
  const command = hookCommand({ home, runtime: "claude-code", phase: "pre" });
  const options = {
    cwd,
    env: { ...env, CLAUDE_PROJECT_DIR: cwd },
    input: JSON.stringify(event),
    encoding: "utf8",
  } as const;
  const { status, stdout } = spawnSync("/bin/sh", ["-c", command], options);
  return { status, stdout };
}

test("there are at least thirty hostile repositories, each with its own purpose", () => {
  expect(new Set(PROJECTS.map(({ tries }) => tries)).size).toBe(PROJECTS.length);
  expect(PROJECTS.length).toBeGreaterThanOrEqual(30);
});

describe.each(PROJECTS.map((project) => [project.tries, project] as const))("a repository that %s", (_, project) => {
  test("gets nothing to run, is granted nothing, and doctor says what it tried", async () => {
    const { host, person, traces } = await cloneHostile(project);
    const settings = path.join(person.home, ".claude");
    const said = await diagnose(host);
    for (const step of STEPS) {
      try {
        await step(host);
      } catch (error) {
        if (!isProblem(error)) throw error;
      }
    }
    said.push(...(await diagnose(host)));
    expect(call(host, person.drwnHome)).toEqual({ status: 0, stdout: "" });

    const [code, text] = project.doctor;
    expect(said.filter((line) => line.includes(text)).map((line) => line.split(" ")[0])).toContain(code);
    expect(traces()).toEqual([]);
    expect(fs.existsSync(layout.ledgers(person.drwnHome))).toBe(false);
    expect(fs.readdirSync(layout.roots(person.drwnHome))).toEqual([]);
    expect(fs.readdirSync(settings)).toEqual([]);
    expect(fs.readFileSync(path.join(person.home, "secret"), "utf8")).toBe("secret\n");
  });
});
