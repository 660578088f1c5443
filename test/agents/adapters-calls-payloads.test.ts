import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allAdapters, findLifecycleAdapter } from "../../src/agents/adapters.ts";
import { decodeCall, withInput } from "../../src/hook/enter/event.ts";
import { lifecycleStrategyFor } from "../../src/hook/lifecycle-event.ts";
import type { Wire } from "../../src/hook-base/adapter/adapter.ts";
import { BrokenEvent } from "../../src/hook-base/read-input.ts";
import { armHome } from "../support/armed-home.ts";
import { eventOf, PHASES } from "../support/conformance.ts";
import { alteredEvents, expectBlocked, ODD_VALUES, sendEvent } from "../support/payloads.ts";
import { sweep } from "../support/sweep.ts";

const events = allAdapters().flatMap((adapter) =>
  PHASES.flatMap((phase) => {
    const wire = eventOf(adapter.runtime, phase, "/p");
    return wire === undefined ? [] : [{ adapter, phase, wire }];
  }),
);

/** What the agent calls the fields without which a call cannot be judged. */
function fieldsOf(wire: Wire): { tool: string | undefined; input: string | undefined } {
  const fields = Object.entries(wire);
  return {
    tool: fields.find(([, value]) => value === "Bash")?.[0],
    input: fields.find(([, value]) => JSON.stringify(value) === '{"command":"ls"}')?.[0],
  };
}

/** An event, or that it is none. Anything else that is thrown is a bug that would block by accident. */
function isEvent(decode: () => { toolName: string; input: unknown }): boolean {
  try {
    const { toolName, input } = decode();
    expect(toolName).not.toBe("");
    expect(typeof toolName).toBe("string");
    expect(input).toBeTypeOf("object");
    return true;
  } catch (error) {
    if (error instanceof BrokenEvent) return false;
    throw error;
  }
}

test.each(sweep(events, 20).map((one) => [one.adapter.title, one.phase, one] as const))(
  "%s, %s: an event with a field missing, of another type or unknown is judged or refused, and never half understood",
  (_title, _phase, { adapter, phase, wire }) => {
    const decode = (changed: Wire) => isEvent(() => adapter.decode(changed, phase));
    const { tool: toolField, input: inputField } = fieldsOf(wire);
    expect(decode(wire)).toBe(true);
    expect(decode({ ...wire, later_version: { of: ["the", "agent"] }, another: null })).toBe(true);
    for (const field of Object.keys(wire)) {
      const { [field]: _, ...rest } = wire;
      const isNeeded = field === toolField || field === inputField;
      if (isNeeded) expect([field, decode(rest)]).toEqual([field, false]);
      else decode(rest);
      for (const [what, value] of ODD_VALUES) {
        const isJudged = decode({ ...wire, [field]: value });
        if (field === toolField && typeof value !== "string")
          expect([field, what, isJudged]).toEqual([field, what, false]);
        if (field === inputField && (typeof value !== "object" || value === null || Array.isArray(value))) {
          expect([field, what, isJudged]).toEqual([field, what, false]);
        }
        if (field === "hook_event_name") expect([field, what, isJudged]).toEqual([field, what, false]);
      }
    }
  },
);

/** Fields as the agent has them, fields with anything in them, and names that lie in prototypes. */
function anyWire(known: Wire): fc.Arbitrary<Wire> {
  const name = fc.constantFrom(...Object.keys(known), "error", "cwd", "mcp_context", "toString", "__proto__", "later");
  const value = fc.oneof(fc.constantFrom(...Object.values(known)), fc.jsonValue({ maxDepth: 3 }));
  return fc
    .tuple(fc.subarray(Object.entries(known)), fc.array(fc.tuple(name, value), { maxLength: 4 }))
    .map(([kept, changed]): Wire => JSON.parse(JSON.stringify(Object.fromEntries([...kept, ...changed]))));
}

test.each(sweep(events, 20).map((one) => [one.adapter.title, one.phase, one] as const))(
  "%s, %s: of whatever it sends the engine makes an event of JSON with a name and an input, or refuses it as broken",
  (_title, _phase, { adapter, phase, wire }) => {
    fc.assert(
      fc.property(anyWire(wire), (sent) => {
        const text = attempt(() => decodeCall(adapter, phase, sent));
        if (text === null) return;
        expect(text.toolName).not.toBe("");
        for (const one of [text, ...text.names, ...text.views]) {
          expect(JSON.parse(withInput(one, one.input))).toMatchObject({ runtime: adapter.runtime, phase });
        }
      }),
      { numRuns: 300 },
    );
  },
);

const lifecycleEvents = allAdapters().flatMap((adapter) => {
  const told = findLifecycleAdapter(adapter.runtime);
  return told === undefined ? [] : told.names.map(([event]) => ({ adapter, told, event }));
});

test.each(sweep(lifecycleEvents, 15).map((one) => [one.adapter.title, one.event, one] as const))(
  "%s, %s: of whatever it sends the engine makes an event of JSON, or refuses it as broken",
  (_title, _event, { adapter, told, event }) => {
    const input = { toolName: "Bash", toolInput: {}, prompt: "x", source: "startup", trigger: "auto", type: "x" };
    const wire = told.toWire(event, input);
    fc.assert(
      fc.property(anyWire(wire), (sent) => {
        const text = attempt(() => lifecycleStrategyFor(adapter, told, event)?.decode(sent) ?? null);
        if (text !== null) expect(JSON.parse(withInput(text, text.input))).toMatchObject({ event });
      }),
      { numRuns: 100 },
    );
  },
);

test.each([null, "", 7, {}, []])(
  "the end of a turn of Copilot CLI whose agentId is %j is one that can be held",
  (agentId) => {
    const wire = { sessionId: "s", timestamp: 1, cwd: "/p", agentId };
    const copilot = findLifecycleAdapter("copilot-cli");
    expect(copilot?.decode(wire, "turn.stop")).not.toBeNull();
    expect(copilot?.decode({ ...wire, agentId: "a1" }, "turn.stop")).toBeNull();
  },
);

function attempt<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof BrokenEvent) return null;
    throw error;
  }
}

describe("the real hook", () => {
  const policy = `{ beforeToolCall() { return { action: "deny", reason: "never" }; } }`;
  const guarded = armHome([{ policy }]);
  const observed = armHome([{ policy: "{ beforeToolCall() {} }", kind: "observer" }]);

  test.each(allAdapters().map((adapter) => [adapter.title, adapter] as const))(
    "of %s blocks what it cannot read, judges what it can, and is silent where nothing enforces",
    (_, adapter) => {
      const altered = alteredEvents(adapter.runtime, guarded.project);
      const wireOf = (what: RegExp) => altered.find((one) => what.test(one.what))?.wire ?? {};
      const later = sendEvent(guarded, adapter, wireOf(/fields that nobody knows/u));
      expectBlocked(adapter, later);
      expect(later.stdout).toContain("never");
      const broken = sendEvent(guarded, adapter, wireOf(/no field at all/u));
      expectBlocked(adapter, broken);
      expect(broken.stdout + broken.stderr).toMatch(/the (?:tool )?(?:call|event)/u);
      expect(sendEvent(observed, adapter, wireOf(/no field at all/u))).toMatchObject({ status: 0, stdout: "" });
    },
  );
});
