import { expect, test } from "vitest";
import { allAdapters } from "../../src/agents/adapters.ts";
import { armHome } from "../support/armed-home.ts";
import { alteredEvents, expectBlocked, sendEvent } from "../support/payloads.ts";
import { sweep } from "../support/sweep.ts";

const guarded = armHome([{ policy: `{ beforeToolCall() { return { action: "deny", reason: "never" }; } }` }]);

const CASES = allAdapters().flatMap((adapter) =>
  alteredEvents(adapter.runtime, guarded.project).map(
    ({ what, wire }) => [adapter.title, what, adapter, wire] as const,
  ),
);

test("every agent has its share", () => {
  expect(CASES.length).toBeGreaterThan(allAdapters().length * 20);
});

test.each(sweep(CASES, 30))(
  "the real hook of %s lets no call pass that a policy forbids where %s",
  (_title, _what, adapter, wire) => {
    expectBlocked(adapter, sendEvent(guarded, adapter, wire));
  },
);
