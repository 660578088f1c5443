import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { EVENT_NAMES, eventNamed, HOOK_SYSTEMS, nameIn } from "../../src/policy/dialect-names.ts";
import { EVENTS, isLifecycleEvent, powersOf } from "../../src/policy/lifecycle-events.ts";

describe("the taxonomy of events", () => {
  test.each([
    ["polytoken", 14],
    ["astrid", 23],
    ["claude-code", 14],
    ["codex", 11],
    ["arawn", 15],
    ["hooker", 2],
  ] as const)("has a place for every event of %s that the table lists: %i", (system, count) => {
    const names = Object.entries(EVENT_NAMES[system]);
    expect(names).toHaveLength(count);
    for (const [name, event] of names) {
      expect(EVENTS).toHaveProperty([event]);
      expect(eventNamed(system, name)).toBe(event);
      expect(nameIn(system, event)).toBe(name);
    }
  });

  test("no two events of one system are the same", () => {
    for (const system of HOOK_SYSTEMS) {
      const events = Object.values(EVENT_NAMES[system]);
      expect(new Set(events).size, system).toBe(events.length);
    }
  });

  test("an event that nobody else has can be watched under its own name", () => {
    expect(eventNamed("claude-code", "CwdChanged")).toBe("other.CwdChanged");
    expect(powersOf("other.CwdChanged")).toEqual({ hold: null, injects: false, transforms: false, subject: "name" });
    expect(eventNamed("claude-code", "constructor")).toBe("other.constructor");
  });

  test.each([
    ["prompt.submit", true],
    ["other.TaskCreated", true],
    ["UserPromptSubmit", false],
    ["other.", false],
    ["other.a b", false],
    ["constructor", false],
    [`other.${"x".repeat(65)}`, false],
  ])("%s is the name of an event: %s", (name, expected) => {
    expect(isLifecycleEvent(name)).toBe(expected);
  });
});

test("the page has a row for each event, with what a hook can do there", () => {
  const page = fs.readFileSync(new URL("../../docs/reference/lifecycle.md", import.meta.url), "utf8");
  for (const [event, { hold, injects, transforms, subject }] of Object.entries(EVENTS)) {
    if (event === "tool.before") continue;
    const can = [
      ...(hold === null ? [] : [`\`${hold}\``]),
      ...(injects ? ["text"] : []),
      ...(transforms ? ["change"] : []),
    ];
    const row = page.split("\n").find((line) => line.startsWith(`| \`${event}\` |`)) ?? "";
    const [, , powers, seen] = row.split("|").map((cell) => cell.trim());
    expect(`${event}: ${powers}, ${seen}`).toBe(`${event}: ${can.join(", ") || "watch"}, ${subject ?? "–"}`);
  }
});
