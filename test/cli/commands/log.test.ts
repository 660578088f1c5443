import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import Log from "../../../src/cli/commands/log.ts";
import { renderEntry, ruleInWords } from "../../../src/cli/render/log.ts";
import { localTime, makeStyle, wrapLine } from "../../../src/cli/terminal/style.ts";
import { keepInputs, listCalls, summarizeInput } from "../../../src/operations/diagnose/log.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { newJournal } from "../../support/journals.ts";
import { openProjectKey } from "../../support/machine-state.ts";
import { newProject } from "../../support/projects.ts";

const GUARD = "@me/backend@1.0.0#guard-rm";
const REASON = "removing folders is for people, who know which of them are still needed by whom";
const DENIED = { verdict: "deny", effective: "deny" };

/** A call that a guard denied, one that it could not judge, one that nobody minded, and an ask that the agent cannot put. */
function journaled(): TestHost {
  const host = newProject();
  const journal = newJournal(openProjectKey(host), host.drwnHome);
  const ruling = { by: GUARD, reason: REASON, context: 0, updatedInput: null };
  const command = `cd /srv/projects/of/a/team && rm -rf build dist ${"coverage ".repeat(12)}`;
  journal.begin({ input: JSON.stringify({ command }) })({ ...DENIED, ruling: { ...ruling, rule: "deny" } });
  const broken = { policy: GUARD, answer: { action: "failure", reason: "threw Error: boom" } } as const;
  const failed = { ...ruling, rule: "failure", reason: "threw Error: boom" } as const;
  journal.begin({ tool: "Read" })({ ...DENIED, ruling: failed }, [broken]);
  journal.begin({ tool: "Write", input: '{"file_path":"/srv/\\u001b[2Jnotes.md"}' })();
  journal.begin({ runtime: "codex" })({ verdict: "ask", effective: "deny", ruling: { ...ruling, rule: "ask" } });
  return host;
}

describe("drwn log", () => {
  test("says on one line of a file when, what, where, why and who", async () => {
    const { stdout, stderr } = await runCommand(journaled(), Log);
    const lines = stdout.trimEnd().split("\n");
    const [denied, failed, allowed, asked] = lines;
    expect(lines).toHaveLength(4);
    expect(denied).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}deny {3}claude-code {2}Bash: cd \/srv.* {2}[0-9a-f]{8}$/u,
    );
    expect(denied).toContain(`  ${GUARD}: ${REASON}`);
    expect(failed).toContain(`  ${GUARD}: it threw Error: boom, and a guard that fails denies`);
    expect(allowed).toContain("Write: /srv/\\u{1b}[2Jnotes.md");
    expect(asked).toContain("  ask, taken as deny  codex  Bash  ");
    expect(stderr).toContain("drwn log --inputs keep\n");
  });

  test("says how inputs are kept only while they are not", async () => {
    const host = journaled();
    keepInputs(host, "keep");
    expect((await runCommand(host, Log)).stderr).toBe("");
  });

  test("counts as denied what a failing guard denied, and what the agent made a denial", async () => {
    const { stdout } = await runCommand(journaled(), Log, "--verdict", "deny");
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    const figures = JSON.parse((await runCommand(journaled(), Log, "--stats", "--json")).stdout);
    expect(figures.policies).toMatchObject([{ policy: GUARD, denies: 1, failures: 1 }]);
  });

  test.each([60, 80, 120, 200])("fits a terminal of %i columns, and breaks between words only", (columns) => {
    const calls = listCalls(journaled(), {}, 10);
    for (const isColourful of [false, true]) {
      const lines: string[] = [];
      const out = (line = ""): void => void lines.push(...wrapLine(line, columns).map(stripVTControlCharacters));
      for (const call of calls) renderEntry(call, { out, isRead: true, style: makeStyle(isColourful) });
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
      expect(lines.filter((line) => !/^\d{4}-/u.test(line)).every((line) => line.startsWith(" ".repeat(21)))).toBe(
        true,
      );
      expect(lines.join(" ").replaceAll(/ +/gu, " ")).toContain(`${GUARD}: ${REASON}`);
    }
  });
});

test("a call that a shadow would have denied says so", () => {
  const [call] = listCalls(journaled(), { tool: "Write" }, 1);
  if (call === undefined) throw new Error("the call isn't there");
  const shadow = { policy: GUARD, kind: "enforcement", bundle: "", mode: "shadow", ms: 1, applied: false } as const;
  const lines: string[] = [];
  const policies = [
    { ...shadow, decision: "deny" },
    { ...shadow, decision: "log-only" },
  ];
  renderEntry(
    { ...call, policies },
    { out: (line = "") => lines.push(String(line)), isRead: true, style: makeStyle(false) },
  );
  expect(lines.slice(1).map((line) => line.trim())).toEqual([`${GUARD}: deny, noted only`]);
});

test("a time is told by the clock on the wall", () => {
  const time = new Date(2026, 0, 31, 4, 3, 11);
  expect(localTime(time.toISOString())).toBe("2026-01-31 04:03:11");
  expect(localTime("\u001b[2J")).toBe("\\u{1b}[2J");
});

test.each<[string, string | undefined, string | null]>([
  ["Bash", '{"description":"Tidy up","command":"rm -rf build\\nls"}', "rm -rf build\\nls"],
  ["shell", '{"command":["bash","-lc","ls"]}', "bash -lc ls"],
  ["Write", '{"file_path":"/a/b.ts","content":"x', "/a/b.ts"],
  ["Write", '{"content":"a \\"file_path\\":\\"/c\\" b","file_path":"/a/b…', "/a/b…"],
  [
    "apply_patch",
    JSON.stringify({ input: "*** Begin Patch\n*** Update File: a.ts\n@@\n*** Add File: b c.ts\n" }),
    "a.ts, b c.ts",
  ],
  ["mcp__db__drop", '{"table":"users"}', '{"table":"users"}'],
  ["Bash", undefined, null],
])("of a call of %s with %s the log shows %s", (tool, input, shown) => {
  expect(summarizeInput({ tool, input })).toBe(shown);
});

test("a call during a pause isn't said to be blocked", () => {
  for (const which of ["", "global "]) {
    const problem = `all ${which}policies are paused until 2026-01-31T12:00:00.000Z`;
    expect(ruleInWords({ problem, phase: "pre-tool" })).toBe("paused policies judge no call");
  }
});
