import type { Server } from "../../card/server.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

/**
 * Cursor has its own notation for a user's variable. Any other notation stays text, and would reach the server
 * unchanged.
 */
export function toCursorServers(servers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers as Record<string, Server>).map(([name, server]) => [
      name,
      mapTexts(server, (text) => toCursorText(name, text)),
    ]),
  );
}

/** Changes each string of a server, wherever it is, but no names of fields. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]));
}

function toCursorText(server: string, text: string): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)(:-[^}]*)?\}/gu, (whole, name: string, fallback: string | undefined) => {
    if (fallback === undefined) return `\${env:${name}}`;
    throw new Problem(
      "DRWN_SERVER_REFUSED",
      `the MCP server \`${clean(server, 80)}\` has \`${clean(whole, 120)}\`, and Cursor has no defaults for variables`,
      { hint: advise`remove the card that brings it: \`${drwn("remove")}\` with its name` },
    );
  });
}
