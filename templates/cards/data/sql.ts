import type { ToolPolicyEvent } from "darwinian-minds/hook-policy";
import { codeOf, literalsIn, optionsOf, type Step, steps } from "darwinian-minds/hook-policy/helpers";

const CLIENTS =
  /^(?:psql|pgcli|cockroach|mysql|mariadb|mycli|sqlite3?|litecli|sqlcmd|mssql-cli|isql|sqlplus|usql|duckdb|clickhouse(?:-client)?|snowsql|bq|presto|trino|hive|beeline|cqlsh|spark-sql|turso|wrangler|rails|django-admin|db2|impala-shell|athena|supabase|prisma|dbmate|pgbench)$/;
const READERS = /^(?:echo|printf|cat|print)$/;
/** Servers that look for things take a text that only looks like a statement. */
const SEARCHING = /search|grep|find|docs?\b|lookup/i;
const SQL_FIELD = /^(?:sql|query|statement|statements|queries|command|q|raw_sql|sqlQuery|sql_query|code)$/i;

/** Every text of a call that a database is given: by its client, from a pipe or a here-document, in code, or by an MCP server. */
export function sqlIn(event: ToolPolicyEvent, all: readonly Step[] = steps(event)): string[] {
  return [...all.flatMap(sqlOf), ...sqlOfServer(event)];
}

function sqlOf(step: Step): string[] {
  const code = codeOf(step);
  if (code !== undefined) return literalsIn(code);
  if (/^(?:sqlite3?|duckdb)$/.test(step.program) && isThrowaway(step.arguments)) return [];
  if (!CLIENTS.test(step.program)) return givenTo(step);
  const input = [step, ...step.feeders].flatMap(({ redirections }) =>
    redirections.map(({ body, operator, target }) => body ?? (operator === "<<<" ? target : "")),
  );
  const printed = step.feeders
    .filter(({ program }) => READERS.test(program))
    .map((feeder) => feeder.arguments.filter((word) => !/^-[neE]+$/.test(word)).join(" "));
  return [
    ...step.arguments.map((word) => word.replace(/^--?[\w-]+=|^-[ceqQ](?=[A-Za-z]{4})/, "")),
    ...input,
    ...printed,
    ...step.made,
  ];
}

/** A database in memory or among temporary files, unless it takes another one in. */
function isThrowaway(given: readonly string[]): boolean {
  const [file = ""] = given.filter((word) => !word.startsWith("-"));
  const isTemporary = /^(?:\/var)?\/tmp\/[\w.-]+$/.test(file);
  return (
    (given.includes(":memory:") || isTemporary) && !given.some((word) => /\battach\b|^\.|;\s*\.|\n\s*\./i.test(word))
  );
}

/** What any other program is told to run by an option, or is fed. */
function givenTo({ arguments: given, redirections }: Step): string[] {
  const fed = redirections.map(({ operator, target }) => (operator === "<<<" ? target : ""));
  const told = given.filter((_, at) =>
    /^(?:-[ceqQ]|--(?:command|execute|query|sql|statement|eval))$/.test(given[at - 1] ?? ""),
  );
  return [...told, ...fed].filter((text) => /^\s*(?:DROP|TRUNCATE|DELETE|UPDATE|ALTER)\s+\S+\s*\S/i.test(text));
}

function sqlOfServer({ toolName, input }: ToolPolicyEvent): string[] {
  if (!/^mcp__/.test(toolName) || SEARCHING.test(toolName) || typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([field, value]) =>
    SQL_FIELD.test(field) && typeof value === "string"
      ? [value]
      : Array.isArray(value)
        ? value.filter((one) => typeof one === "string")
        : [],
  );
}

/** The statements of a text, without comments and with every literal as `''`. */
export function statementsIn(text: string): string[] {
  const plain = text
    // MySQL runs what stands in `/*! … */`.
    .replace(/\/\*(?:!\d*([\s\S]*?)|[\s\S]*?)\*\//g, " $1 ")
    .replace(/(?:--|#)[^\n]*(?=\n|$)/g, (comment) => (/^--[\w-]/.test(comment) ? comment : " "))
    .replace(/'(?:[^'\\]|''|\\.)*'/g, "''");
  return plain
    .split(";")
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter((one) => one !== "");
}

/** The operands of a program whose subcommands are apart or joined by colons: `db:drop`, `migrate reset`. */
export function wordsOf({ program, arguments: given }: Step): string {
  return [program, ...optionsOf(given).operands].join(" ");
}
