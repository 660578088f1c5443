import type { Server } from "../../card/server.ts";

/** OpenCode has the program and its arguments in one list, and its own word for the way to reach a server. */
export function toOpencodeServers(servers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers as Record<string, Server>).map(([name, server]) => [name, toOpencode(server)]),
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
