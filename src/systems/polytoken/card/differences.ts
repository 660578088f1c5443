import { eventNamed } from "../../../policy/event-names.ts";
import { POLYTOKEN_TOOLS } from "../../../policy/polytoken-names.ts";
import { ASKS_DRWN, type DescribeCoverage } from "../../importing/imported.ts";
import { filesNamedIn, noteOnNamedFile } from "../../importing/named-files.ts";
import { isAwaited, POLYTOKEN_EVENTS } from "../words/events.ts";
import { compilePolytokenGlob } from "../words/glob.ts";
import type { PolytokenHook } from "../words/run-hook.ts";

/** How the entries that `drwn write` makes begin. */
const OWN_ENTRY = /^(?:drwn_(?:hook|shared)=|["'][^"']*\/bin\/hook["'] polytoken )/u;

/** Why no card can hold this hook; undefined: a card can. */
export function whyNotFromPolytoken({ event, matcher, handler }: PolytokenHook): string | undefined {
  if (OWN_ENTRY.test(handler.bash)) return ASKS_DRWN;
  if (matcher === undefined || POLYTOKEN_EVENTS[event].subject !== "event" || compilePolytokenGlob(matcher)(event))
    return undefined;
  return `it never fires: its matcher is compared with \`${event}\``;
}

/** How and where the hook in the card differs from Polytoken's. */
export function polytokenDifferences(hook: PolytokenHook, describeReach: DescribeCoverage): string[] {
  const { event, matcher, handler } = hook;
  const { subject } = POLYTOKEN_EVENTS[event];
  return [
    describeReach(eventNamed("polytoken", event), subject === "tool"),
    ...(subject === "tool" ? ofTools(matcher) : []),
    ...(subject === "subagent" ? ["its subject is the agent's own type of the subagent"] : []),
    ...filesNamedIn(handler.bash).map(noteOnNamedFile),
    "in other agents its paths begin in the folder that the agent works in at the time",
    "its script is stopped after 10 seconds; Polytoken waits longer",
    ...(keepsBothOutputs(event) ? ["what it prints on both outputs becomes one reason"] : []),
    ...(isAwaited(event) ? [] : ["the agent waits for it to end"]),
    ...(event === "pre_compaction" ? ["`suppress` ends the compaction as `cancel` does"] : []),
    ...(event === "stop" ? ["it keeps a turn going 8 times in a row at most, and once where its script fails"] : []),
  ];
}

/** Whether Polytoken passes on the outputs of a script that says no, besides its reason. */
function keepsBothOutputs(event: PolytokenHook["event"]): boolean {
  const { stop, outcomes } = POLYTOKEN_EVENTS[event];
  return outcomes[stop ?? ""]?.fields.includes("stdout") === true;
}

function ofTools(matcher: string | undefined): string[] {
  const matches = matcher === undefined ? () => true : compilePolytokenGlob(matcher);
  const known = Object.entries(POLYTOKEN_TOOLS).filter(([own]) => matches(own));
  const names = known.map(([own, name]) => `\`${name}\` is \`${own}\``).join(", ");
  return [
    names === ""
      ? "in other agents it fires on tools of exactly this name"
      : `in other agents ${names} to it; other tools go by their own names`,
    "in other agents a call has their input, with its file as `path`, relative to the call's folder if it is inside",
  ];
}
