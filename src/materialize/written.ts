import { layout } from "../contract/layout.ts";
import { readFormatIfThere } from "../format/read.ts";
import { z } from "../format/schema.ts";
import { wiringRecord } from "./targets/claude-wiring.ts";
import { serversRecord } from "./targets/servers.ts";
import { skillsRecord } from "./targets/skills.ts";

const writtenSchema = z.strictObject({
  version: z.literal(1),
  /** Which settings file of the agent carries the hook: the user's own, or the project's personal one. */
  wiring: z.enum(["user", "project"]),
  skills: skillsRecord.nullable(),
  servers: serversRecord.nullable(),
});

/** What `write` has put into one project, and by which it can be taken out again. */
export type Written = z.infer<typeof writtenSchema>;

export function readWritten(home: string, key: string): Written {
  return (
    readFormatIfThere(layout.written(home, key), writtenSchema) ?? {
      version: 1,
      wiring: "user",
      skills: null,
      servers: null,
    }
  );
}

const wiringSchema = z.strictObject({ version: z.literal(1), files: z.record(z.string(), wiringRecord) });

/** What `write` has put into settings files of agents, by their path. */
export type Wiring = z.infer<typeof wiringSchema>;

export function readWiring(home: string): Wiring {
  return readFormatIfThere(layout.wiring(home), wiringSchema) ?? { version: 1, files: {} };
}
