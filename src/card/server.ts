import { lineText } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { sortedBy } from "../kernel/order.ts";

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

/** What a person should know about an MCP server before an agent starts it or connects to it. */
export interface DescribedServer {
  name: string;
  /** The command with its arguments, or the address. */
  runs: string;
  /** The program's environment, as the card has it. */
  env: Readonly<Record<string, string>>;
  /** The headers of every request, as the card has them. */
  headers: Readonly<Record<string, string>>;
  /** Variables of the user's environment that an agent may put into any of that. */
  variables: string[];
}

export function describeServersOf(servers: Readonly<Record<string, Server>> = {}): DescribedServer[] {
  return Object.entries(servers).map(([name, server]) => describeServer(name, server));
}

function describeServer(name: string, server: Server): DescribedServer {
  const isLocal = "command" in server;
  const runs = isLocal ? [server.command, ...(server.args ?? [])].join(" ") : server.url;
  const env = (isLocal ? server.env : undefined) ?? {};
  const headers = (isLocal ? undefined : server.headers) ?? {};
  const texts = [runs, ...Object.values(env), ...Object.values(headers)];
  return { name, runs, env, headers, variables: sortedBy([...new Set(texts.flatMap(variablesOf))], (one) => one) };
}

// `${NAME}`, `${NAME:-default}`, `${env:NAME}` and `$NAME`: agents differ in which of them they replace.
const VARIABLE = /\$(?:\{(?:env:)?)?([A-Za-z_]\w*)/gu;

function variablesOf(text: string): string[] {
  return [...text.matchAll(VARIABLE)].flatMap(([, name]) => name ?? []);
}
