import { layout } from "../contract/layout.ts";
import * as z from "../format/zod.ts";
import { appendLines, type ChainedLog, lineShape, readLines } from "./chained-log.ts";

const line = z.strictObject({
  ...lineShape,
  ancestry: z.boolean(),
  terminal: z.boolean(),
  releaseAgeHours: z.int().nonnegative(),
});

/** One change of how this machine takes consents, as it was from then on. */
export type SettingsEvent = Omit<z.infer<typeof line>, "previous">;

/** Notes what is about to become of the settings; called before they are replaced, so that no change is without its line. */
export function recordSettingsChange(home: string, event: Omit<SettingsEvent, "user">): void {
  appendLines(layout.settingsLog(home), [event]);
}

export function readSettingsLog(home: string): ChainedLog<SettingsEvent> {
  return readLines(layout.settingsLog(home), line);
}

type Recorded = Pick<SettingsEvent, "ancestry" | "terminal" | "releaseAgeHours">;

/** Names of the settings that are not as the log left them; as they were at first, where it has no line. */
export function settingsApart(
  { events }: ChainedLog<SettingsEvent>,
  { first, actual }: { first: Recorded; actual: Recorded },
): (keyof Recorded)[] {
  const recorded = events.at(-1) ?? first;
  return (["ancestry", "terminal", "releaseAgeHours"] as const).filter((name) => recorded[name] !== actual[name]);
}
