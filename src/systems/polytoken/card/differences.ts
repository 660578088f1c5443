import { eventNamed } from "../../../policy/event-names.ts";
import type { DescribeReach } from "../../importing/imported.ts";
import { isAwaited, POLYTOKEN_EVENTS } from "../words/events.ts";
import { compilePolytokenGlob } from "../words/glob.ts";
import type { PolytokenHook } from "../words/run-hook.ts";

/** How the entries begin that `drwn write` makes. */
const OWN_ENTRY = /^drwn_(?:hook|shared)=/u;

/** Why no card can hold this hook; undefined: one can. */
export function whyNotFromPolytoken({ event, matcher, handler }: PolytokenHook): string | undefined {
  if (OWN_ENTRY.test(handler.bash)) return "it asks drwn, and what drwn answers is in cards already";
  if (matcher === undefined || POLYTOKEN_EVENTS[event].subject !== "event" || compilePolytokenGlob(matcher)(event))
    return undefined;
  return `it never fires: what its matcher is compared with is \`${event}\``;
}

/** What the hook in the card does otherwise than in Polytoken, or where. */
export function polytokenDifferences(hook: PolytokenHook, describeReach: DescribeReach): string[] {
  const { event, matcher } = hook;
  const { subject } = POLYTOKEN_EVENTS[event];
  const named = matcher === undefined ? "its script sees" : `\`${matcher}\` is compared with, and its script sees,`;
  return [
    describeReach(eventNamed("polytoken", event), subject === "tool"),
    ...(subject === "tool" ? [`${named} the tools' names and inputs of the agent at hand`] : []),
    ...(subject === "subagent" ? [`${named} the agent's own types of subagents`] : []),
    "its script is stopped after 10 seconds; Polytoken waits longer",
    ...(isAwaited(event) ? [] : ["the agent waits for it to end"]),
    ...(event === "pre_compaction" ? ["`suppress` ends the compaction as `cancel` does"] : []),
    ...(event === "stop" ? ["a turn is kept going only so often"] : []),
  ];
}
