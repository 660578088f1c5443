import { describe, expect, test } from "vitest";
import { type Compared, type ComparedSystem, compare } from "../dialects/compare.ts";
import { POLYTOKEN } from "../dialects/polytoken/compared.ts";
import { hook } from "../dialects/polytoken/world.ts";

type Event = readonly [event: string, input?: object];

const STOP: Event = ["stop", { response: "done" }];
const PROMPT: Event = ["pre_user_prompt", { prompt: "go on" }];
const call = (tool: string, input: object): Event => ["pre_tool_use", { tool_name: tool, input }];
const CONTINUES = hook("stop", `echo '{"outcome":"continue","reason":"run the tests"}'`, { name: "tests" });

/** A session of Claude Code isn't one of Polytoken, and neither are its turns. */
const APART: ComparedSystem = {
  ...POLYTOKEN,
  toClaude: (told) => POLYTOKEN.toClaude({ ...told, input: { ...told.input, session_id: "another" } }),
};

async function asked(hooks: unknown, told: readonly Event[], system = POLYTOKEN) {
  return await compare(system, {
    files: { ".polytoken/hooks.json": JSON.stringify(hooks) },
    place: ".polytoken/hooks.json",
    told: told.map(([event, input = {}]) => ({ event, input: { session_id: "s", ...input } })),
  });
}

const ends = (compared: readonly Compared[], way: "claude" | "direct" | "own") =>
  compared.filter(({ told }) => told.event !== "pre_user_prompt").map((one) => one[way]?.ends);
const many = (count: number, end: string) => Array(count).fill(end);

describe("a hook on the end of a turn, as a card", () => {
  test("keeps every turn going, however many there were, where a prompt stands between", async () => {
    const told = Array.from({ length: 9 }, () => [STOP, PROMPT]).flat();
    const { compared } = await asked([CONTINUES], told, APART);
    for (const way of ["direct", "own", "claude"] as const) expect(ends(compared, way)).toEqual(many(9, "held"));
    expect(compared.at(-2)).toMatchObject({ direct: { reason: "run the tests" }, own: { reason: "run the tests" } });
  });

  test("keeps one turn going eight times in Polytoken, and says so at import and at write", async () => {
    const { compared, report, written } = await asked([CONTINUES], Array(10).fill(STOP), APART);
    expect(ends(compared, "direct")).toEqual(many(10, "held"));
    expect(ends(compared, "own")).toEqual([...many(8, "held"), "proceeds", "held"]);
    const limit = "it keeps a turn going 8 times in a row at most, and once where";
    expect(report.differences.map(({ what }) => what)).toContain(`${limit} its script fails`);
    const ofEvents = written.findings.filter(({ code }) => code === "event-coverage");
    expect(ofEvents.map(({ message }) => message)).toEqual([expect.stringContaining(`; ${limit} it fails`)]);
  });

  test("keeps each turn going once where it fails", async () => {
    const told = [STOP, STOP, PROMPT, STOP, PROMPT, STOP, STOP];
    const { compared } = await asked([hook("stop", "exit 1")], told, APART);
    expect(ends(compared, "direct")).toEqual(many(5, "held"));
    expect(ends(compared, "own")).toEqual(["held", "proceeds", "held", "held", "proceeds"]);
    expect(ends(compared, "claude")).toEqual(many(5, "held"));
  });
});

test("a hook before a model's turn that fails ends it with an error, as it does directly, and is no retry", async () => {
  const { compared } = await asked([hook("pre_model_turn", "echo gone >&2; exit 1")], [["pre_model_turn"]]);
  expect(compared).toMatchObject([
    { direct: { ends: "held", reason: expect.stringContaining("gone") }, own: { ends: "held" } },
  ]);
  expect(compared[0]?.own.reason).toMatch(/^hook drwn-model-before: .*gone/u);
});

test("what a script prints beside its reason is part of it", async () => {
  const scripts = [
    "echo out; echo err >&2; exit 2",
    "echo err >&2; exit 2",
    `echo '{"outcome":"deny","reason":"r","stdout":"o","stderr":"e"}'`,
  ];
  for (const bash of scripts) {
    const { compared } = await asked([hook("pre_tool_use", bash)], [call("shell_exec", { command: "ls" })]);
    const [one] = compared;
    expect([one?.own, one?.claude]).toEqual([one?.direct, one?.direct]);
  }
});

