import { expect } from "vitest";
import { type Compared, compare, type Way } from "../compare.ts";
import { randomOf } from "../random.ts";
import { arawnBy } from "./compared.ts";
import { somePlugin } from "./generated-files.ts";

/** A generated plugin decides and is told the same directly, as a card in Arawn, and as one in Claude Code. */
export async function expectSameInArawn(seed: string): Promise<void> {
  const random = randomOf(seed);
  const plugin = somePlugin(random);
  const generation = random.from(["plugin.toml", "hooks.json", "settings.json"] as const);
  const { compared, report } = await compare(arawnBy(generation), plugin);
  const about = () => `${generation}\n${JSON.stringify(plugin, null, 1)}\n${JSON.stringify(report.differences)}`;
  for (const one of compared) {
    const { own, claude, direct } = one;
    expect(expectedOf(one, withoutLater(own, direct)), about()).toEqual(expectedOf(one, direct));
    if (claude === undefined) continue;
    expect(inClaude(one, withoutLater(claude, direct)), about()).toEqual(inClaude(one, direct));
  }
}

/** Without what the import report and the page of dialects say is otherwise in a card. */
function expectedOf({ told: { event } }: Compared, way: Way): Way {
  // A no without words has others there: they do not name the file, which lies nowhere.
  const reason = way.reason.replace(/^the hook `[^`]*` (ended .*) and gave no reason$/u, "the hook $1");
  // When a session is over nobody is left to be told.
  const trace = linesOf(way.trace).sort().join("\n");
  return { ...way, reason, trace, text: event === "SessionEnd" ? "" : way.text };
}

/** Hooks of a card may run at the same time: behind one that holds others have run already. */
function withoutLater(asked: Way, direct: Way): Way {
  if (direct.ends !== "held") return asked;
  const known = linesOf(direct.trace);
  return {
    ...asked,
    trace: linesOf(asked.trace)
      .filter((line) => known.includes(line))
      .join("\n"),
  };
}

function linesOf(trace: string): string[] {
  return trace.split("\n").filter((line) => line !== "");
}

/** And what is otherwise in Claude Code besides. */
function inClaude(compared: Compared, asked: Way): Way {
  const way = expectedOf(compared, asked);
  const { event } = compared.told;
  // Only Arawn counts turns.
  if (event === "SessionEnd") return { ...way, trace: way.trace.replaceAll(/,?"turn_count":\d+/gu, "") };
  return way;
}
