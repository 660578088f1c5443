import { eventNamed } from "../../../policy/event-names.ts";
import { powersOf } from "../../../policy/taxonomy.ts";
import type { DescribeReach } from "../../importing/imported.ts";
import type { AstridEvent } from "../words/events.ts";
import type { Hook } from "../words/hook.ts";

const AFTER_CALL = ["post_tool_call", "tool_error"];
const MOST_SECONDS = 29;

/** Why no card can hold this hook; undefined: one can. */
export function whyNotFromAstrid({ enabled, handler }: Hook): string | undefined {
  if (handler.type === "command" && handler.args.some((text) => /\bdrwn_hook=/u.test(text))) {
    return "it asks drwn, and what drwn answers is in cards already";
  }
  return enabled ? undefined : "it is not enabled";
}

/** What the hook in the card does otherwise than in Astrid, or where. */
export function astridDifferences(hook: Hook, describeReach: DescribeReach): string[] {
  const { event } = hook;
  const canonical = eventNamed("astrid", event);
  return [
    describeReach(canonical, event === "pre_tool_call" || AFTER_CALL.includes(event)),
    ...ofMatching(hook),
    ...ofHandler(hook),
    ...ofAnswers(hook),
  ];
}

function ofMatching({ event, matcher }: Hook): string[] {
  if (event !== "pre_tool_call" && !AFTER_CALL.includes(event)) {
    return matcher === null
      ? ["it reads what the agent at hand says of the event, under Astrid's names where it has some"]
      : ["its matcher is compared with the tool's name where the event has one; otherwise it never runs"];
  }
  if (matcher === null) return ["it reads the tools' names and arguments as the agent at hand spells them"];
  return ["its matcher is compared with the tools' names of the agent at hand, which may have none like it"];
}

function ofHandler({ handler, timeoutSecs }: Hook): string[] {
  const said = timeoutSecs > MOST_SECONDS ? [`its handler is stopped after ${MOST_SECONDS} seconds`] : [];
  if (handler.type === "http") return said;
  if (handler.type === "wasm") {
    return [
      ...said,
      "its module is in the card; one that does not end in time denies the call, whatever fail_action says",
    ];
  }
  const files = [handler.command, ...handler.args].filter((word) =>
    /^[\w@.~-]*\/|^[\w-]+\.(?:py|sh|js|ts|rb|pl)$/u.test(word),
  );
  const outside = files.map((file) => `\`${file}\` is a file of the machine, and does not come with the card`);
  const folder =
    handler.workingDir === null ? [] : [`it runs in ${handler.workingDir}, which does not come with the card`];
  return [...said, ...outside, ...folder];
}

function ofAnswers({ event, failAction, id, asyncMode }: Hook): string[] {
  const own = [
    `its id (${id}) is not kept`,
    "previous_results and user_id are empty: each hook of a card is asked for itself",
    ...(asyncMode ? ["async_mode has no effect, in Astrid neither: the agent waits for it"] : []),
  ];
  if (AFTER_CALL.includes(event))
    return [...own, "what it answers has no effect: nothing can be rejected after the call"];
  if (event !== "pre_tool_call") return [...own, ...ofMoment(event)];
  return [
    ...own,
    "of what it modifies, `arguments` replaces the tool's input; nothing else has a place to go",
    "the default answer of a question is not shown",
    ...(failAction === "warn" ? ["its failure is noted in the journal, without what it printed"] : []),
  ];
}

function ofMoment(event: AstridEvent): string[] {
  const { hold, injects, transforms } = powersOf(eventNamed("astrid", event));
  return [
    hold === null ? "it holds nothing: this event cannot be held" : `its block comes to \`${hold}\``,
    ...(injects ? ["of what it modifies, `context` is text for the model"] : []),
    ...(transforms ? ["what it modifies takes the place of the fields of that name"] : []),
  ];
}
