import { layout } from "../contract/layout.ts";
import * as z from "../kernel/format/zod.ts";
import { appendLines, type ChainedLog, lineShape, readLines } from "./consent-log.ts";

const line = z.strictObject({
  ...lineShape,
  ancestry: z.boolean(),
  terminal: z.boolean(),
  releaseAgeHours: z.int().nonnegative(),
});

/** One change of how this machine takes consents, with the settings from then on. */
export type SettingsEvent = Omit<z.infer<typeof line>, "previous">;

/** Notes a change of the settings that is about to happen, before they are replaced: so every change has its line. */
export function recordSettingsChange(home: string, event: Omit<SettingsEvent, "user">): void {
  appendLines(layout.settingsLog(home), [event]);
}

export function readSettingsLog(home: string): ChainedLog<SettingsEvent> {
  return readLines(layout.settingsLog(home), line);
}

/** How a machine takes consents: how sure it wants to be that a person gives them. */
export type ConsentTaking = Omit<SettingsEvent, "time" | "user">;

const NAMES = ["ancestry", "terminal", "releaseAgeHours"] as const satisfies (keyof ConsentTaking)[];

/** What was set last; `first` if nothing ever was. */
export function recordedTaking({ events }: ChainedLog<SettingsEvent>, first: ConsentTaking): ConsentTaking {
  const { ancestry, terminal, releaseAgeHours } = events.at(-1) ?? first;
  return { ancestry, terminal, releaseAgeHours };
}

/** Names of the settings that differ. */
export function settingsApart(one: ConsentTaking, other: ConsentTaking): (keyof ConsentTaking)[] {
  return NAMES.filter((name) => one[name] !== other[name]);
}
