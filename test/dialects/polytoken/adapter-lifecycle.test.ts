import { describe, expect, test } from "vitest";
import { findLifecycleAdapter } from "../../../src/agents/adapters.ts";
import { polytokenLifecycle } from "../../../src/dialects/polytoken/adapter.ts";
import {
  effectText,
  effectVerdict,
  POLYTOKEN_EVENTS,
  POLYTOKEN_HOOK_EVENTS,
  type PolytokenEvent,
} from "../../../src/dialects/polytoken/words/events.ts";
import { decodeResult } from "../../../src/dialects/polytoken/words/run-hook.ts";
import { BrokenEvent } from "../../../src/hook-base/read-input.ts";
import { EVENT_NAMES } from "../../../src/policy/dialect-names.ts";
import type { LifecycleEvent } from "../../../src/policy/lifecycle-events.ts";

const SAYING = { reason: "no", context: null, updatedInput: null, notice: null, isFailure: false } as const;
const named = polytokenLifecycle.names.map(([event, name]) => [name as PolytokenEvent, event] as const);

/** What Polytoken makes of what drwn answers. */
function answered(
  name: PolytokenEvent,
  event: LifecycleEvent,
  saying: Partial<Parameters<typeof polytokenLifecycle.encode>[0]>,
) {
  const at = polytokenLifecycle.powersAt(event);
  if (at === undefined) throw new Error(`${event} isn't an event of its`);
  const { text, effective } = polytokenLifecycle.encode({ ...SAYING, action: "allow", powers: at, ...saying });
  const end = { kind: "exited", code: 0, signal: null, stdout: text, stderr: "", truncated: false } as const;
  const outcome = decodeResult(name, end);
  return { verdict: effectVerdict(name, outcome), text: effectText(name, outcome), effective };
}

test("it tells of every event but the one that policies judge", () => {
  expect(new Set([...named.map(([name]) => name), "pre_tool_use"])).toEqual(new Set(POLYTOKEN_HOOK_EVENTS));
  for (const [name, event] of named) expect(EVENT_NAMES.polytoken[name]).toBe(event);
  expect(findLifecycleAdapter("polytoken")).toBe(polytokenLifecycle);
});

describe.each(named)("%s", (name, event) => {
  const at = polytokenLifecycle.powersAt(event);

  test("can be held and added to where Polytoken has an outcome for that", () => {
    const effects = Object.values(POLYTOKEN_EVENTS[name].outcomes).map(({ effect }) => effect);
    expect(at?.holds).toBe(effects.some((effect) => effect !== "proceed"));
    expect(at?.injects).toBe(POLYTOKEN_EVENTS[name].text !== null);
  });

  test("is answered in outcomes that Polytoken takes", () => {
    expect(answered(name, event, {})).toEqual({ verdict: "allowed", text: undefined, effective: "allow" });
    const held = answered(name, event, { action: "deny" });
    expect(held.verdict === "blocked" || held.verdict === "suppressed").toBe(at?.holds === true);
    expect(held.effective).toBe(at?.holds === true ? "deny" : "allow");
    expect(answered(name, event, { context: 'say "it"' }).text).toBe(at?.injects === true ? 'say "it"' : undefined);
  });

  test("is read with what it says and what matchers see", () => {
    const wire = {
      event: name,
      tool_name: "shell_exec",
      input: {},
      subagent_type: "explorer",
      prompt: "p",
      session_id: "s",
    };
    const decoded = polytokenLifecycle.decode(wire, event);
    expect(decoded?.rest).toMatchObject({ sessionId: "s" });
    expect(decoded?.subject).toBe({ tool: "Bash", subagent: "explorer", event: "" }[POLYTOKEN_EVENTS[name].subject]);
    expect(() => polytokenLifecycle.decode({ ...wire, event: "pre_tool_use" }, event)).toThrow(BrokenEvent);
  });
});

test("a hook that cannot do its work ends a model's turn, which would be tried again and again", () => {
  const { verdict } = answered("pre_model_turn", "model.before", { action: "deny", isFailure: true });
  expect(verdict).toBe("error");
  expect(answered("pre_user_prompt", "prompt.submit", { action: "deny", isFailure: true }).verdict).toBe("blocked");
});

test("a prompt that is missing cannot be judged", () => {
  expect(() => polytokenLifecycle.decode({ event: "pre_user_prompt" }, "prompt.submit")).toThrow(BrokenEvent);
  expect(() => polytokenLifecycle.decode({ event: "x" }, "host.start")).toThrow(BrokenEvent);
});
