import fs from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  findCall,
  keepInputs,
  type LogRequest,
  listCalls,
  saveCase,
  summarizeLog,
  verifyLog,
  watchCalls,
} from "../../../src/operations/diagnose/log.ts";
import type { TestHost } from "../../support/host.ts";
import { newJournal, type TestJournal } from "../../support/journals.ts";
import { openProjectKey } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { newProject } from "../../support/projects.ts";

const GUARD = "@me/guards@1.0.0#guard";
const OTHER = "@you/others@1.0.0#other";

function project(): { host: TestHost; journal: TestJournal } {
  const host = newProject();
  return { host, journal: newJournal(openProjectKey(host), host.drwnHome) };
}

/** Four calls, an hour apart, the last one now. */
function withCalls(): { host: TestHost; journal: TestJournal } {
  const { host, journal } = project();
  const ruling = { rule: "deny", by: GUARD, reason: "no", context: 0, updatedInput: null } as const;
  const failed = { action: "failure", reason: "threw Error: boom" } as const;
  const calls = [
    () => journal.begin({ tool: "Read" })({}, [{ policy: OTHER, kind: "observer", answer: failed }]),
    () => journal.begin({ tool: "Bash" })({ verdict: "deny", ruling }, [{ policy: GUARD, answer: { action: "deny" } }]),
    () => journal.begin({ tool: "mcp__a__b" })({}, [{ policy: GUARD }]),
    () =>
      journal.begin({ tool: "Bash" })({ verdict: "ask", effective: "ask" }, [
        { policy: GUARD, answer: { action: "ask" } },
      ]),
  ];
  for (const [at, call] of calls.entries()) {
    vi.useFakeTimers({ toFake: ["Date"], now: host.now().getTime() - (calls.length - 1 - at) * 3_600_000 });
    call();
  }
  vi.useRealTimers();
  return { host, journal };
}

afterEach(() => {
  vi.useRealTimers();
});

test("a call whose input was kept is printed as a case, and another one says how inputs are kept", async () => {
  const { host, journal } = project();
  const ruling = { rule: "deny", by: GUARD, reason: "no", context: 0, updatedInput: null } as const;
  journal.begin({ tool: "Bash", input: '{"command":"rm -rf /"}' })({ verdict: "deny", ruling });
  journal.begin({ tool: "Bash" })({ verdict: "deny", ruling });
  const [kept, bare] = listCalls(host, {}, 10).map(({ id }) => id);
  expect(JSON.parse(saveCase(host, kept ?? "").line)).toEqual({
    id: kept,
    tool: "Bash",
    agent: "claude-code",
    input: { command: "rm -rf /" },
    expect: "deny",
    reason: "no",
  });
  expect((await problemOf(() => saveCase(host, bare ?? ""))).hint).toContain("drwn log --inputs keep");
});

describe("drwn log", () => {
  test.each<[LogRequest, string[]]>([
    [{}, ["Read", "Bash", "mcp__a__b", "Bash"]],
    [{ card: "@me/guards" }, ["Bash", "mcp__a__b", "Bash"]],
    [{ card: "@me/guard" }, []],
    [{ tool: "Bash" }, ["Bash", "Bash"]],
    [{ tool: "mcp__*" }, ["mcp__a__b"]],
    [{ verdict: "deny" }, ["Bash"]],
    [{ on: "prompt.submit" }, []],
    [{ isFailed: true }, ["Read"]],
    [{ since: "90m" }, ["mcp__a__b", "Bash"]],
    [{ since: "2026-03-01T11:00:00Z" }, ["mcp__a__b", "Bash"]],
    [{ since: "1d", verdict: "ask" }, ["Bash"]],
  ])("with %j shows %j", (request, tools) => {
    expect(listCalls(withCalls().host, request, 50).map(({ tool }) => tool)).toEqual(tools);
  });

  test("shows lifecycle events by their name, and only these", async () => {
    const { host, journal } = withCalls();
    journal.begin({ phase: "session.start", tool: "resume" })();
    journal.begin({ phase: "prompt.submit", tool: null })({ verdict: "deny", effective: "deny" }, [{ policy: GUARD }]);
    expect(listCalls(host, { on: "prompt.submit" }, 50)).toMatchObject([{ tool: null, verdict: "deny" }]);
    expect(summarizeLog(host, { on: "session.start" })).toMatchObject({ calls: 1, denies: 0 });
    expect((await problemOf(() => listCalls(host, { on: "prompts" }, 1))).code).toBe("DRWN_EVENT_INVALID");
  });

  test("shows the last ones, and those of journals that were put aside", () => {
    const { host, journal } = withCalls();
    fs.renameSync(journal.file, journal.file.replace("journal.", "journal.000001-1."));
    journal.begin({ tool: "Write" })();
    expect(listCalls(host, {}, 2).map(({ tool }) => tool)).toEqual(["Bash", "Write"]);
    expect(verifyLog(host, undefined)).toMatchObject({ ok: true, calls: 5, files: 2 });
  });

  test("keeps the journal's order when the clock was set back", () => {
    const { host, journal } = project();
    for (const [time, tool] of [
      ["2030-01-01", "One"],
      ["2001-01-01", "Two"],
      ["2026-01-01", "Three"],
    ] as const) {
      vi.useFakeTimers({ toFake: ["Date"], now: new Date(time) });
      journal.begin({ tool })();
    }
    vi.useRealTimers();
    expect(listCalls(host, {}, 50).map(({ tool }) => tool)).toEqual(["One", "Two", "Three"]);
    expect(verifyLog(host, undefined).ok).toBe(true);
  });

  test.each(["yesterday", "5", "10y", "2026-13-45", "-5m", ""])("refuses `%s` as a time", async (since) => {
    expect((await problemOf(() => listCalls(project().host, { since }, 1))).code).toBe("DRWN_TIME_INVALID");
  });

  test.each<[string, (file: string) => void]>([
    ["cut off and written anew", (file) => fs.truncateSync(file)],
    ["removed", (file) => fs.rmSync(file)],
    ["filled with what has no end", (file) => fs.truncateSync(file, 64 * 1024 * 1024)],
  ])("follows calls when the journal is %s", async (_, change) => {
    const { host, journal } = withCalls();
    const end = new AbortController();
    const watched = watchCalls(host, {}, end.signal);
    journal.begin({ tool: "First" })();
    expect((await watched.next()).value).toMatchObject({ tool: "First" });
    const next = watched.next();
    change(journal.file);
    journal.begin({ tool: "Second" })();
    expect((await next).value).toMatchObject({ tool: "Second" });
    end.abort();
  });

  test("follows calls from the moment on at which it was asked", async () => {
    const { host, journal } = withCalls();
    const end = new AbortController();
    const watched = watchCalls(host, {}, end.signal);
    journal.begin({ tool: "Early" })();
    expect((await watched.next()).value).toMatchObject({ tool: "Early" });
    end.abort();
  });

  test("ends with a problem where the journal becomes a folder", async () => {
    const { host, journal } = withCalls();
    const next = watchCalls(host, {}).next();
    fs.rmSync(journal.file);
    fs.mkdirSync(journal.file);
    expect((await problemOf(() => next)).code).toBe("DRWN_FILE_INVALID");
  });

  test("follows calls, across a journal that is put aside", async () => {
    const { host, journal } = withCalls();
    const end = new AbortController();
    const seen: (string | null)[] = [];
    const steps: Record<string, () => void> = {
      begin: () => journal.begin({ tool: "First" })(),
      First: () => {
        journal.begin({ tool: "Second" })();
        fs.renameSync(journal.file, journal.file.replace("journal.", "journal.000001-1."));
        journal.begin({ tool: "Third" })();
      },
      Third: () => end.abort(),
    };
    setTimeout(() => steps["begin"]?.(), 20);
    for await (const { tool } of watchCalls(host, {}, end.signal)) {
      seen.push(tool);
      steps[tool ?? ""]?.();
    }
    expect(seen).toEqual(["First", "Second", "Third"]);
  });
});

