import { describe, expect, test } from "vitest";
import {
  isAwaited,
  POLYTOKEN_HOOK_EVENTS,
  type PolytokenEvent,
} from "../../../../src/dialects/polytoken/words/events.ts";
import { isRunning } from "../../../support/processes.ts";
import { sweep } from "../../../support/sweep.ts";
import { answerOf, contextOf, hook, outcomeOf, polytokenWorld } from "../world.ts";

type Case = [number: string, event: PolytokenEvent, outcome: object, proceeds: boolean];

const GIVEN: Case[] = [
  ["43, 60", "pre_tool_use", { outcome: "deny", reason: "r" }, false],
  ["43", "pre_tool_use", { outcome: "allow" }, true],
  ["44, 66", "pre_user_prompt", { outcome: "accept", additional_context: "c" }, true],
  ["44, 61", "pre_user_prompt", { outcome: "reject", reason: "r" }, false],
  ["45, 66", "pre_model_turn", { outcome: "proceed", additional_context: "c" }, true],
  ["45, 62", "pre_model_turn", { outcome: "retry", reason: "r" }, false],
  ["46", "stop", { outcome: "stop" }, true],
  ["46, 63", "stop", { outcome: "continue", reason: "r" }, false],
  ["47, 67", "pre_compaction", { outcome: "allow", prepend_to_prompt: "c" }, true],
  ["47, 64", "pre_compaction", { outcome: "cancel", reason: "r" }, false],
  ["47, 58, 65", "pre_compaction", { outcome: "suppress" }, false],
  ["48, 66, 68", "session_start", { outcome: "allow", additional_context: "c" }, true],
  ["49, 67, 68", "post_compaction", { outcome: "allow", append_to_output: "c" }, true],
  ["50", "notification", { outcome: "allow" }, true],
  ["50, 65", "notification", { outcome: "suppress", reason: "r" }, false],
  ["58", "notification", { outcome: "suppress" }, false],
  ["51", "pre_tool_use", { outcome: "deny", reason: "r", stdout: "o", stderr: "e" }, false],
  ["51", "pre_user_prompt", { outcome: "reject", reason: "r", stdout: "o", stderr: "e" }, false],
  ["51", "pre_model_turn", { outcome: "retry", reason: "r", stdout: "o" }, false],
  ["51", "stop", { outcome: "continue", reason: "r", stderr: "e" }, false],
];

describe("what a handler prints", () => {
  test.each(sweep(GIVEN, 12))("%s: %s takes %j; the action proceeds: %s", async (_, event, outcome, proceeds) => {
    expect(await answerOf(event, `echo '${JSON.stringify(outcome)}'`)).toMatchObject({ outcome, proceeds });
  });

  test.each<[string, PolytokenEvent, unknown, string]>([
    ["52", "pre_compaction", { outcome: "cancel", reason: "r", stdout: "o" }, 'unknown field "stdout"'],
    ["52", "pre_compaction", { outcome: "suppress", stderr: "e" }, 'unknown field "stderr"'],
    ["52", "pre_tool_use", { outcome: "allow", stdout: "o" }, 'unknown field "stdout"'],
    ["53", "stop", { outcome: "deny", reason: "r" }, 'stop has no outcome "deny"'],
    ["53", "pre_tool_use", { outcome: "proceed" }, 'no outcome "proceed"'],
    ["53", "pre_tool_use", { outcome: "toString" }, 'no outcome "toString"'],
    ["54", "pre_tool_use", { outcome: "allow", reason: "careful" }, 'unknown field "reason"'],
    ["54", "pre_tool_use", { outcome: "allow", additional_context: "c" }, "unknown field"],
    ["54", "stop", { outcome: "error", message: "m", reason: "r" }, 'unknown field "reason"'],
    ["55", "pre_tool_use", { reason: "r" }, "has no `outcome`"],
    ["55", "pre_tool_use", { outcome: 3 }, "has no `outcome`"],
    ["56", "pre_tool_use", "all is well", "something other than one JSON object"],
    ["56", "pre_tool_use", [{ outcome: "allow" }], "something other than one JSON object"],
    [
      "56",
      "pre_tool_use",
      '{"outcome":"allow"}\n{"outcome":"deny","reason":"r"}',
      "something other than one JSON object",
    ],
    ["56", "pre_tool_use", '{"outcome":"deny","reason":"r","reason":"s"}', "names a field twice"],
    ["57", "pre_tool_use", { outcome: "deny", reason: 3 }, '"reason" that isn\'t text'],
    ["57", "pre_tool_use", { outcome: "deny", reason: null }, '"reason" that isn\'t text'],
    ["71", "pre_tool_use", { outcome: "error", message: "cannot tell" }, "cannot tell"],
    ["71", "pre_tool_use", { outcome: "error" }, "it gave no message"],
  ])("%s: on %s %j is an error", async (_, event, printed, message) => {
    const { outcome, ...rest } = await outcomeOf(event, printed);
    expect(outcome).toBe("error");
    expect(JSON.stringify(rest)).toContain(JSON.stringify(message).slice(1, -1));
  });

  test.each<[PolytokenEvent, string]>([
    ["pre_tool_use", "deny"],
    ["pre_user_prompt", "reject"],
    ["pre_model_turn", "retry"],
    ["stop", "continue"],
    ["pre_compaction", "cancel"],
  ])("59: on %s %s without a reason gets one", async (event, tag) => {
    expect(await outcomeOf(event, { outcome: tag })).toEqual({
      outcome: tag,
      reason: `the hook answered ${tag} and gave no reason`,
    });
  });
});

