import { expect, test } from "vitest";
import type { Wire } from "../../src/agents/adapter.ts";
import { ADAPTERS } from "../../src/agents/adapters.ts";
import { BrokenEvent } from "../../src/runtime/read-input.ts";
import { eventOf, PHASES } from "../support/conformance.ts";

const ODD: readonly [string, unknown][] = [
  ["null", null],
  ["a number", 7],
  ["text", "x"],
  ["an empty text", ""],
  ["true", true],
  ["a list", [1, "x", null]],
  ["an object", { toString: 1, nested: { __proto__: null } }],
];

const events = ADAPTERS.flatMap((adapter) =>
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

test.each(events.map((one) => [one.adapter.title, one.phase, one] as const))(
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
      for (const [what, value] of ODD) {
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
