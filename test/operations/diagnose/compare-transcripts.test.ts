import fs from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import Log from "../../../src/cli/commands/log.ts";
import Status from "../../../src/cli/commands/status.ts";
import { checkLog } from "../../../src/operations/diagnose/compare-transcripts.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { newJournal } from "../../support/journals.ts";
import { openProjectKey } from "../../support/machine-state.ts";
import { guardedProject } from "../../support/projects.ts";

const SESSION = "fa3fe7c7-a272-4fd7-8817-45bc00bce9b7";

interface Written {
  id?: string;
  tool?: string;
  /** Milliseconds behind the host's clock. */
  later?: number;
  cwd?: string;
  session?: string;
  version?: string;
  result?: object | null;
  more?: object;
}

/** What Claude Code writes down of one call. */
function transcribe(host: TestHost, calls: readonly Written[], file = `${SESSION}.jsonl`): void {
  const lines = calls.flatMap(
    ({
      id = "toolu_1",
      tool = "Bash",
      later = 0,
      cwd = host.cwd,
      session = SESSION,
      version = "2.1.329",
      result = {},
      more,
    }) => {
      const timestamp = new Date(host.now().getTime() + 1_000 + later).toISOString();
      const said = { cwd, sessionId: session, version, timestamp };
      const use = { type: "tool_use", id, name: tool, input: { command: "ls" } };
      const came = { type: "tool_result", tool_use_id: id, ...result };
      const lines = [{ ...said, type: "assistant", message: { content: [use] }, ...more }];
      return result === null ? lines : [...lines, { ...said, type: "user", message: { content: [came] }, ...more }];
    },
  );
  const place = path.join(host.home, ".claude/projects/-project", file);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const future = new Date(host.now().getTime() + 3_600_000);
  fs.utimesSync(place, future, future);
}

/** What the hook noted of calls before they were made. */
function note(host: TestHost, ...calls: { call: string; effective?: string; session?: string }[]): void {
  const journal = journalOf(host);
  for (const { call, effective = "allow", session = SESSION } of calls) {
    const verdict = effective === "deny" ? { verdict: "deny", effective } : {};
    journal.begin({ callId: call, session })(verdict);
  }
  vi.useRealTimers();
}

/** Its lines are of a second after the host's moment, in which everything was consented to. */
function journalOf(host: TestHost) {
  vi.useFakeTimers({ toFake: ["Date"], now: host.now().getTime() + 1_000 });
  return newJournal(openProjectKey(host), host.drwnHome);
}

async function found(host: TestHost) {
  const { overruled, unseen, sessions, gaps, found } = await checkLog(host, {});
  return {
    overruled: overruled.map(({ id }) => id),
    unseen: unseen.map(({ id, subagent }) => (subagent ? `${id} of a subagent` : id)),
    sessions: sessions.map(({ session, calls }) => [session, calls]),
    gaps: gaps.map(({ what, count }) => `${what} (${count})`),
    found,
  };
}

const NOTHING = { overruled: [], unseen: [], sessions: [], gaps: [], found: false };

test("calls that the hook saw, and that did what it said, are nothing to tell of", async () => {
  const host = await guardedProject();
  note(host, { call: "toolu_1" }, { call: "toolu_2", effective: "deny" });
  transcribe(host, [
    { id: "toolu_1" },
    { id: "toolu_2", result: { is_error: true }, more: { toolDenialKind: "hook" } },
  ]);
  expect(await found(host)).toEqual(NOTHING);
});

test("a denied call that ran is told of", async () => {
  const host = await guardedProject();
  note(host, { call: "toolu_1", effective: "deny" });
  transcribe(host, [{ id: "toolu_1" }]);
  expect(await found(host)).toEqual({ ...NOTHING, overruled: ["toolu_1"], found: true });
});

