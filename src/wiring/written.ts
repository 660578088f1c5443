import { layout } from "../contract/layout.ts";
import { readFormatIfThere } from "../format/read.ts";
import * as z from "../format/zod.ts";
import { RUNTIMES } from "../policy/event.ts";
import { jsonOrigin } from "./json-edit.ts";
import { serversRecord } from "./servers.ts";
import { skillsRecord } from "./skills.ts";

/** Which settings file of an agent holds the hook: the user's own, or the project's personal one. */
const wiringField = z.enum(["user", "project"]);

export type Wiring = z.infer<typeof wiringField>;

const writtenSchema = z.strictObject({
  version: z.literal(2),
  /** The project's folder, if nothing else may know it: a project without consents has no ledger. */
  folder: z.string().optional(),
  wiring: wiringField,
  /** The agents that were wired. */
  runtimes: z.array(z.enum(RUNTIMES)),
  /** The agents that a person chose for this project on this machine, instead of those that are asked for or found. */
  chosen: z.array(z.enum(RUNTIMES)).min(1).optional(),
  /** By the folder of the skills, relative to the project's folder. */
  skills: z.record(z.string(), skillsRecord),
  /** By agent. */
  servers: z.partialRecord(z.enum(RUNTIMES), serversRecord),
});

/** What `write` has put into one project, so that it can be taken out again. */
export type Written = z.infer<typeof writtenSchema>;

export const NOTHING_WRITTEN: Written = { version: 2, wiring: "user", runtimes: [], skills: {}, servers: {} };

export function readWritten(home: string, key: string): Written | undefined {
  return readFormatIfThere(layout.written(home, key), writtenSchema);
}

const wiringSchema = z.strictObject({ version: z.literal(1), files: z.record(z.string(), jsonOrigin) });

/** What `write` has put into agents' settings files, by path. */
export function readWiring(home: string): z.infer<typeof wiringSchema> {
  return readFormatIfThere(layout.wiring(home), wiringSchema) ?? { version: 1, files: {} };
}
