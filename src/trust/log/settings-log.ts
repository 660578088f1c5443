import { isDeepStrictEqual } from "node:util";
import { layout } from "../../contract/layout.ts";
import * as z from "../../format/zod.ts";
import { signersShape } from "../keys/signers.ts";
import { appendLines, type ChainedLog, lineShape, readLines } from "./chained-log.ts";

const line = z.strictObject({
  ...lineShape,
  ancestry: z.boolean(),
  terminal: z.boolean(),
  releaseAgeHours: z.int().nonnegative(),
  signers: signersShape.default({}),
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

/** How a machine takes consents: how sure it wants to be that a person gives them, and whose signed ones it takes. */
export type ConsentTaking = Omit<SettingsEvent, "time" | "user">;

const NAMES = ["ancestry", "terminal", "releaseAgeHours", "signers"] as const satisfies (keyof ConsentTaking)[];

/** What was set last; `first`, where nothing was. */
export function recordedTaking({ events }: ChainedLog<SettingsEvent>, first: ConsentTaking): ConsentTaking {
  const { ancestry, terminal, releaseAgeHours, signers } = events.at(-1) ?? first;
  return { ancestry, terminal, releaseAgeHours, signers };
}

/** Names of the settings in which these differ. */
export function settingsApart(one: ConsentTaking, other: ConsentTaking): (keyof ConsentTaking)[] {
  return NAMES.filter((name) => !isDeepStrictEqual(one[name], other[name]));
}
