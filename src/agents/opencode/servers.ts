import type { Server } from "../../card/server.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

/** The field by which a person tells OpenCode whether to start the server. */
export const SWITCH = "enabled";

/**
 * OpenCode has the program and its arguments in one list, and its own names for the ways to reach a server. It starts
 * the servers of its configuration without asking anybody, so every server is off until a person turns it on.
 */
export function toOpencodeServers(servers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers as Record<string, Server>).map(([name, server]) => {
      requireNoReference(name, [name, server]);
      return [name, { ...toOpencode(server), [SWITCH]: false }];
    }),
  );
}

function toOpencode(server: Server): Record<string, unknown> {
  if ("url" in server) {
    const headers = server.headers === undefined ? {} : { headers: named(server.headers) };
    return { type: "remote", url: variables(server.url), ...headers };
  }
  const environment = server.env === undefined ? {} : { environment: named(server.env) };
  return { type: "local", command: [server.command, ...(server.args ?? [])].map(variables), ...environment };
}

function named(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, variables(value)]));
}

/** Other agents write `${NAME}`. */
function variables(text: string): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/gu, "{env:$1}");
}

// `{file:…}` and `{env:…}`, any other word in their place except the `${NAME:-default}` of other agents, and a brace
// before a variable: OpenCode replaces variables first, so that `{fi${NOTHING}le:…}` becomes a file.
const REFERENCE = /\{(?:\w*\$\{|\s*(?:env|file)\s*:|\w*:(?!-))/iu;

const DEFAULT = /\$\{[A-Za-z_]\w*:-[^}]*\}/u;

/**
 * OpenCode replaces `{file:path}` with the file's content and `{env:NAME}` with the variable anywhere in the text of
 * its configuration, before it reads it as JSON. A header could carry the user's private key to the server, and a
 * missing file makes OpenCode refuse the whole configuration.
 */
function requireNoReference(name: string, value: unknown): void {
  for (const text of textsOf(value)) {
    const at = text.search(REFERENCE);
    if (at >= 0) throw refused(name, text.slice(at), "which OpenCode would replace with what is on this machine");
    // A default would reach the server unchanged.
    const [fallback] = DEFAULT.exec(text) ?? [];
    if (fallback !== undefined) throw refused(name, fallback, "and OpenCode has no defaults for variables");
  }
}

function refused(name: string, found: string, why: string): Problem {
  return new Problem(
    "DRWN_SERVER_REFUSED",
    `the MCP server \`${clean(name, 80)}\` has \`${clean(found, 120)}\`, ${why}`,
    { hint: advise`remove the card that brings it: \`${drwn("remove")}\` with its name` },
  );
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}
