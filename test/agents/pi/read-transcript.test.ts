import { expect, test } from "vitest";
import { piPlaces } from "../../../src/agents/pi/paths.ts";
import { readLines } from "../transcripts.ts";

const AT = "2026-11-28T00:40:35.903Z";
const HEADER = { type: "session", version: 3, id: "01a21f98", timestamp: AT, cwd: "/p" };

/** Lines as Pi 1.6.0 writes them. */
const entry = (message: object) => JSON.stringify({ type: "message", id: "a", parentId: "b", timestamp: AT, message });
const calls = (id: string, name: string, args: unknown) =>
  entry({
    role: "assistant",
    content: [
      { type: "text", text: "I will" },
      { type: "toolCall", id, name, arguments: args },
    ],
  });
const gets = (toolCallId: string, result: object) => entry({ role: "toolResult", toolCallId, content: [], ...result });

const read = (...lines: string[]) => readLines(piPlaces.transcripts, [JSON.stringify(HEADER), ...lines]);

test("a call is told with its session, its folder, and what came of it", async () => {
  const prompt = entry({ role: "user", content: "go" });
  expect(
    await read(prompt, calls("c", "bash", { command: "ls" }), gets("c", { isError: false, durationMs: 1 })),
  ).toEqual({
    gaps: [],
    calls: [
      {
        agent: "pi",
        session: HEADER.id,
        folder: "/p",
        startedIn: "/p",
        at: new Date(AT),
        until: new Date(AT),
        id: "c",
        tool: "bash",
        input: { command: "ls" },
        outcome: "ran",
        subagent: false,
      },
    ],
  });
});

test.each([
  ["has a duration: it failed", [gets("c", { isError: true, durationMs: 5 })], "failed"],
  ["has none: it was kept from running", [gets("c", { isError: true })], "refused"],
  ["isn't there", [], "unknown"],
])("an error that %s", async (_, lines, outcome) => {
  expect((await read(calls("c", "bash", {}), ...lines)).calls).toMatchObject([{ outcome }]);
});

test("calls of a script are told, too, with the ids that hooks get", async () => {
  const inner = [
    { id: "c/1", name: "bash", status: "ok", arguments: { command: "ls" }, durationMs: 9 },
    { id: "c/2", name: "bash", status: "error", arguments: { command: "rm x" }, durationMs: 1 },
    { id: "c/3", name: "write", status: "ok", durationMs: 1 },
  ];
  const result = { isError: false, durationMs: 20, nestedCalls: { calls: inner, complete: false } };
  const found = await read(calls("c", "codemode", { code: "…" }), gets("c", result));
  expect(found.calls.map(({ id, tool, outcome }) => [id, tool, outcome])).toEqual([
    ["c", "codemode", "ran"],
    ["c.1", "bash", "ran"],
    ["c.2", "bash", "unknown"],
  ]);
  expect(found.gaps.map(({ what }) => what)).toEqual([
    "has a call within a call that isn't one as Pi writes it",
    "has calls within a call that Pi didn't write down",
  ]);
});

test.each([
  ["another form of message", entry({ role: "assistant", content: 5 }), "isn't a message as Pi writes it"],
  ["another form of call", calls("c", "edit", []), "has a call that isn't one as Pi writes it"],
])("%s is said, and not guessed", async (_, line, what) => {
  expect(await read(line)).toMatchObject({ calls: [], gaps: [{ line: 2, what }] });
});

test.each([
  [{ ...HEADER, version: 4 }, "is a session of version 4, whose format isn't known"],
  [{ type: "message" }, "isn't the beginning of a session of Pi"],
])("a file that begins with %j is passed over", async (first, what) => {
  expect(await readLines(piPlaces.transcripts, [JSON.stringify(first), calls("c", "bash", {})])).toMatchObject({
    calls: [],
    gaps: [{ line: 1, what }],
  });
});
