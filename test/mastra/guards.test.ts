import { describe, expect, test } from "vitest";
import { guardApp } from "./app.ts";

const denyTouch = `{ beforeToolCall({ input }) {
  if (input.command.includes("touch")) return { action: "deny", reason: "not here" };
} }`;

describe("before a tool call", () => {
  test("what a policy denies is refused with its reason, and everything else runs", async () => {
    const app = guardApp([{ policy: denyTouch }]);
    expect(await app.before({ command: "touch x" })).toEqual({
      proceed: false,
      output: "[@me/guards#guard-0] not here",
    });
    expect(await app.before({ command: "ls" })).toBeUndefined();
    expect(app.journal()).toMatchObject([
      { runtime: "mastra", tool: "run", verdict: "deny", effective: "deny" },
      { runtime: "mastra", tool: "run", verdict: "allow", effective: "allow" },
    ]);
  });
});
