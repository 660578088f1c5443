import type { Server } from "../../card/server.ts";
import { digestOf } from "../../kernel/digest.ts";
import { requireWritable } from "../../kernel/files.ts";
import { formatToml, parseToml } from "../../kernel/format/toml.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { Change } from "../../wiring/changes.ts";
import { foldersAround, missingFolders, requireInside } from "../../wiring/file-location.ts";
import { decodeText, readSettings } from "../../wiring/json-file.ts";
import type { PlannedServers, ServersRecord, ServersRequest } from "../../wiring/servers.ts";
import { projectConfigFile } from "./paths.ts";

const BEGIN = "# drwn: MCP servers of this project's cards; `drwn write` keeps them up to date";
const END = "# drwn: end";

interface TomlFile {
  root: string;
  file: string;
  path: string;
  before: Buffer | null;
  text: string;
}

/**
 * What has to change for the project's `.codex/config.toml` to hold these MCP servers, in one block of ours after
 * everything else. Every other byte stays, and taking the block out restores the file. A block that somebody edited is
 * left alone. Codex reads the file in projects that its user trusts, and knows no servers of the type `sse`.
 */
export function planCodexServers(request: Omit<ServersRequest, "file">): PlannedServers {
  const { root, record } = request;
  const file = projectConfigFile(root);
  const servers = Object.entries(request.servers as Record<string, Server>).filter(([, { type }]) => type !== "sse");
  if (servers.length === 0 && record === undefined) return { changes: [], record: undefined, leftUntouched: [] };
  const toml = openToml(root, file);
  const found = findBlock(toml.text);
  const isEdited = found !== null && !isAsWritten(found.block, record);
  if (isEdited) return { changes: [], record, leftUntouched: [`${file}: drwn's block`] };
  const rest = found === null ? toml.text : toml.text.slice(0, found.start) + toml.text.slice(found.end);
  const former = found === null ? undefined : record;
  return servers.length === 0 ? removeBlock(toml, rest, former) : putBlock(toml, { rest, servers, former });
}

function openToml(root: string, file: string): TomlFile {
  const path = requireInside({ root, file });
  const before = readSettings(path);
  const text = before === null ? "" : decodeText(file, before);
  parseToml(text, { file });
  return { root, file, path, before, text };
}

function findBlock(text: string): { start: number; end: number; block: string } | null {
  const start = text.indexOf(BEGIN);
  if (start < 0) return null;
  const last = text.indexOf(END, start);
  if (last < 0) return { start, end: text.length, block: text.slice(start) };
  const end = last + END.length + (text[last + END.length] === "\n" ? 1 : 0);
  return { start, end, block: text.slice(start, end) };
}

function isAsWritten(block: string, record: ServersRecord | undefined): boolean {
  return record !== undefined && Object.values(record.servers).every(({ digest }) => digest === digestOf(block));
}

interface BlockRequest {
  /** The file without the block. */
  rest: string;
  servers: readonly [string, Server][];
  /** The record of the block in the file; undefined: there is no block. */
  former: ServersRecord | undefined;
}

function putBlock(toml: TomlFile, { rest, servers, former }: BlockRequest): PlannedServers {
  requireFree(toml, rest, servers);
  const block = `${BEGIN}\n${formatToml({ mcp_servers: Object.fromEntries(servers.map(([name, server]) => [name, toCodexServer(server)])) })}${END}\n`;
  const separator = former?.origin.containers["separator"] ?? (rest === "" || rest.endsWith("\n") ? "" : "\n");
  const body = former === undefined ? rest + separator : rest;
  const after = Buffer.from(body + block);
  const origin = former?.origin ?? {
    containers: { file: toml.before === null ? null : "", separator },
    folders: toml.before === null ? missingFolders(toml) : [],
  };
  const digest = digestOf(block);
  const marks = Object.fromEntries(servers.map(([name]) => [name, { digest, isAdopted: false }]));
  const names = servers.map(([name]) => clean(name, 80)).join(", ");
  const what = `${plural(servers.length, "MCP server")}: ${names}${describeUnreplaced(servers)}`;
  return { changes: changeTo(toml, after, { what }), record: { origin, servers: marks }, leftUntouched: [] };
}

function removeBlock(toml: TomlFile, rest: string, former: ServersRecord | undefined): PlannedServers {
  if (former === undefined) return { changes: [], record: undefined, leftUntouched: [] };
  const { containers, folders } = former.origin;
  const separator = containers["separator"] ?? "";
  const text = separator !== "" && rest.endsWith(separator) ? rest.slice(0, -separator.length) : rest;
  const isOurs = containers["file"] === null && text === "";
  const after = isOurs ? null : Buffer.from(text);
  return {
    changes: changeTo(toml, after, { what: "MCP servers", folders: foldersAround(toml, folders) }),
    record: undefined,
    leftUntouched: [],
  };
}

function changeTo(
  { path, before }: TomlFile,
  after: Buffer | null,
  about: { what: string; folders?: readonly string[] },
): Change[] {
  if (before === null) return after === null ? [] : [{ action: "create", path, before, after, mode: 0o644, ...about }];
  if (after?.equals(before) === true) return [];
  requireWritable(path);
  return after === null
    ? [{ action: "remove", path, before, after, ...about }]
    : [{ action: "update", path, before, after, what: about.what }];
}

/** If a table is there twice, Codex refuses the whole file. */
function requireFree({ file }: TomlFile, rest: string, servers: readonly [string, Server][]): void {
  const present = parseToml(rest, { file })["mcp_servers"];
  const taken = servers.find(
    ([name]) => typeof present === "object" && present !== null && Object.hasOwn(present, name),
  );
  if (taken === undefined) return;
  throw new Problem("DRWN_TARGET_OCCUPIED", `${clean(file)}: the MCP server \`${clean(taken[0], 80)}\` is not drwn's`, {
    hint: "rename or remove it there, then run the command again",
  });
}

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