test("a call that no hook ever saw is told of, a subagent's too, and a session without any hook", async () => {
  const host = await guardedProject();
  note(host, { call: "toolu_1" });
  transcribe(host, [{ id: "toolu_1" }, { id: "toolu_2", later: 5 }]);
  transcribe(host, [{ id: "toolu_3", more: { isSidechain: true } }], `${SESSION}/subagents/agent-a.jsonl`);
  transcribe(
    host,
    [
      { id: "toolu_4", session: "bare" },
      { id: "toolu_5", session: "bare" },
    ],
    "bare.jsonl",
  );
  expect(await found(host)).toEqual({
    ...NOTHING,
    unseen: ["toolu_4", "toolu_5", "toolu_3 of a subagent", "toolu_2"],
    sessions: [["bare", 2]],
    found: true,
  });
});

test.each<[string, Written]>([
  ["of a tool that no policy is asked about", { tool: "Read" }],
  ["from before anybody consented", { later: -86_400_000 * 400 }],
  ["of a session elsewhere", { cwd: "/somewhere/else" }],
  ["that was refused", { result: { is_error: true }, more: { toolDenialKind: "user-rejected" } }],
])("a call %s is not missed", async (_, call) => {
  const host = await guardedProject();
  transcribe(host, [call]);
  expect(await found(host)).toEqual(NOTHING);
});

test("of two calls with one id each needs an answer of its own", async () => {
  const host = await guardedProject();
  note(host, { call: "toolu_1" });
  transcribe(host, [{ id: "toolu_1" }, { id: "toolu_1", later: 5 }]);
  expect((await found(host)).unseen).toEqual(["toolu_1"]);
});

test("an answer of another session, or of long ago, stands for no call with the same id", async () => {
  const host = await guardedProject();
  note(host, { call: "toolu_1", session: "another" }, { call: "toolu_2" });
  transcribe(host, [{ id: "toolu_1" }, { id: "toolu_2", later: 3_600_000 * 2 }]);
  expect((await found(host)).unseen).toEqual(["toolu_1", "toolu_2"]);
});

test("a session that goes on from another one repeats its calls, which are not missed", async () => {
  const host = await guardedProject();
  note(host, { call: "toolu_1" });
  transcribe(host, [{ id: "toolu_1" }]);
  transcribe(host, [{ id: "toolu_1", session: "forked" }], "z-forked.jsonl");
  expect(await found(host)).toEqual(NOTHING);
});

/** What Copilot CLI writes down of commands, each with when it was begun and when it had ended; it tells hooks of no ids. */
function transcribeCopilot(host: TestHost, calls: readonly CopilotCall[]): void {
  const at = (later: number) => new Date(host.now().getTime() + 1_000 + later).toISOString();
  const line = (type: string, later: number, data: object) =>
    `${JSON.stringify({ type, timestamp: at(later), data })}\n`;
  const begun = { sessionId: SESSION, version: 1, copilotVersion: "1.0.102", context: { cwd: host.cwd } };
  const lines = calls.flatMap(({ id, from, to, tool = "bash", isDenied = false }) => {
    const end = isDenied ? { success: false, error: { code: "denied" } } : { success: true };
    return [
      line("tool.execution_start", from, { toolCallId: id, toolName: tool, arguments: { command: "ls", input: "ls" } }),
      line("tool.execution_complete", to, { toolCallId: id, ...end }),
    ];
  });
  const place = path.join(host.home, ".copilot/session-state", SESSION, "events.jsonl");
  fs.mkdirSync(path.dirname(place), { recursive: true });
  fs.writeFileSync(place, line("session.start", 0, begun) + lines.join(""));
  const future = new Date(host.now().getTime() + 3_600_000);
  fs.utimesSync(place, future, future);
}

interface CopilotCall {
  id: string;
  from: number;
  to: number;
  tool?: string;
  isDenied?: boolean;
}

/** What the hook answered in Copilot CLI, milliseconds after the first line of the session. */
function noteCopilot(
  host: TestHost,
  answers: readonly (readonly [later: number, effective: string, tool?: string])[],
): void {
  const journal = journalOf(host);
  for (const [later, effective, tool = "Bash"] of answers) {
    vi.setSystemTime(host.now().getTime() + 1_000 + later);
    const end = effective === "deny" ? ({ verdict: "deny", effective } as const) : {};
    journal.begin({ runtime: "copilot-cli", tool, session: SESSION })(end);
  }
  vi.useRealTimers();
}

const ONE = { id: "one", from: 0, to: 5_000 };

