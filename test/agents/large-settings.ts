import fs from "node:fs";
import { expect } from "vitest";
import { applyChanges } from "../../src/wiring/changes.ts";
import { locate, Machine, marks, type Place } from "../support/settings-places.ts";

/** Settings of three megabytes get our entries, and are without them what they were, byte for byte. */
export function expectLargeSettingsBack(place: Place): void {
  const machine = new Machine(place.target);
  const settings = locate(place, machine);
  const large = "x".repeat(3 * 1024 * 1024);
  const text = place.shape === "entries" ? `[{"name": "${large}"}]\n` : `{"a": "${large}", "hooks": {}}\n`;
  fs.writeFileSync(settings, text);
  applyChanges(machine.planHooks(place.kind).changes);
  expect(marks(fs.readFileSync(settings, "utf8"))).toBeGreaterThan(0);
  applyChanges(machine.planHooks(place.kind, false).changes);
  expect(fs.readFileSync(settings, "utf8") === text).toBe(true);
}