describe("drwn log why", () => {
  test("finds a call by the beginning of its id, and the last one that was not let through without", () => {
    const { host } = withCalls();
    const [, denied] = listCalls(host, {}, 50);
    expect(findCall(host, denied?.id.slice(0, 8))).toEqual(denied);
    expect(findCall(host, undefined)).toMatchObject({ verdict: "ask" });
  });

  test.each([
    ["zzzz", "DRWN_CALL_INVALID"],
    ["abc", "DRWN_CALL_INVALID"],
    ["../../etc", "DRWN_CALL_INVALID"],
    ["0".repeat(20), "DRWN_CALL_UNKNOWN"],
  ])("refuses %s", async (id, code) => {
    expect((await problemOf(() => findCall(withCalls().host, id))).code).toBe(code);
  });

  test("says so when nothing was denied", async () => {
    expect((await problemOf(() => findCall(project().host, undefined))).code).toBe("DRWN_CALL_UNKNOWN");
  });
});

test("drwn log --stats counts calls and policies, with the time that each takes", () => {
  const { host } = withCalls();
  expect(summarizeLog(host, {})).toMatchObject({
    calls: 4,
    denies: 1,
    asks: 1,
    failures: 1,
    policies: [
      { policy: GUARD, kind: "enforcement", asked: 3, denies: 1, asks: 1, failures: 0 },
      { policy: OTHER, kind: "observer", asked: 1, failures: 1 },
    ],
  });
  expect(summarizeLog(host, { card: "@you/others" }).calls).toBe(1);
});

test("half of all times are at most p50, and all but one in a hundred at most p99", async () => {
  const { CallCount } = await import("../../../src/journal/stats.ts");
  const [call] = listCalls(withCalls().host, {}, 1);
  if (call === undefined) throw new Error("there is no call");
  const count = new CallCount();
  for (let ms = 100; ms > 0; ms--) count.add({ ...call, ms });
  expect(count.figures()).toMatchObject({ p50: 50, p99: 99 });
  expect(new CallCount().figures()).toMatchObject({ calls: 0, p50: 0, p99: 0, first: null });
});

test.each(["12", "xyz", "ABCDEF012345"])("drwn log --verify refuses %s as a head", async (head) => {
  expect((await problemOf(() => verifyLog(project().host, head))).code).toBe("DRWN_CALL_INVALID");
});

test("inputs are kept when a person asks for it, and not any more when one takes that back", () => {
  const { host } = project();
  expect(keepInputs(host, undefined)).toEqual({ project: host.cwd, inputs: "denied" });
  for (const wanted of ["keep", "keep", "off", "off", "denied", "off", "keep", "denied"] as const) {
    expect(keepInputs(host, wanted).inputs).toBe(wanted);
    expect(keepInputs(host, undefined).inputs).toBe(wanted);
  }
});

test("an agent sees which inputs are kept, but doesn't change that", async () => {
  const { host } = project();
  const agent = { ...host, env: { ...host.env, CLAUDECODE: "1" } };
  expect((await problemOf(() => keepInputs(agent, "off"))).code).toBe("DRWN_AGENT_SESSION");
  expect(keepInputs(agent, undefined).inputs).toBe("denied");
});
