import type { Server } from "../../card/server.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

/** What the person says in OpenCode's configuration: whether the server is started. */
export const SWITCH = "enabled";

/**
 * OpenCode has the program and its arguments in one list, and its own word for the way to reach a server. It starts what its
 * configuration names without asking anybody, so every server is off until a person turns it on.
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

/** What other agents write as `${NAME}`. */
function variables(text: string): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/gu, "{env:$1}");
}

// `{file:…}` and `{env:…}`, any other word in their place but for the `${NAME:-default}` of other agents, and a brace before
// a variable: OpenCode replaces variables first, so that `{fi${NOTHING}le:…}` becomes a file.
const REFERENCE = /\{(?:\w*\$\{|\s*(?:env|file)\s*:|\w*:(?!-))/iu;

/**
 * OpenCode replaces `{file:path}` by what is in the file and `{env:NAME}` by the variable anywhere in the text of its
 * configuration, before it reads it as JSON: a header would carry the user's private key to the server, and a file that is
 * missing makes it refuse the whole configuration.
 */
function requireNoReference(name: string, value: unknown): void {
  const found = textsOf(value).find((text) => REFERENCE.test(text));
  if (found === undefined) return;
  const at = Math.max(0, found.search(REFERENCE));
  throw new Problem(
    "DRWN_SERVER_REFUSED",
    `the MCP server \`${clean(name, 80)}\` has \`${clean(found.slice(at), 120)}\`, which OpenCode would replace by what is on this machine`,
    { hint: "remove the card that brings it (`drwn remove`), or name the other agents with `drwn write --runtime`" },
  );
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]);
}