const CLOSED: PolytokenEvent[] = ["pre_tool_use", "pre_model_turn", "stop", "pre_compaction"];
const OPEN: PolytokenEvent[] = ["pre_user_prompt", "notification", "post_compaction", "session_start"];

describe("errors", () => {
  test.each(CLOSED)("72: an error on %s stops the action", async (event) => {
    expect(await answerOf(event, "echo broken >&2; exit 1")).toMatchObject({
      proceeds: false,
      outcome: { outcome: "error", message: "hook h: it exited with code 1: broken" },
      firings: [{ verdict: "error" }],
    });
  });

  test.each(OPEN)("73, 74: an error on %s lets the action proceed, and is told", async (event) => {
    const { proceeds, outcome, firings } = await answerOf(event, "exit 1");
    expect({ proceeds, outcome }).toEqual({ proceeds: true, outcome: (await answerOf(event, "exit 0")).outcome });
    expect(firings).toMatchObject([{ hook: "h", line: 2, verdict: "error" }]);
  });

  test.each(POLYTOKEN_HOOK_EVENTS.filter((event) => !isAwaited(event)))(
    "69, 75: on %s it is told and nothing else",
    async (event) => {
      const { proceeds, settled } = await answerOf(event, "exit 3");
      expect(proceeds).toBe(true);
      expect(await settled).toMatchObject([{ verdict: "error", outcome: { message: "it exited with code 3" } }]);
    },
  );

  test("70, 71: what a hook prints on an event that is over has no effect, but for an error, which is told", async () => {
    const [ignored, told] = await Promise.all([
      answerOf("post_tool_use", 'echo \'{"outcome":"deny","reason":"r"}\''),
      answerOf("post_tool_use", 'echo \'{"outcome":"error","message":"m"}\''),
    ]);
    expect(await ignored.settled).toMatchObject([{ outcome: { outcome: "acknowledged" } }]);
    expect(await told.settled).toMatchObject([{ outcome: { outcome: "error", message: "m" } }]);
  });

  test("76: a hook that is late is an error, and is gone with all that it started, whatever signal they ignore", async () => {
    const { load, read } = polytokenWorld({
      project: [
        hook(
          "pre_tool_use",
          "trap '' TERM INT HUP; (trap '' TERM; sleep 31.4; :) & echo $$ $! > pids; wait; sleep 31.4",
        ),
      ],
    });
    const { proceeds, outcome } = await load({ timeoutMs: 2_000 }).dispatch("pre_tool_use", { tool_name: "x" });
    expect({ proceeds, outcome }).toEqual({
      proceeds: false,
      outcome: { outcome: "error", message: "hook h: it did not finish in time and was stopped" },
    });
    const pids = (read("pids") ?? "").trim().split(" ").map(Number);
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  test("76: so is one that has ended, and left something behind that holds its output", async () => {
    const { load, read } = polytokenWorld({ project: [hook("pre_tool_use", "sleep 31.4 & echo $! > pid; exit 0")] });
    const { outcome } = await load({ timeoutMs: 2_000 }).dispatch("pre_tool_use", { tool_name: "x" });
    expect(outcome).toMatchObject({ outcome: "error" });
    await expect.poll(() => isRunning(Number(read("pid")))).toBe(false);
  });

  test("77: death by a signal, and a shell that is not there, are errors", async () => {
    expect((await answerOf("pre_tool_use", "kill -9 $$")).outcome).toMatchObject({
      message: "hook h: it was ended by SIGKILL",
    });
    const { load } = polytokenWorld({ project: [hook("pre_tool_use", "exit 0")] });
    const nowhere = await load({ env: { PATH: "/nowhere" } }).dispatch("pre_tool_use", { tool_name: "x" });
    expect(nowhere).toMatchObject({ proceeds: false, outcome: { outcome: "error" } });
    expect(JSON.stringify(nowhere.outcome)).toContain("it cannot be started");
  });

  test("a hook that prints without end, or never reads, keeps nobody waiting", async () => {
    const tool = { tool_name: "x", input: { content: "x".repeat(1_000_000) } };
    const much = polytokenWorld({ project: [hook("pre_tool_use", "head -c 100000000 /dev/zero")] }).load();
    expect((await much.dispatch("pre_tool_use", tool)).outcome).toMatchObject({
      message: "hook h: it printed more than is read",
    });
    const deaf = polytokenWorld({ project: [hook("pre_tool_use", "exec <&-; exit 0")] }).load();
    expect((await deaf.dispatch("pre_tool_use", tool)).outcome).toEqual({ outcome: "allow" });
  });
});

describe("exit codes", () => {
  test.each<[PolytokenEvent, string]>([
    ["session_start", "allow"],
    ["pre_user_prompt", "accept"],
    ["pre_model_turn", "proceed"],
    ["pre_tool_use", "allow"],
    ["stop", "stop"],
    ["pre_compaction", "allow"],
    ["post_compaction", "allow"],
    ["notification", "allow"],
    ["post_tool_use", "acknowledged"],
  ])("78: on %s exit 0 without output is %s", async (event, outcome) => {
    expect((await answerOf(event, "cat > /dev/null; echo")).outcome).toEqual({ outcome });
  });

  test.each<[PolytokenEvent, object]>([
    ["pre_tool_use", { outcome: "deny", reason: "why", stdout: "why", stderr: "more" }],
    ["pre_user_prompt", { outcome: "reject", reason: "why", stdout: "why", stderr: "more" }],
    ["pre_model_turn", { outcome: "retry", reason: "why", stdout: "why", stderr: "more" }],
    ["stop", { outcome: "continue", reason: "why", stdout: "why", stderr: "more" }],
    ["pre_compaction", { outcome: "cancel", reason: "why" }],
  ])("79: on %s exit 2 is %j", async (event, outcome) => {
    expect(await answerOf(event, "echo why; echo more >&2; exit 2")).toMatchObject({ proceeds: false, outcome });
  });

  test.each(["session_start", "post_compaction", "notification"] as const)(
    "80, 81: on %s exit 2 is an error, and the action proceeds",
    async (event) => {
      const { proceeds, firings } = await answerOf(event, "echo why; exit 2");
      expect({ proceeds, firings }).toMatchObject({ proceeds: true, firings: [{ verdict: "error" }] });
    },
  );

  test("82: on an event that is over exit 2 is an error that is told", async () => {
    expect(await (await answerOf("post_tool_use", "exit 2")).settled).toMatchObject([{ verdict: "error" }]);
  });

  test.each([1, 3, 126, 127, 255])("83: exit %i is an error with what the script printed to stderr", async (code) => {
    const { outcome } = await answerOf("pre_tool_use", `echo '{"outcome":"allow"}'; echo why >&2; exit ${code}`);
    expect(outcome).toEqual({ outcome: "error", message: `hook h: it exited with code ${code}: why` });
  });

  test("84: the reason of exit 2 is what the script printed, to stdout or to stderr", async () => {
    expect((await answerOf("pre_tool_use", "echo why; exit 2")).outcome).toMatchObject({ reason: "why" });
    expect((await answerOf("pre_tool_use", "echo why >&2; exit 2")).outcome).toMatchObject({ reason: "why" });
    expect((await answerOf("pre_tool_use", "exit 2")).outcome).toMatchObject({
      reason: "the hook answered deny and gave no reason",
    });
  });
});

describe("several hooks", () => {
  const run = (name: string, bash: string) => hook("pre_user_prompt", `echo ${name} >> ran; ${bash}`, { name });
  const adds = (text: string) => `echo '{"outcome":"accept","additional_context":"${text}"}'`;

  async function runAll(...hooks: object[]) {
    const { load, read } = polytokenWorld({ global: hooks.slice(0, 1), project: hooks.slice(1) });
    return { dispatched: await load().dispatch("pre_user_prompt", contextOf("pre_user_prompt")), ran: read("ran") };
  }

  test("their texts are joined in the order of the files; one that fails open is passed over", async () => {
    const { dispatched, ran } = await runAll(run("a", adds("one")), run("b", "exit 1"), run("c", adds("two")));
    expect(dispatched.outcome).toEqual({ outcome: "accept", additional_context: "one\ntwo" });
    expect(ran).toBe("a\nb\nc\n");
  });

  test("the first that stops ends the chain", async () => {
    const { dispatched, ran } = await runAll(run("a", adds("one")), run("b", "echo no; exit 2"), run("c", "exit 0"));
    expect(dispatched.outcome).toMatchObject({ outcome: "reject", reason: "no" });
    expect(dispatched.firings.map(({ verdict }) => verdict)).toEqual(["allowed", "blocked"]);
    expect(ran).toBe("a\nb\n");
  });
});
