import { digestOf } from "../kernel/digest.ts";
import { appendChild, offsetOfPath, positionAt, removeChild, replaceValue } from "../kernel/format/edit-json.ts";
import type { JsonExtras, JsonPath } from "../kernel/format/json.ts";
import * as z from "../kernel/format/zod.ts";
import { sortedBy } from "../kernel/order.ts";
import { Problem } from "../kernel/problem.ts";
import { clean, plural } from "../kernel/text.ts";
import type { Change } from "./changes.ts";
import {
  editDraft,
  finishDraft,
  isObject,
  type JsonFile,
  jsonOriginal,
  openContainers,
  openJsonFile,
  requireObject,
  settleContainers,
  startDraft,
} from "./json-file.ts";

export const serversRecord = z.strictObject({
  origin: jsonOriginal,
  servers: z.record(
    z.string(),
    z.strictObject({
      digest: z.string(),
      /** The digest before a change that may not have been made yet. */
      former: z.string().exactOptional(),
      /** It was there before drwn wanted it, so it stays when drwn is done with it. */
      isAdopted: z.boolean(),
    }),
  ),
});

/** Which MCP servers `write` put into a file, and what has to be remembered to take them out again. */
export type ServersRecord = z.infer<typeof serversRecord>;

export interface ServersRequest {
  /** `.mcp.json` */
  file: string;
  /** The field of the file that holds servers by name; absent: `mcpServers`. */
  field?: string;
  /**
   * The field of a server that turns it on, for a person to change: drwn writes it with a new server and then leaves it
   * alone.
   */
  switch?: string;
  root: string;
  servers: Readonly<Record<string, unknown>>;
  record: ServersRecord | undefined;
  /** What the agent accepts in the file beside strict JSON. */
  extras?: JsonExtras;
  /** Changes that come before: if the user's own settings are the project's, the hook may be among them. */
  planned?: readonly Change[];
}

export interface PlannedServers {
  changes: Change[];
  /** undefined: nothing in the file is drwn's. */
  record: ServersRecord | undefined;
  /** Servers that stay as they are because somebody changed them after drwn wrote them. */
  leftUntouched: string[];
}

/**
 * What has to change for the file to hold these MCP servers beside those of others, whose bytes stay. Refuses to take
 * the name of a server that isn't drwn's, unless it is the same server.
 */
export function planServers(request: ServersRequest): PlannedServers {
  const { root, servers, record, field = "mcpServers" } = request;
  // A file from which drwn has nothing to take and into which it puts nothing may look however it likes.
  if (Object.keys(servers).length === 0 && record === undefined) return { changes: [], record, leftUntouched: [] };
  const file = openJsonFile({ root, file: request.file, extras: request.extras, planned: request.planned ?? [] });
  const present = requireObject(file, [field]);
  const edits = sortOut(request, { file, field, present });
  let draft = startDraft(file, record?.origin);
  for (const name of edits.replace) {
    draft = editDraft(draft, (text) => replaceValue(text, [field, name], servers[name]));
  }
  const held = Object.keys(present).filter((name) => record?.servers[name]?.isAdopted === false);
  for (const name of edits.append) {
    const containers = [{ path: [field], empty: {} }];
    draft = openContainers(draft, { file, containers, holdsOurs: () => held.length > 0 });
    draft = editDraft(draft, (text) => appendChild(text, [field], { key: name, value: servers[name] }));
    held.push(name);
  }
  for (const name of edits.remove) draft = editDraft(draft, (text) => removeChild(text, [field, name]));
  if (edits.remove.length > 0) draft = settleContainers(draft, { path: [field], isRemembered: true });
  const change = finishDraft(file, { draft, what: describe(edits, request.switch), mode: 0o644 });
  return {
    changes: change === undefined ? [] : [change],
    record: Object.keys(edits.servers).length === 0 ? undefined : { origin: draft.origin, servers: edits.servers },
    leftUntouched: edits.leftUntouched.map((name) => `${request.file}: ${field}.${name}`),
  };
}

type Mark = ServersRecord["servers"][string];

interface Edits {
  append: string[];
  replace: string[];
  remove: string[];
  leftUntouched: string[];
  servers: ServersRecord["servers"];
}

interface Present {
  file: JsonFile;
  field: string;
  present: Record<string, unknown>;
}

function sortOut(request: ServersRequest, { file, field, present }: Present): Edits {
  const { servers, record } = request;
  const digestOfValue = (value: unknown) => digestOfServer(value, request.switch);
  const edits: Edits = { append: [], replace: [], remove: [], leftUntouched: [], servers: {} };
  const former = new Map(Object.entries(record?.servers ?? {}));
  for (const [name, server] of Object.entries(servers)) {
    const written = former.get(name);
    former.delete(name);
    const mark = { digest: digestOfValue(server), isAdopted: written?.isAdopted ?? false };
    edits.servers[name] = mark;
    if (!Object.hasOwn(present, name)) {
      edits.append.push(name);
      mark.isAdopted = false;
    } else if (
      digestOfValue(present[name]) === mark.digest &&
      !lacksSwitch(request, { written, value: present[name] })
    ) {
      mark.isAdopted = written?.isAdopted ?? true;
    } else if (written === undefined) {
      throw occupied(file, [field, name]);
    } else if (isWritten(written, digestOfValue(present[name]))) {
      edits.replace.push(name);
    } else {
      edits.leftUntouched.push(name);
      mark.digest = written.digest;
    }
  }
  for (const [name, written] of former) {
    if (!Object.hasOwn(present, name) || written.isAdopted) continue;
    const isOurs = isWritten(written, digestOfValue(present[name]));
    (isOurs ? edits.remove : edits.leftUntouched).push(name);
  }
  return edits;
}

function isWritten({ digest, former }: Mark, actual: string): boolean {
  return actual === digest || actual === former;
}

/** Whether one of drwn's servers is on because nothing turns it off. Others' servers are their business. */
function lacksSwitch(
  request: ServersRequest,
  { written, value }: { written: Mark | undefined; value: unknown },
): boolean {
  if (request.switch === undefined || written === undefined || written.isAdopted) return false;
  return !isObject(value) || typeof value[request.switch] !== "boolean";
}

/** The digest of the value, whatever the order of its keys and the layout of its text, and whether or not it is on. */
function digestOfServer(value: unknown, toggle: string | undefined): string {
  const entries = isObject(value) ? Object.entries(value).filter(([key]) => key !== toggle) : null;
  return digestOf(JSON.stringify(sortKeys(entries === null ? value : Object.fromEntries(entries))));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    sortedBy(Object.entries(value), ([key]) => key).map(([key, inner]) => [key, sortKeys(inner)]),
  );
}

function occupied(file: JsonFile, path: JsonPath): Problem {
  const name = String(path.at(-1));
  const { line } = positionAt(file.text, offsetOfPath(file.text, path));
  const place = `${clean(file.file)}, line ${line}`;
  return new Problem("DRWN_TARGET_OCCUPIED", `${place}: the MCP server \`${clean(name, 80)}\` is not drwn's`, {
    hint: "rename or remove it there, then run the command again",
  });
}

function describe({ append, replace, remove }: Edits, toggle: string | undefined): string {
  const names = [...append, ...replace, ...remove];
  const listed = `${plural(names.length, "MCP server")}: ${names.map((name) => clean(name, 80)).join(", ")}`;
  const isOff = toggle !== undefined && append.length + replace.length > 0;
  return isOff ? `${listed}; off until you set \`${toggle}\` to true there` : listed;
}
