import { describe, expect, test } from "vitest";
import { codex } from "../../../src/agents/codex/adapter.ts";
import { BrokenEvent } from "../../../src/hook-base/read-input.ts";

const PATCH = `*** Begin Patch
*** Add File: new.txt
+hello
*** Update File: src/../old.txt
*** Move to: /abs/moved.txt
@@
 same
-was
+is
*** Delete File: gone.txt
*** End Patch`;

const call = (tool_name: string, tool_input: unknown) => ({
  hook_event_name: "PreToolUse",
  tool_name,
  tool_input,
  cwd: "/p",
  session_id: "s",
  turn_id: "t",
});

const say = (parts: Partial<Parameters<typeof codex.encode>[0]>) =>
  codex.encode({ action: "allow", reason: "", context: null, updatedInput: null, ...parts });

test("a shell call is one of Bash", () => {
  const event = codex.decode(call("Bash", { command: "ls" }), "pre-tool");
  expect(event).toMatchObject({ toolName: "Bash", aliases: [], views: [], input: { command: "ls" } });
  expect(event.rest).toEqual({ cwd: "/p", sessionId: "s", metadata: { turn_id: "t" } });
});

test.each(["exec_command", "shell", "local_shell"])("%s answers to Bash and to its own name", (tool) => {
  expect(codex.decode(call(tool, { command: "ls" }), "pre-tool")).toMatchObject({ toolName: "Bash", aliases: [tool] });
});

test("a patch is shown as the calls of Write and Edit that it comes to, a rename at both ends", () => {
  const event = codex.decode(call("apply_patch", { command: PATCH }), "pre-tool");
  expect(event.toolName).toBe("apply_patch");
  expect(event.views).toEqual([
    { toolName: "Write", aliases: ["Edit"], input: { file_path: "/p/new.txt", content: "hello" } },
    { toolName: "Edit", aliases: ["Write"], input: { file_path: "/p/old.txt", old_string: "was", new_string: "is" } },
    { toolName: "Write", aliases: ["Edit"], input: { file_path: "/abs/moved.txt", content: "is" } },
    { toolName: "Edit", aliases: ["Write"], input: { file_path: "/p/gone.txt", old_string: "", new_string: "" } },
  ]);
  expect(event.rest["metadata"]).toMatchObject({ tool_name: "apply_patch", tool_input: { command: PATCH } });
});

test.each([
  ["spaces before a header", "*** Begin Patch\n   *** Delete File: a\n*** End Patch"],
  ["carriage returns", "*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch"],
  ["a header at the very end", "*** Delete File: a"],
  ["spaces behind the name", "*** Begin Patch\n*** Delete File: a  \n*** End Patch"],
])("a patch with %s shows its file", (_, patch) => {
  const { views } = codex.decode(call("apply_patch", { command: patch }), "pre-tool");
  expect(views).toMatchObject([{ input: { file_path: "/p/a" } }]);
});

const filesOfCall = (tool: string, command: string): unknown[] => {
  const { views } = codex.decode(call(tool, { command }), "pre-tool");
  return views.map(({ input }) => (input as { file_path: string }).file_path);
};

test.each([
  ["a next line before a header", "*** Add File: b\n+x\n\u0085*** Add File: a\n+x", ["/p/b", "/p/a"]],
  ["a next line behind a name", "*** Add File: a\u0085\n+x", ["/p/a"]],
  ["other white space around a header", "\u000b\u3000*** Add File: a\u2003\u205f\n+x", ["/p/a"]],
  ["white space before a name, which not every agent keeps", "*** Add File:   a\n+x", ["/p/  a", "/p/a"]],
  ["a byte order mark behind a name, which Codex keeps", "*** Add File: a\ufeff\n+x", ["/p/a\ufeff", "/p/a"]],
  ["a separator of lines in a name, which is none to Codex", "*** Add File: b\u2028/../a\n+x", ["/p/a", "/p/b"]],
  ["a carriage return in a name", "*** Add File: b\r/../a\n+x", ["/p/a", "/p/b"]],
  ["quotes around a name, which belong to it", '*** Add File: "a"\n+x', ['/p/"a"']],
])("a patch with %s shows its file", (_, body, files) => {
  expect(filesOfCall("apply_patch", `*** Begin Patch\n${body}\n*** End Patch`)).toEqual(files);
});

const BODY = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";

test.each([
  ["cd sub && apply_patch <<'E'\nBODY\nE", ["/p/a", "/p/sub/a"]],
  ['cd "my sub" && apply_patch <<E\nBODY\nE', ["/p/a", "/p/my sub/a"]],
  ["cd -- '/etc' && apply_patch <<E\nBODY\nE", ["/p/a", "/etc/a"]],
  ["(cd ..; cd q; apply_patch 'BODY')", ["/p/a", "/q/a"]],
  ["cd x && apply_patch 'BODY'; cd y && apply_patch 'BODY'", ["/p/a", "/p/x/a", "/p/a", "/p/x/y/a"]],
  ["echo cd x; apply_patch 'BODY'", ["/p/a", "/p/x/a"]],
])("a patch that is typed into the shell names its files in every folder that could be meant: %s", (command, files) => {
  expect(filesOfCall("Bash", command.replaceAll("BODY", BODY))).toEqual(files);
});

