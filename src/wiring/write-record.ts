import { layout } from "../contract/layout.ts";
import { drwn } from "../kernel/advice.ts";
import { readFormatIfThere, readRecordIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import { isProblem } from "../kernel/problem.ts";
import { AGENT_IDS } from "../policy/event.ts";
import { jsonOriginal } from "./json-file.ts";
import { serversRecord } from "./servers.ts";
import { skillsRecord } from "./skills.ts";

/** Which settings file of an agent holds the hook: the user's own, or the project's personal one. */
const settingsLevelField = z.enum(["user", "project"]);

export type SettingsLevel = z.infer<typeof settingsLevelField>;

const writtenSchema = z.strictObject({
  version: z.literal(2),
  /** The project's folder, if nothing else may know it: a project without consents has no ledger. */
  folder: z.string().optional(),
  wiring: settingsLevelField,
  /** The agents that were wired. */
  runtimes: z.array(z.enum(AGENT_IDS)),
  /** The agents that a person chose for this project on this machine, instead of those that are asked for or found. */
  chosen: z.array(z.enum(AGENT_IDS)).min(1).optional(),
  /** By the folder of the skills, relative to the project's folder. */
  skills: z.record(z.string(), skillsRecord),
  /** By agent. */
  servers: z.partialRecord(z.enum(AGENT_IDS), serversRecord),
});

/** What `write` has put into one project, so that it can be taken out again. */
export type WriteRecord = z.infer<typeof writtenSchema>;

export const NOTHING_WRITTEN: WriteRecord = { version: 2, wiring: "user", runtimes: [], skills: {}, servers: {} };

export function readWriteRecord(home: string, key: string): WriteRecord | undefined {
  return readRecordIfThere(layout.written(home, key), writtenSchema, drwn("write"));
}

const wiringSchema = z.strictObject({ version: z.literal(1), files: z.record(z.string(), jsonOriginal) });

/**
 * What `write` has put into agents' settings files, by path. Without it, or if it is damaged, drwn still knows its entries,
 * and leaves only the empty objects around them.
 */
export function readSettingsRecord(home: string): z.infer<typeof wiringSchema> {
  try {
    return readFormatIfThere(layout.wiring(home), wiringSchema) ?? { version: 1, files: {} };
  } catch (error) {
    if (isProblem(error) && error.code === "DRWN_FILE_INVALID") return { version: 1, files: {} };
    throw error;
  }
}
