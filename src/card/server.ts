import { lineText } from "../format/schema.ts";
import * as z from "../format/zod.ts";

/** The agent starts it as a child process and talks to it over its standard streams. */
const localServer = z.strictObject({
  type: z.literal("stdio").optional(),
  command: lineText(1_000).min(1),
  args: z.array(z.string().max(10_000)).max(200).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/u, { error: "a variable name" }), z.string().max(10_000)).optional(),
});

const remoteServer = z.strictObject({
  type: z.enum(["http", "sse"]),
  url: z.url({ protocol: /^https?$/u, error: "an http(s) URL" }).max(2_000),
  headers: z.record(z.string().regex(/^[\w-]+$/u, { error: "a header name" }), lineText(10_000)).optional(),
});

/** An MCP server, in the form that agents use. */
export const serverSchema = z.discriminatedUnion("type", [localServer, remoteServer], {
  error: 'absent, "stdio", "http" or "sse"',
});

export type Server = z.output<typeof serverSchema>;
