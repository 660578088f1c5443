import { expect } from "vitest";
import type { Adapter, Wire } from "../../src/hook-base/adapter/adapter.ts";
import type { AgentId } from "../../src/policy/event.ts";
import type { ArmedHome } from "./armed-home.ts";
import { eventOf } from "./conformance.ts";
import type { HookResult } from "./hook-calls.ts";

/** Values that no agent sends in most places. */
export const ODD_VALUES: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["a number", 7],
  ["text", "x"],
  ["an empty text", ""],
  ["true", true],
  ["a list", [1, "x", null]],
  ["an object", { toString: 1, nested: { __proto__: null } }],
];

/** The agent's event before a call with one field missing, of another type, or with fields that nobody knows. */
export function alteredEvents(runtime: AgentId, cwd: string): { what: string; wire: Wire }[] {
  const wire = eventOf(runtime, "pre-tool", cwd);
  if (wire === undefined) throw new Error(`nobody knows what ${runtime} sends`);
  const later = { later_version: { of: ["the", "agent"] }, schema_version: 99, error: undefined };
  return [
    { what: "nothing is wrong with the event", wire },
    { what: "the event has fields that nobody knows", wire: { ...wire, ...later } },
    { what: "the event has no field at all", wire: {} },
    ...Object.keys(wire).flatMap((field) => {
      const { [field]: _, ...rest } = wire;
      const odd = ODD_VALUES.map(([value, given]) => ({
        what: `${field} is ${value}`,
        wire: { ...wire, [field]: given },
      }));
      return [{ what: `${field} is missing`, wire: rest }, ...odd];
    }),
  ];
}

/** What the launcher and the hook process tell the agent about this event. */
export function sendEvent({ call }: ArmedHome, { runtime }: Adapter, wire: Wire): HookResult {
  return call({}, { runtime, input: JSON.stringify(wire) });
}

/** The call isn't made, by the agent's own words or by the exit code that blocks in every agent. */
export function expectBlocked({ runtime }: Adapter, { status, stdout, stderr }: HookResult): void {
  if (status === 2) expect(stderr).toMatch(/drwn|@me/u);
  else expect([status, stdout]).toEqual([0, expect.stringMatching(runtime === "arawn" ? /\S/u : /deny|block/u)]);
}