describe("calls of an agent that tells hooks of no ids", () => {
  test.each<[string, Parameters<typeof noteCopilot>[1], CopilotCall[], object]>([
    ["a call that the hook saw", [[10, "allow"]], [ONE], {}],
    [
      "two at once, of which it denied one",
      [
        [10, "deny"],
        [20, "allow"],
      ],
      [ONE, { id: "two", from: 0, to: 5_000, isDenied: true }],
      {},
    ],
    ["a denied call that ran", [[10, "deny"]], [ONE], { overruled: ["one"], found: true }],
    [
      "a denied call that ran, behind one that was allowed",
      [
        [10, "allow"],
        [10_010, "deny"],
      ],
      [ONE, { id: "two", from: 10_000, to: 15_000 }],
      { overruled: ["two"], found: true },
    ],
    [
      "an answer from before the call",
      [[10, "allow"]],
      [{ id: "one", from: 10_000, to: 15_000 }],
      { unseen: ["one"], sessions: [[SESSION, 1]], found: true },
    ],
    [
      "a call of a tool that comes to a command",
      [],
      [{ ...ONE, tool: "write_bash" }],
      { unseen: ["one"], sessions: [[SESSION, 1]], found: true },
    ],
    ["the same, seen by the hook", [[10, "allow", "write_bash"]], [{ ...ONE, tool: "write_bash" }], {}],
  ])("%s", async (_, answers, calls, difference) => {
    const host = await guardedProject();
    noteCopilot(host, answers);
    transcribeCopilot(host, calls);
    expect(await found(host)).toEqual({ ...NOTHING, ...difference });
  });
});

test("a transcript of a later version is told of, and not guessed at", async () => {
  const host = await guardedProject();
  transcribe(host, [{ version: "3.0.0" }]);
  const gaps = ["is of Claude Code 3.0.0, whose format isn't known (2)"];
  expect(await found(host)).toEqual({ ...NOTHING, gaps });
});

test("what is no transcript, or cannot be looked into, is told of; what is beside it is still looked at", async () => {
  const host = await guardedProject();
  transcribe(host, [{}]);
  const place = path.join(host.home, ".claude/projects");
  const binary = path.join(place, "-project/binary.jsonl");
  fs.writeFileSync(binary, Buffer.from([0, 1, 255, 10, 0, 10]));
  const future = new Date(host.now().getTime() + 3_600_000);
  fs.utimesSync(binary, future, future);
  fs.mkdirSync(path.join(place, "-project/folder.jsonl"));
  fs.symlinkSync("/dev/zero", path.join(place, "-project/endless.jsonl"));
  fs.symlinkSync("circle.jsonl", path.join(place, "-project/circle.jsonl"));
  fs.symlinkSync(host.home, path.join(place, "home"));
  for (const file of [".codex/sessions", ".local/share/opencode"]) {
    fs.mkdirSync(path.dirname(path.join(host.home, file)), { recursive: true });
    fs.writeFileSync(path.join(host.home, file), "");
  }
  const { gaps, unseen } = await checkLog(host, {});
  const told = gaps.map(({ file, what, count }) => `${path.basename(file)} ${what.slice(0, 20)} (${count})`);
  // Whether a device is newer than the consent, nobody can say.
  expect(told.filter((one) => !one.startsWith("endless"))).toEqual([
    "binary.jsonl isn't JSON (2)",
    "circle.jsonl cannot be read: ELOO (1)",
    "home is a link to a folde (1)",
    "sessions cannot be read: ENOT (1)",
    "opencode cannot be read: ENOT (1)",
  ]);
  expect(unseen).toHaveLength(1);
});

test("the command exits with 3 when something is found, and text of a transcript cannot act on the terminal", async () => {
  const host = await guardedProject();
  const before = await runCommand(host, Log, "--check");
  expect([before.exitCode, before.stdout.includes("The hook saw every call")]).toEqual([0, false]);
  transcribe(host, [{ id: "toolu_\u001b[2J", tool: "Bash" }]);
  const { exitCode, stdout } = await runCommand(host, Log, "--check");
  expect([exitCode, stdout.includes("\u001b[2J")]).toEqual([3, false]);
  expect(stdout).toContain("1 call ran that no hook ever saw:");
});

