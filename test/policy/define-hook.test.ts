import { describe, expectTypeOf, test } from "vitest";
import { defineHook, type HookEvent, type HookOutcome, type LifecycleHook } from "../../src/policy/index.ts";

describe("the types of a lifecycle hook", () => {
  test("each event has its own input", () => {
    defineHook({ event: "prompt.submit", run: ({ input }) => expectTypeOf(input.prompt).toBeString() && undefined });
    defineHook({ event: "turn.stop", run: ({ input }) => expectTypeOf(input.isContinued).toBeBoolean() && undefined });
    expectTypeOf<HookEvent<"compact.before">["input"]>().toEqualTypeOf<{ trigger?: string; instructions?: string }>();
    expectTypeOf<HookEvent<"other.CwdChanged">["input"]>().toEqualTypeOf<Readonly<Record<string, unknown>>>();
  });

  test("an event can be held in its own word only, and only where it can be held", () => {
    expectTypeOf({ action: "reject" as const, reason: "no" }).toExtend<HookOutcome<"prompt.submit">>();
    expectTypeOf({ action: "keep-going" as const, reason: "no" }).toExtend<HookOutcome<"turn.stop">>();
    expectTypeOf({ action: "cancel" as const, reason: "no" }).toExtend<HookOutcome<"compact.before">>();
    expectTypeOf({ action: "keep-going" as const, reason: "no" }).not.toExtend<HookOutcome<"prompt.submit">>();
    expectTypeOf({ action: "deny" as const, reason: "no" }).not.toExtend<HookOutcome<"session.start">>();
    expectTypeOf({ action: "ask" as const, reason: "no" }).not.toExtend<HookOutcome<"session.start">>();
    expectTypeOf({ action: "deny" as const, reason: "no" }).not.toExtend<HookOutcome<"other.FileChanged">>();
  });

  test("text and another input go where the event can take them", () => {
    type Said = { action: "proceed"; additionalContext: string };
    expectTypeOf<Said["additionalContext"]>().toExtend<
      Exclude<Extract<HookOutcome<"session.start">, { action: "proceed" }>["additionalContext"], undefined>
    >();
    expectTypeOf<Extract<HookOutcome<"session.end">, { action: "proceed" }>>().not.toHaveProperty("additionalContext");
    expectTypeOf<Extract<HookOutcome<"model.resolve">, { action: "proceed" }>>().toHaveProperty("updatedInput");
    expectTypeOf<Extract<HookOutcome<"prompt.submit">, { action: "proceed" }>>().not.toHaveProperty("updatedInput");
  });

  test("a call of a tool isn't an event of a lifecycle hook", () => {
    expectTypeOf<"tool.before">().not.toExtend<LifecycleHook["event"]>();
    expectTypeOf<"UserPromptSubmit">().not.toExtend<LifecycleHook["event"]>();
  });
});