const VARIABLES = 'env | grep ^POLYTOKEN_ | sed "s|$PWD|.|" | sort >> @TRACE@';

test("a script gets Polytoken's variables, and the session and the project where they are known", async () => {
  const hooks = [hook("pre_tool_use", VARIABLES), hook("session_start", VARIABLES, { name: "s" })];
  const { compared } = await asked(hooks, [call("shell_exec", { command: "ls" }), ["session_start"]]);
  for (const { direct, own, claude } of compared) {
    expect(direct.trace).toContain("POLYTOKEN_SESSION_ID=s\n");
    expect(direct.trace).toContain("POLYTOKEN_PROJECT_DIR=.\nPOLYTOKEN_PROJECT_PATH=.\n");
    expect([own.trace, claude?.trace]).toEqual([direct.trace, direct.trace]);
  }
});

describe("a hook on a tool's call, as a card", () => {
  test("means Polytoken's names, in every agent", async () => {
    const matchers = ["shell_*", "B*", "Bash", "file_edit_*", "{file_read,file_write}", "[s]hell_exec", "web_fetch"];
    const hooks = matchers.map((matcher) =>
      hook("pre_tool_use", `echo "${matcher} $POLYTOKEN_HOOK_MATCHER_SUBJECT" >> @TRACE@`, { name: matcher, matcher }),
    );
    const { compared, report } = await asked(hooks, [
      call("shell_exec", { command: "ls" }),
      call("file_edit_search_replace", { path: "a.md" }),
      call("file_read", { path: "a.md" }),
      call("web_fetch", { url: "https://a" }),
      call("mcp__a__b", {}),
    ]);
    const sorted = (trace = "") => trace.split("\n").toSorted();
    for (const { direct, own, claude } of compared) {
      expect([sorted(own.trace), sorted(claude?.trace)]).toEqual([sorted(direct.trace), sorted(direct.trace)]);
    }
    const said = report.differences.filter(({ policy }) => policy === "shell_*").map(({ what }) => what);
    expect(said).toContain("in other agents `Bash` is `shell_exec` to it; other tools go by their own names");
  });

  test("finds the file under Polytoken's name: the page's own guard stands in Claude Code", async () => {
    const bash =
      'test "$(sed \'s/.*"path":"\\([^"]*\\)".*/\\1/\')" = CHANGELOG.md && { echo \'it is generated\'; exit 2; }; exit 0';
    const hooks = [hook("pre_tool_use", bash, { matcher: "file_edit_search_replace" })];
    const { compared } = await asked(hooks, [call("file_edit_search_replace", { path: "CHANGELOG.md" })]);
    expect(compared).toMatchObject([{ direct: { ends: "held" }, own: { ends: "held" } }]);
    const claude = await compare(
      { ...POLYTOKEN, toClaude: ({ input }) => ({ event: "PreToolUse", input }) },
      {
        files: { ".polytoken/hooks.json": JSON.stringify(hooks) },
        place: ".polytoken/hooks.json",
        told: [{ event: "pre_tool_use", input: { tool_name: "Edit", tool_input: { file_path: "CHANGELOG.md" } } }],
      },
    );
    expect(claude.compared).toMatchObject([{ claude: { ends: "held", reason: "it is generated" } }]);
  });
});

test("a script reads the fields that Polytoken sends, under their names", async () => {
  const keep = "cat >> @TRACE@";
  const hooks = ["stop", "pre_compaction", "post_compaction", "subagent_start", "post_tool_use_failure"].map((event) =>
    hook(event, keep, { name: event }),
  );
  const { compared } = await asked(hooks, [
    ["stop", { response: "done", turn: 3, cwd: "/tmp" }],
    ["pre_compaction", { trigger: "auto" }],
    ["post_compaction", { summary: "short" }],
    ["subagent_start", { subagent_type: "explorer" }],
    ["post_tool_use_failure", { tool_name: "shell_exec", input: { command: "ls" }, error: "bad", call_id: "c1" }],
  ]);
  for (const { direct, own, claude } of compared) {
    expect(JSON.parse(own.trace)).toEqual(JSON.parse(direct.trace));
    const { cwd: _, turn: __, call_id: ___, ...fields } = JSON.parse(direct.trace);
    expect(JSON.parse(claude?.trace ?? "")).toMatchObject(fields);
  }
});