test("a transcript is left as it was", async () => {
  const host = await guardedProject();
  transcribe(host, [{}]);
  const file = path.join(host.home, ".claude/projects/-project", `${SESSION}.jsonl`);
  const before = [fs.readFileSync(file, "utf8"), fs.statSync(file).mtimeMs];
  await checkLog(host, {});
  expect([fs.readFileSync(file, "utf8"), fs.statSync(file).mtimeMs]).toEqual(before);
});

describe("status, which looks at the end of the newest sessions", () => {
  const firstLine = async (host: TestHost) => {
    const { stdout, exitCode } = await runCommand(host, Status, "--check");
    return { line: stdout.split("\n")[0] ?? "", code: exitCode };
  };

  test("says in its first line that calls ran without the hook, how many, when, and what to run", async () => {
    const host = await guardedProject();
    note(host, { call: "toolu_1" });
    transcribe(host, [{ id: "toolu_1" }, { id: "toolu_2", later: 5 }, { id: "toolu_3", tool: "Monitor", later: 9 }]);
    const { line, code } = await firstLine(host);
    expect(line).toMatch(
      /^NOT GUARDED in Claude Code: in the last sessions 2 calls ran without asking the hook, the last one at .*Z, of Monitor\. Run: drwn log --check$/u,
    );
    expect(code).toBe(3);
  });

  test("says that a denied call ran", async () => {
    const host = await guardedProject();
    note(host, { call: "toolu_1", effective: "deny" });
    transcribe(host, [{ id: "toolu_1" }]);
    const { line, code } = await firstLine(host);
    expect(line).toContain(
      "NOT GUARDED in Claude Code: in the last sessions 1 call that a policy denied ran all the same",
    );
    expect(code).toBe(3);
  });

  test.each<[string, (host: TestHost) => void]>([
    ["the hook saw every call", (host) => transcribe(host, [{ id: "toolu_1" }])],
    [
      "a call was refused",
      (host) => transcribe(host, [{ id: "toolu_9", result: { is_error: true }, more: { toolDenialKind: "hook" } }]),
    ],
    ["a call of a tool that no policy wants ran", (host) => transcribe(host, [{ id: "toolu_9", tool: "TodoWrite" }])],
    ["the call was in another folder", (host) => transcribe(host, [{ id: "toolu_9", cwd: "/elsewhere" }])],
    ["the call was before the last write", (host) => transcribe(host, [{ id: "toolu_9", later: -60_000 }])],
    ["the file is garbage", (host) => transcribe(host, [{ id: "toolu_9", version: "3" }])],
  ])("says Guarded if %s", async (_, record) => {
    const host = await guardedProject();
    note(host, { call: "toolu_1" });
    record(host);
    expect(await firstLine(host)).toEqual({ line: "Guarded: Claude Code", code: 0 });
  });

  test("reads no more than the last 512 kB of a session, where the journal is as long", async () => {
    const host = await guardedProject();
    note(host, ...Array.from({ length: 50 }, (_, at) => ({ call: `toolu_${at}` })));
    const padded = (id: string) => ({ id, more: { padding: "x".repeat(30_000) } });
    const calls = Array.from({ length: 50 }, (_, at) => padded(`toolu_${at}`));
    transcribe(host, [padded("toolu_early"), ...calls]);
    expect((await firstLine(host)).line).toBe("Guarded: Claude Code");
    transcribe(host, [...calls, padded("toolu_late")]);
    expect((await firstLine(host)).line).toContain("1 call ran without asking the hook");
  });

  test("reads more of a session whose last result is longer than that", async () => {
    const host = await guardedProject();
    note(host, { call: "toolu_1" });
    transcribe(host, [{ id: "toolu_1" }, { id: "toolu_2", later: 5 }]);
    const file = path.join(host.home, ".claude/projects/-project", `${SESSION}.jsonl`);
    const picture = { type: "progress", data: "x".repeat(900_000) };
    fs.appendFileSync(file, `${JSON.stringify(picture)}\n`);
    expect((await firstLine(host)).line).toContain("1 call ran without asking the hook");
  });
});
