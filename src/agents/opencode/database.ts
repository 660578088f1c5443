import fs from "node:fs";
import * as z from "../../format/zod.ts";
import { openRegular } from "../../kernel/read-file.ts";

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
export function openDatabase(
  file: string,
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
  return "isn't a database as OpenCode 1 writes it";
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
