import fs from "node:fs";
import { openRegular } from "../../kernel/files.ts";
import * as z from "../../kernel/format/zod.ts";
import type { AgentId } from "../../policy/event.ts";
import { beginningOf, calledInput, shortText } from "../transcript/read-lines.ts";
import type { CallOutcome, ReportGap, TranscriptCall } from "../transcript/transcript.ts";

/** Whose database it is. */
export interface DatabaseOwner {
  agent: AgentId;
  title: string;
  /** The versions that write this format. */
  known: RegExp;
}

const OPENCODE: DatabaseOwner = { agent: "opencode", title: "OpenCode", known: /^1\.\d/u };

const LONGEST = 32 * 1024 * 1024;

/** In the order in which the calls began. */
const PARTS = `
  SELECT CASE WHEN length(part.data) <= ${LONGEST} THEN part.data END AS data, part.time_created AS at, session.id AS session, session.parent_id AS parent, session.directory, session.version
  FROM part JOIN session ON session.id = part.session_id
  WHERE part.data LIKE '%"tool"%'
  ORDER BY part.rowid`;

const epochMilliseconds = z
  .number()
  .transform((at) => new Date(at))
  .refine((date) => !Number.isNaN(date.getTime()));

const row = z.object({
  data: z.string().nullable(),
  at: epochMilliseconds,
  session: shortText,
  parent: shortText.nullable(),
  directory: shortText,
  version: shortText,
});

const part = z.object({
  type: z.literal("tool"),
  tool: shortText,
  callID: shortText,
  state: z.object({
    status: z.enum(["pending", "running", "completed", "error"]),
    input: calledInput,
    time: z.object({ start: epochMilliseconds.optional(), end: epochMilliseconds.optional() }).optional(),
  }),
});
const kind = z.object({ type: z.string() });

/** More parts than a session has in a while. */
const LAST = "part.rowid > (SELECT max(rowid) - 1000 FROM part) AND";

export async function* readOpencodeCalls(
  file: string,
  reportGap: ReportGap,
  lastBytes?: number,
  owner = OPENCODE,
): AsyncGenerator<TranscriptCall> {
  const tell = (what: string) => reportGap({ file, line: null, what });
  const database = openDatabase(file, owner, {
    session: ["id", "parent_id", "directory", "version"],
    part: ["session_id", "time_created", "data"],
  });
  if (typeof database === "string") return tell(database);
  try {
    for (const one of database.rows(lastBytes === undefined ? PARTS : PARTS.replace("WHERE", `WHERE ${LAST}`))) {
      const call = readRow(one, tell, owner);
      if (call !== undefined) yield call;
    }
  } finally {
    database.close();
  }
}

function readRow(
  value: unknown,
  tell: (what: string) => void,
  { agent, title, known }: DatabaseOwner,
): TranscriptCall | undefined {
  const read = row.safeParse(value).data;
  if (read === undefined) {
    tell(`has a part that isn't one as ${title} writes it`);
    return undefined;
  }
  if (read.data === null) {
    tell(`has a part that is longer than ${LONGEST} characters`);
    return undefined;
  }
  const data = parseOrNothing(read.data);
  if (kind.safeParse(data).data?.type !== "tool") return undefined;
  if (!known.test(read.version)) {
    tell(`has a session of ${title} ${beginningOf(read.version)}, whose format isn't known`);
    return undefined;
  }
  const called = part.safeParse(data).data;
  if (called === undefined) tell(`has a call that isn't one as ${title} writes it`);
  return called === undefined ? undefined : describe(agent, read, called);
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A subagent works in a session of its own, whose id hooks get. */
function describe(
  agent: AgentId,
  { session, parent, directory, at }: z.infer<typeof row>,
  { tool, callID, state }: z.infer<typeof part>,
): TranscriptCall {
  return {
    agent,
    session,
    folder: directory,
    startedIn: directory,
    at,
    until: state.time?.end,
    id: callID,
    tool,
    input: state.input,
    outcome: outcomeOf(state.status),
    subagent: parent !== null,
  };
}

/** An error may come from the tool, or from whoever kept it from running: the record doesn't say. */
function outcomeOf(status: z.infer<typeof part>["state"]["status"]): CallOutcome {
  return status === "completed" ? "ran" : "unknown";
}

interface OpenedDatabase {
  rows(query: string): Iterable<unknown>;
  close(): void;
}

interface Statement {
  all(...values: unknown[]): unknown[];
  iterate(...values: unknown[]): Iterable<unknown>;
}

interface NodeDatabase extends Pick<OpenedDatabase, "close"> {
  prepare(query: string): Statement;
  exec(query: string): void;
}

interface NodeSqlite {
  DatabaseSync: new (file: string, options: { readOnly: boolean }) => NodeDatabase;
}

/**
 * Opens a database to be read, if these tables have these columns; otherwise says why not. It uses Node's own SQLite: a
 * Node without one would need another library, and a native one.
 */
function openDatabase(
  file: string,
  { title }: DatabaseOwner,
  tables: Readonly<Record<string, readonly string[]>>,
): OpenedDatabase | string {
  const sqlite = findSqlite();
  if (sqlite === undefined) {
    return `cannot be read: it is an SQLite database, which Node ${process.versions.node} cannot read; run this with Node 22.13 or later`;
  }
  // SQLite would wait for somebody to write to a pipe.
  for (const part of ["", "-wal", "-shm", "-journal"]) {
    const fd = openRegular(`${file}${part}`);
    if (fd !== undefined) fs.closeSync(fd);
  }
  const database = new sqlite.DatabaseSync(file, { readOnly: true });
  // Functions in the database's own definitions must do nothing.
  database.exec("PRAGMA trusted_schema = OFF");
  const isKnown = Object.entries(tables).every(([table, columns]) => hasColumns(database, table, columns));
  if (isKnown) return { rows: (query) => database.prepare(query).iterate(), close: () => database.close() };
  database.close();
  return `isn't a database as ${title} writes it`;
}

/** Node has it without a flag since 22.13, and can be asked for it since 20.16. */
function findSqlite(): NodeSqlite | undefined {
  return process.getBuiltinModule?.("node:sqlite") as NodeSqlite | undefined;
}

const described = z.object({ name: z.string() });

/** A view doesn't count: it would be a program. */
function hasColumns(database: NodeDatabase, table: string, columns: readonly string[]): boolean {
  const isTable = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?")
    .all(table).length;
  const found = database.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  const names = new Set(found.map((one) => described.safeParse(one).data?.name));
  return isTable === 1 && columns.every((column) => names.has(column));
}
