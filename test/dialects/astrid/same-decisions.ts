import { expect } from "vitest";
import { eventNamed } from "../../../src/policy/dialect-names.ts";
import { powersOf } from "../../../src/policy/lifecycle-events.ts";
import { type Compared, compare, PROCEEDS, type Way } from "../compare.ts";
import { randomOf } from "../random.ts";
import { ASTRID } from "./compared.ts";
import { someHooks } from "./generated-files.ts";

/** Generated hooks decide and are told the same directly, as a card in Astrid, and as one in Claude Code. */
export async function expectSameInAstrid(seed: string): Promise<void> {
  const hooks = someHooks(randomOf(seed));
  const { compared, report } = await compare(ASTRID, hooks);
  for (const one of compared) {
    const about = `${JSON.stringify({ ...hooks, told: one.told }, null, 1)}\n${JSON.stringify(report.differences)}`;
    expect(outcomeOf(one.own), about).toEqual(inAstrid(one));
    if (one.claude !== undefined) expect(outcomeOf(one.claude), about).toEqual(inClaude(one));
  }
}

interface Outcome {
  ends: Way["ends"];
  reason: string;
  changed: unknown;
  seen: unknown[];
}

/** What scripts were told counts without what is new each time. */
function outcomeOf({ ends, reason, changed, trace }: Way): Outcome {
  const seen = trace.split("\n").flatMap((line): unknown[] => {
    if (line === "") return [];
    const { event, data, previous_results } = JSON.parse(line);
    return [{ event, data, previous_results }];
  });
  const [, failure] = /^the policy (?:threw )?(?:Error: )?(.*?)(?:\. A .*)?$/su.exec(reason) ?? [];
  return { ends, reason: (failure ?? reason).replace(NAMELESS, "a hook without a name failed"), changed, seen };
}

/** Directly it goes by the id that Astrid makes of its path, which a card doesn't keep, as the report says; there by its folder. */
const NAMELESS = /^hook (?:[\da-f]{8}-[\da-f-]{27}|\d) failed/u;

/** What the import report and the page of dialects say of a card in Astrid: no change is known to be heeded there. */
function inAstrid({ told, direct }: Compared): Outcome {
  const outcome = outcomeOf(direct);
  const { hold, injects } = powersOf(eventNamed("astrid", told.event));
  const isAfterCall = told.event === "post_tool_call" || told.event === "tool_error";
  if (direct.changed === undefined) return hold === null ? unheld(outcome) : withWords(outcome);
  const { context, arguments: changed } = direct.changed as Record<string, unknown>;
  if (told.event === "pre_tool_call" && changed !== undefined) {
    return { ...outcome, ends: "held", reason: expect.stringContaining("would change the input"), changed: undefined };
  }
  const isTold = injects && !isAfterCall && told.event !== "pre_tool_call" && typeof context === "string";
  const isChanged = powersOf(eventNamed("astrid", told.event)).transforms && changed !== undefined;
  if (isChanged && hold !== null) {
    return { ...outcome, ends: "held", reason: expect.stringContaining("would change"), changed: undefined };
  }
  return { ...outcome, changed: isTold && !isChanged ? { context } : undefined };
}

/** And in Claude Code: it asks nobody at a lifecycle event, and takes other arguments. */
function inClaude(compared: Compared): Outcome {
  const { told, direct, claude } = compared;
  const outcome = outcomeOf(direct);
  const seen = outcomeOf(claude ?? { ...PROCEEDS, trace: "" }).seen;
  const changed = direct.changed as Record<string, unknown> | undefined;
  if (told.event === "pre_tool_call") {
    expect(seen).toEqual(outcome.seen);
    return { ...withWords(outcome), changed: changed?.["arguments"] };
  }
  expect(seen).toHaveLength(outcome.seen.length);
  const isHeld = direct.ends === "held" && HELD_BY_CLAUDE.includes(told.event);
  return { ...(isHeld ? withWords(outcome) : unheld(outcome)), changed: undefined, seen };
}

const HELD_BY_CLAUDE = ["user_prompt", "pre_approval", "pre_compact", "subagent_stop"];

function unheld(outcome: Outcome): Outcome {
  return { ...outcome, ends: "proceeds", reason: "" };
}

/** A verdict without words gets some: drwn takes none without. */
function withWords(outcome: Outcome): Outcome {
  const isSilent = outcome.ends !== "proceeds" && outcome.reason === "";
  return isSilent ? { ...outcome, reason: "the hook gave no reason" } : outcome;
}
