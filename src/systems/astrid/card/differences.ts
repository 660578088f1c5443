import { eventNamed } from "../../../policy/event-names.ts";
import { NATIVE_TOOLS } from "../../../policy/native-tools.ts";
import { powersOf } from "../../../policy/taxonomy.ts";
import { homesNamedIn } from "../../../wiring/launcher.ts";
import { ASKS_DRWN, type DescribeCoverage } from "../../importing/imported.ts";
import { filesNamedIn, noteOnNamedFile } from "../../importing/named-files.ts";
import { MOST_SECONDS } from "../words/card-chain.ts";
import type { AstridEvent } from "../words/events.ts";
import type { Hook } from "../words/hook.ts";
import { compileAstridMatcher } from "../words/matcher.ts";

const AFTER_CALL = ["post_tool_call", "tool_error"];

/** Why no card can hold this hook; undefined: a card can. */
export function whyNotFromAstrid({ enabled, handler }: Hook): string | undefined {
  if (handler.type === "command" && handler.args.some((text) => homesNamedIn(text).length > 0)) {
    return ASKS_DRWN;
  }
  return enabled ? undefined : "it is not enabled";
}

/** How and where the hook in the card differs from Astrid's. */
export function astridDifferences(hook: Hook, describeReach: DescribeCoverage): string[] {
  const { event } = hook;
  const canonical = eventNamed("astrid", event);
  return [
    describeReach(canonical, event === "pre_tool_call" || AFTER_CALL.includes(event)),
    ...ofMatching(hook),
    ...ofHandler(hook),
    ...ofAnswers(hook),
  ];
}

const NAMES =
  "Astrid's own names of tools in every agent; a server's tool goes by its own, and one that it has none for by the name that policies know";

function ofMatching({ event, matcher }: Hook): string[] {
  const isOfTool = powersOf(eventNamed("astrid", event)).subject === "tool";
  if (!isOfTool) {
    return matcher === null
      ? ["it reads what the agent at hand says of the event, under Astrid's names where it has some"]
      : ["its matcher is on a tool, and the event has none, so it never runs"];
  }
  if (matcher === null) return [`it reads ${NAMES}, with the arguments as the agent spells them`];
  const matches = compileAstridMatcher(matcher);
  const missed = Object.entries(NATIVE_TOOLS.astrid).filter(
    ([own, canonical]) => matches({ tool_name: canonical }) && !matches({ tool_name: own }),
  );
  return [
    `its matcher is compared with ${NAMES}`,
    ...missed.map(([own, canonical]) => `it does not find ${canonical} of other agents, which is \`${own}\` to Astrid`),
  ];
}

function ofHandler({ handler, timeoutSecs, failAction, event }: Hook): string[] {
  const said = timeoutSecs > MOST_SECONDS ? [`its handler is stopped after ${MOST_SECONDS} seconds`] : [];
  if (handler.type === "http") return said;
  if (handler.type === "wasm") {
    const isHeld = failAction !== "block" && event === "pre_tool_call";
    return [
      ...said,
      "its module is in the card",
      ...(isHeld ? [`one that does not end in time denies the call, although its fail_action is ${failAction}`] : []),
    ];
  }
  const files = [...(handler.command.includes("/") ? [handler.command] : []), ...filesNamedIn(handler.args.join(" "))];
  const outside = files.map(noteOnNamedFile);
  const folder =
    handler.workingDir === null ? [] : [`it runs in ${handler.workingDir}, which does not come with the card`];
  return [
    ...said,
    ...outside,
    ...folder,
    "in other agents its paths begin in the folder that the agent works in at the time",
  ];
}

function ofAnswers({ event, failAction, id, asyncMode }: Hook): string[] {
  const own = [
    `its id (${id}) is not kept`,
    "user_id is empty in agents other than Astrid",
    ...(asyncMode ? ["async_mode has no effect, not even in Astrid: the agent waits for it"] : []),
  ];
  if (AFTER_CALL.includes(event))
    return [...own, "what it answers has no effect: nothing can be rejected after the call"];
  if (event !== "pre_tool_call") return [...own, ...ofLifecycleEvent(event)];
  return [
    ...own,
    "of what it modifies, `arguments` replaces the tool's input, and blocks in agents that take no other input, as Astrid; nothing else has a place to go",
    "the default answer of a question is not shown",
    OF_ASKING,
    ...(failAction === "warn" ? ["its failure is noted in the journal, without what it printed"] : []),
  ];
}

const OF_ASKING =
  "a question of it holds nothing in agents that cannot ask then, unless the consent says so (--ask-fallback deny)";

/** What differs for hooks that are asked together. */
export function chainDifferences(hooks: readonly Hook[]): string[] {
  const [first] = hooks;
  if (first === undefined || hooks.length === 1) return [];
  const seconds = hooks.reduce((sum, { timeoutSecs }) => sum + timeoutSecs, 0);
  return [
    `the ${hooks.length} hooks on ${first.event} are one hook of the card: they are asked in turn, and answer together`,
    ...(seconds > MOST_SECONDS ? [`together they are stopped after ${MOST_SECONDS} seconds`] : []),
  ];
}

function ofLifecycleEvent(event: AstridEvent): string[] {
  const { hold, injects, transforms } = powersOf(eventNamed("astrid", event));
  return [
    ...(hold === null
      ? ["it holds nothing: this event cannot be held"]
      : [`its block comes to \`${hold}\``, OF_ASKING]),
    ...(injects ? ["of what it modifies, `context` is text for the model"] : []),
    ...(transforms
      ? ["what it modifies takes the place of the fields of that name, in agents that take such changes"]
      : []),
  ];
}
