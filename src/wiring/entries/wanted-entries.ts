import type { Moments } from "../../hot/adapter/adapter.ts";
import type { Host } from "../../kernel/host.ts";
import type { Runtime } from "../../policy/event.ts";
import { type EntryManners, type HookPhase, hookCommand } from "../launcher.ts";
import type { HooksRequest } from "../target.ts";
import { wantedMoments } from "../wanted.ts";
import type { HookEntry } from "./plan-entries.ts";
import { wantedTools } from "./wanted-tools.ts";

/** How an agent's settings say what to ask the hook about, with one entry for each event. */
export interface EntryForm {
  runtime: Runtime;
  /** The agent's names for the events around a tool call. */
  toolEvents: Readonly<Record<"pre" | "post", readonly string[]>>;
  /** Absent: it reports no moments of a session. */
  moments?: Moments;
  /** How to limit an entry to some tools. Absent: the agent asks the hook about every tool. */
  narrowing?: { canonicalTools: Readonly<Record<string, string>>; matcherOf(tools: readonly string[]): string };
  mannersAt?(phase: HookPhase): EntryManners;
  toValue(entry: WantedEntry): Readonly<Record<string, unknown>>;
}

interface WantedEntry {
  phase: HookPhase;
  event: string;
  command: string;
  /** To be spread into the fields that the agent compares with the tool's name; empty: every tool. */
  matcher: { matcher?: string };
}

type WhoWants = Pick<HooksRequest, "others" | "own"> & { host: Pick<Host, "drwnHome"> };

/** An entry for each event that some policy wants. */
export function wantedEntries({ host, own, others }: WhoWants, form: EntryForm): HookEntry[] {
  const { runtime, toolEvents, moments, narrowing, mannersAt, toValue } = form;
  const policies = [...own, ...others];
  const tools = (["pre", "post"] as const).flatMap((phase) => {
    const names = wantedTools(policies, `${phase}-tool`, narrowing ?? { canonicalTools: {} });
    if (names === undefined) return [];
    const isNarrow = names !== null && narrowing !== undefined;
    const matcher = isNarrow ? { matcher: narrowing.matcherOf(names) } : {};
    return toolEvents[phase].map((event) => ({ phase, event, matcher }));
  });
  const told = moments === undefined ? [] : wantedMoments(moments, policies);
  return [...tools, ...told.map(([phase, event]) => ({ phase, event, matcher: {} }))].map((wanted) => {
    const { phase, event } = wanted;
    const command = hookCommand({ home: host.drwnHome, runtime, phase, ...mannersAt?.(phase) });
    return { event, value: toValue({ ...wanted, command }) };
  });
}
