import { isAwaited } from "../../helpers/polytoken/events.ts";
import type { PolytokenHook } from "../../helpers/polytoken/run-hook.ts";
import { eventNamed, nameIn } from "../../policy/event-names.ts";

const TOOL_EVENTS = ["pre_tool_use", "post_tool_use", "post_tool_use_failure"];

/** The agents that a card's hooks run in. */
const AGENTS = ["claude-code", "codex"] as const;

/** How the entries begin that `drwn write` makes. */
const OWN_ENTRY = /^drwn_(?:hook|shared)=/u;

/** Why no card can hold this hook; undefined: one can. */
export function whyNot({ event, handler }: PolytokenHook): string | undefined {
  if (OWN_ENTRY.test(handler.bash)) return "it asks drwn, and what drwn answers is in cards already";
  return TOOL_EVENTS.includes(event) ? undefined : `a policy is about calls of tools, and ${event} is not`;
}

/** What the hook in the card does otherwise than in Polytoken, or where. */
export function differencesOf(hook: PolytokenHook): string[] {
  const { event, matcher } = hook;
  const canonical = eventNamed("polytoken", event);
  const agents = AGENTS.filter((agent) => nameIn(agent, canonical) !== undefined);
  return [
    `its event is ${canonical}; active on: ${agents.length === 0 ? "runner only" : agents.join(", ")}`,
    ...(matcher === undefined
      ? ["it reads the tools' names and inputs as the agent at hand spells them"]
      : [`\`${matcher}\` is compared with the tools' names of the agent at hand, which may have none like it`]),
    "its script is stopped after 9 seconds; Polytoken waits longer",
    ...(isAwaited(event) ? [] : ["the agent waits for it to end"]),
  ];
}
