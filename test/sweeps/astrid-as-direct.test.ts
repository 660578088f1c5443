import { expect, test } from "vitest";
import { ASTRID } from "../dialects/astrid/compared.ts";
import { hookToml } from "../dialects/astrid/world.ts";
import { type Compared, compare, type Told } from "../dialects/compare.ts";
import { sweep } from "../support/sweep.ts";

type Fields = Readonly<Record<string, unknown>>;

const fire = (event: string, data: Fields): Told => ({ event, input: { event, data } });
const call = (tool_name: string, server_name = "builtin", input: object = { command: "ls" }): Told =>
  fire("pre_tool_call", { tool_name, server_name, arguments: input });

/** What happens to the events with these hooks, each in its own folder. */
async function ask(hooks: Readonly<Record<string, string>>, told: Told[]): Promise<Compared[]> {
  const files = Object.entries(hooks).map(([name, toml]) => [`.astrid/hooks/${name}/HOOK.toml`, toml]);
  return (await compare(ASTRID, { files: Object.fromEntries(files), place: ".astrid", told })).compared;
}

/** What the scripts were told, without what is new each time. */
function seenBy(way: { trace: string } | undefined): unknown[] {
  const lines = (way?.trace ?? "").split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const { event, data, previous_results, user_id } = JSON.parse(line);
    return { event, data, previous_results, user_id };
  });
}

const SEE = "cat >> @TRACE@; echo >> @TRACE@;";

test("2: server_names and what scripts are told are as in Astrid", async () => {
  const seen = hookToml(`${SEE} exit 1`, {
    matcher: { type: "server_names", names: ["git"] },
    fail_action: "block",
    name: "git",
  });
  const compared = await ask({ seen }, [call("status", "git"), call("status", "svn"), call("shell")]);
  for (const { direct, own, claude } of compared) {
    expect([own.ends, claude?.ends]).toEqual([direct.ends, direct.ends]);
    expect([seenBy(own), seenBy(claude)]).toEqual([seenBy(direct), seenBy(direct)]);
  }
  expect(compared.map(({ direct }) => direct.ends)).toEqual(["held", "proceeds", "proceeds"]);
});

test("1: matchers and scripts know tools by Astrid's own names, in Claude Code too", async () => {
  const shell = hookToml(`${SEE} echo 'block: no'`, { matcher: { type: "tool_names", names: ["shell"] } });
  const capital = hookToml("echo 'block: B'", { matcher: { type: "glob", pattern: "B*" } });
  const compared = await ask({ shell, capital }, [call("shell"), call("Brave"), call("Read")]);
  for (const { direct, own, claude } of compared) {
    expect([own, claude]).toMatchObject([
      { ...direct, trace: own.trace },
      { ...direct, trace: claude?.trace },
    ]);
    expect([seenBy(own), seenBy(claude)]).toEqual([seenBy(direct), seenBy(direct)]);
  }
  expect(compared.map(({ direct }) => direct.reason)).toEqual(["no", "B", ""]);
});

const RESULT = (fields: object) => `echo '${JSON.stringify(fields)}'`;
const MODIFY = (command: string) => RESULT({ action: "continue_with", modifications: { arguments: { command } } });

test("9, 10: an ask comes before modifications, and hooks of one event may modify in turn", async () => {
  const [{ direct, own, claude } = expect.fail()] = await ask(
    {
      a: hookToml(MODIFY("a"), { priority: 1 }),
      b: hookToml(RESULT({ action: "ask", question: "sure?" }), { priority: 2 }),
    },
    [call("shell")],
  );
  expect([direct, own, claude]).toMatchObject(Array(3).fill({ ends: "asked", reason: "sure?" }));

  const [turns = expect.fail()] = await ask(
    { a: hookToml(MODIFY("a"), { priority: 1 }), b: hookToml(`${SEE} ${MODIFY("b")}`, { priority: 2 }) },
    [call("shell")],
  );
  expect(turns.direct.changed).toMatchObject({ arguments: { command: "b" } });
  expect(turns.claude).toMatchObject({ ends: "proceeds", changed: { command: "b" } });
  // No known version of Astrid heeds it.
  expect(turns.own).toMatchObject({ ends: "held", reason: expect.stringContaining("would change the input") });
  expect(seenBy(turns.claude)).toEqual(seenBy(turns.direct));
});

const DATA: Readonly<Record<string, Fields>> = {
  session_start: { source: "startup" },
  session_end: { reason: "other" },
  session_reset: {},
  user_prompt: { input: "hello" },
  prompt_build: { prompt: "hello" },
  model_resolve: { model: "m", provider: "p" },
  message_received: { content: "c" },
  message_send: { content: "c" },
  message_sent: { content: "c" },
  agent_loop_end: { response: "r" },
  post_tool_call: { tool_name: "status", server_name: "git", is_error: false, arguments: { a: 1 }, result: "r" },
  tool_error: { tool_name: "shell", server_name: "builtin", is_error: true, arguments: { a: 1 }, error: "e" },
  tool_result_persist: { tool_name: "shell", server_name: "builtin", result: "r" },
  pre_approval: { tool_name: "shell", server_name: "builtin", arguments: { command: "ls" } },
  post_approval: { tool_name: "shell", server_name: "builtin", arguments: {}, decision: "yes" },
  pre_compact: { trigger: "auto" },
  post_compact: { summary: "s" },
  subagent_start: { subagent_type: "t" },
  subagent_stop: { subagent_type: "t", result: "r" },
  notification: { message: "m" },
  kernel_start: {},
  kernel_stop: {},
};
/** Events that drwn cannot hold in any agent. */
const WATCHED = [
  "session_start session_end prompt_build message_received message_sent agent_loop_end post_tool_call tool_error",
  "tool_result_persist post_approval post_compact subagent_start kernel_start kernel_stop",
].flatMap((line) => line.split(" "));

const EVENTS = Object.keys(DATA);
const PARTS = [EVENTS.slice(0, 8), EVENTS.slice(8, 15), EVENTS.slice(15)];

test.each(sweep(PARTS, 1))(
  "7: hooks on every event are asked in Astrid, and told what they are told there: %s, …",
  {
    timeout: 200_000,
  },
  async (...events) => {
    const hooks = events.map((event) => [event, hookToml(`${SEE} echo 'block: ${event}'`, { event, name: event })]);
    const compared = await ask(
      Object.fromEntries(hooks),
      events.map((event) => fire(event, DATA[event] ?? {})),
    );
    for (const { told, direct, own } of compared) {
      expect([told.event, seenBy(own)]).toEqual([told.event, seenBy(direct)]);
      expect([told.event, own.ends]).toEqual([told.event, WATCHED.includes(told.event) ? "proceeds" : "held"]);
      if (own.ends === "held") expect(own.reason).toBe(direct.reason);
    }
  },
);
