import type { Server } from "../../card/server.ts";
import { clean } from "../../kernel/text.ts";

const VARIABLE = /^\$\{([A-Za-z_]\w*)\}$/u;
const BEARER = /^Bearer \$\{([A-Za-z_]\w*)\}$/iu;

/**
 * A server in Codex's form. Codex replaces no variables in strings. It has fields that name the user's variables
 * instead: for a value that is the variable of the same name, for a header that is a variable, and for a bearer token.
 */
export function toCodexServer(server: Server): Record<string, unknown> {
  if ("url" in server) {
    const { plain, named } = sortOut(server.headers, (_, value) => VARIABLE.exec(value)?.[1]);
    const [header, token] = Object.entries(plain).find(isBearer) ?? [];
    if (header !== undefined) delete plain[header];
    return {
      url: server.url,
      ...(token === undefined ? {} : { bearer_token_env_var: BEARER.exec(token)?.[1] }),
      ...(isEmpty(plain) ? {} : { http_headers: plain }),
      ...(isEmpty(named) ? {} : { env_http_headers: named }),
    };
  }
  const { command, args, env } = server;
  const { plain, named } = sortOut(env, (name, value) => (VARIABLE.exec(value)?.[1] === name ? name : undefined));
  return {
    command,
    ...(args === undefined ? {} : { args }),
    ...(isEmpty(named) ? {} : { env_vars: Object.keys(named) }),
    ...(isEmpty(plain) ? {} : { env: plain }),
  };
}

/** Describes the card's variables that would reach these servers as plain text; "": none would. */
export function describeUnreplaced(servers: readonly (readonly [string, Server])[]): string {
  const found = servers.flatMap(([name, server]) => {
    const texts = textsOf(toCodexServer(server)).flatMap((text) => text.match(/\$\{[A-Za-z_][^}]*\}/gu) ?? []);
    return [...new Set(texts)].map((text) => `${clean(text, 80)} of ${clean(name, 80)}`);
  });
  return found.length === 0 ? "" : `; Codex replaces no variables there: ${found.join(", ")} stays text`;
}

function isBearer([header, value]: readonly [string, string]): boolean {
  return header.toLowerCase() === "authorization" && BEARER.test(value);
}

type Texts = Record<string, string>;

/** Splits values into plain ones and those that are a variable, given by its name. */
function sortOut(
  values: Readonly<Texts> | undefined,
  variableOf: (name: string, value: string) => string | undefined,
): { plain: Texts; named: Texts } {
  const plain: Texts = {};
  const named: Texts = {};
  for (const [name, value] of Object.entries(values ?? {})) {
    const variable = variableOf(name, value);
    if (variable === undefined) plain[name] = value;
    else named[name] = variable;
  }
  return { plain, named };
}

function isEmpty(values: Readonly<Texts>): boolean {
  return Object.keys(values).length === 0;
}

function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