test("a patch of one long line is read at once", () => {
  const long = " ".repeat(500_000);
  expect(filesOfCall("apply_patch", `*** Add File: a${long}b${long}`)).toEqual([`/p/a${long}b`]);
});

test.each([
  ["apply_patch", "*** Add File: a\n".repeat(1_001), "has a patch of more than 1000 files"],
  ["Bash", `${BODY}\n`.repeat(1_001), "has a patch of more than 1000 files"],
  ["Bash", `${"cd a;".repeat(1_001)}${BODY}`, "goes to too many folders before its patch"],
  ["Bash", `cd ${"a/".repeat(3_000)};${BODY}`, "goes to too many folders before its patch"],
])("%s of a patch that takes longer to tell apart than the agent waits is refused", (tool, command, says) => {
  expect(() => filesOfCall(tool, command)).toThrow(new BrokenEvent(says));
});

test("a patch may have a thousand files, and a command without one goes where it wants", () => {
  expect(filesOfCall("apply_patch", "*** Add File: a\n".repeat(1_000)).length).toBe(1_000);
  expect(filesOfCall("Bash", "cd a;".repeat(5_000))).toEqual([]);
});

test("a patch that is typed into the shell is shown as its files, too", () => {
  const { toolName, views } = codex.decode(call("Bash", { command: `apply_patch <<'E'\n${PATCH}\nE` }), "pre-tool");
  expect([toolName, views.length]).toEqual(["Bash", 4]);
});

describe("an event that is none is refused", () => {
  test.each([
    ["no tool", call("", {})],
    ["a tool that isn't text", { ...call("Bash", {}), tool_name: 1 }],
    ["no input", call("Bash", null)],
    ["a list as input", call("Bash", [])],
    ["a patch without files", call("apply_patch", { command: "*** Begin Patch\n*** End Patch" })],
    ["a patch that isn't text", call("apply_patch", { command: 1 })],
    ["an empty patch", call("apply_patch", {})],
    ["another kind of event", { ...call("Bash", {}), hook_event_name: "PostToolUse" }],
    ["an unknown kind of event", { ...call("Bash", {}), hook_event_name: "Stop" }],
  ])("%s", (_, wire) => {
    expect(() => codex.decode(wire, "pre-tool")).toThrow(BrokenEvent);
  });
});

test.each<[string, Parameters<typeof say>[0], object | null]>([
  ["no opinion is silence", {}, null],
  [
    "a deny has its reason",
    { action: "deny", reason: "no" },
    { permissionDecision: "deny", permissionDecisionReason: "no" },
  ],
  ["context comes without a decision", { context: "note" }, { additionalContext: "note" }],
  [
    "a rewrite comes with allow",
    { updatedInput: '{"command":"ls"}' },
    { permissionDecision: "allow", updatedInput: { command: "ls" } },
  ],
  [
    "a rewrite may have context",
    { updatedInput: "{}", context: "note" },
    { permissionDecision: "allow", updatedInput: {}, additionalContext: "note" },
  ],
])("%s", (_, saying, fields) => {
  const { text } = say(saying);
  if (fields === null) expect(text).toBe("");
  else expect(JSON.parse(text)).toEqual({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } });
});

test("a rewrite into a patch is not taken: nobody would be asked about its files", () => {
  const accepts = (input: object) => codex.takeInput(JSON.stringify(input)) !== null;
  expect(accepts({ command: "ls" })).toBe(true);
  expect([{ command: `apply_patch <<E\n${PATCH}\nE` }, { command: ["apply_patch", PATCH] }].map(accepts)).toEqual([
    false,
    false,
  ]);
});

test.each([
  [{ session_id: 1, chars: "rm -rf x\n" }, [{ toolName: "Bash", aliases: [], input: { command: "rm -rf x\n" } }]],
  [{ session_id: 1, chars: "" }, []],
])(
  "what is typed into a running shell counts as a Bash, so that `log --check` looks for it: %j",
  (tool_input, views) => {
    const event = { hook_event_name: "PreToolUse", tool_name: "write_stdin", tool_input, cwd: "/p" };
    expect(codex.decode(event, "pre-tool")).toMatchObject({ toolName: "write_stdin", views });
  },
);

test.each([
  ["spawn_agent", {}, "Agent", []],
  ["collaborationspawn_agent", {}, "Agent", []],
  ["read_mcp_resource", { uri: "https://a.example/b" }, "ReadMcpResourceTool", []],
  ["read_mcp_resource", { uri: "file:///p/.env" }, "ReadMcpResourceTool", ["/p/.env"]],
])("%s %j is a %s", (tool_name, tool_input, toolName, files) => {
  const event = { hook_event_name: "PreToolUse", tool_name, tool_input, cwd: "/p" };
  const views = files.map((file_path) => ({ toolName: "Read", aliases: [], input: { file_path } }));
  expect(codex.decode(event, "pre-tool")).toMatchObject({ toolName, views });
});
