import type { LifecycleAdapter } from "../../hot/adapter/adapter.ts";
import type { Host } from "../../kernel/host.ts";
import type { AgentId } from "../../policy/event.ts";
import { type HookPhase, hookCommand } from "../launcher.ts";
import { wantedLifecycleEvents } from "../policy-triggers.ts";
import type { HooksRequest } from "../target.ts";
import type { HookEntry } from "./plan-entries.ts";

/** How an agent's settings say what to ask the hook about, with one entry for each event. */
export interface EntryForm {
  runtime: AgentId;
  /** The agent's names for the events around a tool call. */
  toolEvents: Readonly<Record<"pre" | "post", readonly string[]>>;
  /** Absent: it reports no moments of a session. */
  lifecycleAdapter?: LifecycleAdapter;
  fallbackAnswerAt?(phase: HookPhase): string | undefined;
  toValue(entry: WantedEntry): Readonly<Record<string, unknown>>;
}

interface WantedEntry {
  phase: HookPhase;
  event: string;
  command: string;
}

type WhoWants = Pick<HooksRequest, "others" | "own"> & { host: Pick<Host, "drwnHome"> };

/** An entry for each event that some policy wants. It is about every tool: the hook decides which policies see a call. */
export function wantedEntries({ host, own, others }: WhoWants, form: EntryForm): HookEntry[] {
  const { runtime, toolEvents, lifecycleAdapter, fallbackAnswerAt, toValue } = form;
  const policies = [...own, ...others];
  const tools = (["pre", "post"] as const).flatMap((phase) => {
    const isWanted = policies.some(({ phases }) => phases.includes(`${phase}-tool`));
    return isWanted ? toolEvents[phase].map((event) => ({ phase, event })) : [];
  });
  const lifecycleEvents = lifecycleAdapter === undefined ? [] : wantedLifecycleEvents(lifecycleAdapter, policies);
  return [...tools, ...lifecycleEvents.map(([phase, event]) => ({ phase, event }))].map((wanted) => {
    const { phase, event } = wanted;
    const command = hookCommand({ home: host.drwnHome, runtime, phase, fallbackAnswer: fallbackAnswerAt?.(phase) });
    return { event, value: toValue({ ...wanted, command }) };
  });
}
