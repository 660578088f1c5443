import type { ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  type Code,
  codeOf,
  inputTexts,
  isForTests,
  literalsIn,
  oneOf,
  oneOfAnyCase,
  optionsOf,
  programCallOf,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";

const CLIENTS = oneOf(
  "psql pgcli cockroach mysql mariadb mycli sqlite sqlite3 litecli sqlcmd mssql-cli isql sqlplus usql duckdb clickhouse clickhouse-client snowsql bq presto trino hive beeline cqlsh cypher-shell osql tsql spark-sql turso wrangler rails django-admin db2 impala-shell athena supabase prisma dbmate pgbench",
);
/** Statements that affect more than the connected database. */
const ELSEWHERE = () => /\b(?:database|role|user|use)\b|\\c/i;
/** Search servers and browsers take texts that only look like statements. */
const SEARCHING = () => /search|grep|find|docs?\b|lookup|browser|playwright|puppeteer/i;
const SQL_FIELD = oneOfAnyCase("sql query statement statements queries command q raw_sql sqlquery sql_query code");

/** Deeper, nobody puts a statement. */
const DEEPEST = 6;
/** A statement in a statement in a block. */
const DEEPEST_RUN = 3;

/** Every text that the call gives a database: by its client, from a pipe or a here-document, in code, or by an MCP server. */
export function sqlIn(event: ToolPolicyEvent, all: readonly Step[] = steps(event)): string[] {
  return [...all.flatMap(sqlOf), ...sqlOfServer(event)];
}

function sqlOf(step: Step): string[] {
  const code = codeOf(step) ?? runsSql(consoleCodeOf(step));
  if (code !== undefined) return literalsIn(code);
  if (oneOf("sqlite sqlite3 duckdb")(step.program) && isThrowaway(step.arguments)) return [];
  if (oneOf("curl curlie http https xh xhs wget")(step.program)) return sentTo(step);
  if (!CLIENTS(step.program)) return givenTo(step);
  const texts = [
    ...step.arguments.map((word) => word.replace(/^--?[\w-]+=|^-[ceqQ](?=[A-Za-z]{4})/, "")),
    ...inputTexts(step),
    ...step.made,
  ];
  const { kind, where } = programCallOf(step);
  // `wrangler d1 execute --local`: a copy for developing.
  if (kind === "service" && where.includes("localhost")) return [];
  return isForTests(where) && !texts.some((text) => ELSEWHERE().test(text)) ? [] : texts;
}

/** A database in memory or among temporary files, unless it takes another one in. */
function isThrowaway(given: readonly string[]): boolean {
  const [file = ""] = given.filter((word) => !word.startsWith("-"));
  const isTemporary = /^(?:\/var)?\/tmp\/[\w.-]+$/.test(file);
  return (
    (given.includes(":memory:") || isTemporary) && !given.some((word) => /\battach\b|^\.|;\s*\.|\n\s*\./i.test(word))
  );
}

/** What any other program is told to run by an option or through its input. */
function givenTo({ arguments: given, redirections }: Step): string[] {
  const fed = redirections.flatMap(({ operator, target }) => (operator === "<<<" ? [target] : []));
  const told = given.filter((_, at) =>
    oneOf(
      "-c -e -q -Q -command --command -execute --execute -query --query -sql --sql -statement --statement -eval --eval",
    )(given[at - 1] ?? ""),
  );
  return [...told, ...fed].filter((text) => /^\s*(?:DROP|TRUNCATE|DELETE|UPDATE|ALTER)\s+\S+\s*\S/i.test(text));
}

/** `{"query": "DROP TABLE users"}` to a service that runs it. */
function sentTo(step: Step): string[] {
  const bodies = [...step.arguments, ...inputTexts(step)];
  return bodies.flatMap((body) => [
    ...[...body.matchAll(/"(?:query|sql|statement|stmt|q)"\s*:\s*"((?:[^"\\]|\\.)*)"/gi)].map(([, text = ""]) =>
      text.replace(/\\n/g, "\n").replace(/\\(.)/g, "$1"),
    ),
    ...(/^(?:query=|sql=)?\s*(?:DROP|TRUNCATE|DELETE FROM|ALTER)\s/i.test(body)
      ? [body.replace(/^(?:query|sql)=/i, "")]
      : []),
  ]);
}

function sqlOfServer({ toolName, input }: ToolPolicyEvent): string[] {
  if (toolName === "Bash" || SEARCHING().test(toolName) || typeof input !== "object" || input === null) return [];
  return textsOf(input, 0);
}

function textsOf(input: object, depth: number): string[] {
  return Object.entries(input).flatMap(([field, value]: [string, unknown]) => {
    if (typeof value === "string") return Array.isArray(input) || SQL_FIELD(field) ? [value] : [];
    return typeof value === "object" && value !== null && depth < DEEPEST ? textsOf(value, depth + 1) : [];
  });
}

/** Words behind which a literal is a statement that runs; a trigger's `EXECUTE FUNCTION` names a function. */
const RUNS = () =>
  /\bEXEC(?:UTE)?\b(?!\s+(?:FUNCTION|PROCEDURE|ON)\b)|\bPREPARE\b(?!\s+TRANSACTION\b)|\bsp_executesql\b|\bdblink(?:_exec|_send_query)?\b|\\gexec\b/i;
const ASSIGNS = () => /:=|^\s*(?:SET|DECLARE|SELECT)\s+@/i;
/** A text up to its end, with the semicolons in literals. */
const UP_TO_END = () => /(?:'(?:[^'\\]|''|\\.)*'|[^';])+/g;
const LITERAL = () => /'((?:[^'\\]|''|\\.)*)'|"([^"]*)"|\$(\w*)\$([^$]*)\$\3\$/g;
const BLOCK = () => /\bDO\s+(?:LANGUAGE\s+\w+\s+)?(?:\$(\w*)\$([\s\S]*?)(?:\$\1\$|$)|E?'((?:[^'\\]|''|\\.)*)')/gi;

/** The texts that a text runs as statements: a block, and what is given to `EXECUTE`, also by a variable. */
function textsRunIn(text: string): string[] {
  const blocks = [...text.matchAll(BLOCK())].map(([, , body, literal = ""]) => body ?? literal.replaceAll("''", "'"));
  const parts = (text.match(UP_TO_END()) ?? []).map((part) => ({
    part,
    plain: part.replace(/'(?:[^'\\]|''|\\.)*'/g, "''"),
  }));
  if (!parts.some(({ plain }) => RUNS().test(plain))) return blocks;
  const given = parts.filter(({ plain }) => RUNS().test(plain) || ASSIGNS().test(plain));
  return [...blocks, ...given.flatMap(({ part }) => literalsOf(part))];
}

/** Oracle's literals, `q'[it's]'`. */
const QUOTED = () => /\bn?q'(?:\[([\s\S]*?)\]|\{([\s\S]*?)\}|\(([\s\S]*?)\)|<([\s\S]*?)>|([^\s\w])([\s\S]*?)\5)'/gi;
const CONCAT = () => /\bCONCAT(_WS)?\s*\(((?:'(?:[^'\\]|''|\\.)*'|\([^()]*\)|[^()'])*)\)/gi;

/** `CONCAT('a', b)` as `'a' || b`. */
function joined(_: string, withSeparator: string | undefined, given: string): string {
  const parts = given.match(/(?:'(?:[^'\\]|''|\\.)*'|\([^()]*\)|[^,'()])+/g) ?? [];
  return withSeparator === undefined ? parts.join("||") : parts.slice(1).join(`||${parts[0]}||`);
}

/** What a name is put together with counts as a name: `'DELETE FROM ' || t`, `format('DROP TABLE %I', t)`. */
function literalsOf(part: string): string[] {
  const whole = part
    .replace(CONCAT(), joined)
    .replace(/'\s*(?:\|\||\+)\s*N?'/g, "")
    .replace(/'\s*(?:\|\||\+)(?:\('[^']*'\)|[^';])*(?:\|\||\+)\s*N?'/g, "x")
    .replace(/'\s*(?:\|\||\+)\s*(?=[\w@])/g, "x' ");
  return [...whole.matchAll(LITERAL())].map(([, single, double, , body]) =>
    (single?.replaceAll("''", "'") ?? double ?? body ?? "").replace(/%(?:\d+\$)?[IsL]/g, "x"),
  );
}

/** The statements of a text, and of the texts that it runs, without comments and with every literal as `''`. */
export function statementsIn(text: string, depth = 0): string[] {
  const said = text
    .replace(
      QUOTED(),
      (_, a, b, c, d, __, e) => `'${[a, b, c, d, e].find((one) => one !== undefined)?.replaceAll("'", "''")}'`,
    )
    // MySQL runs the contents of `/*! … */`.
    .replace(/\/\*(?:!\d*([\s\S]*?)|[\s\S]*?)\*\//g, " $1 ");
  const run = depth < DEEPEST_RUN ? textsRunIn(said).flatMap((one) => statementsIn(one, depth + 1)) : [];
  const own = splitStatements(said)
    .flatMap((one) => [one, ...linesOf(one)])
    .map((one) => one.replace(/\s+/g, " ").trim())
    .filter((one) => one !== "");
  return [...own, ...run];
}

/** A comment, a literal, a name in quotes, a text in dollars, or anything else. */
const TOKEN = () =>
  /(--(?![\w-])[^\n]*|#[^\n]*)|'(?:[^'\\]|''|\\.)*'?|("(?:[^"\\]|""|\\.)*"?|`[^`]*`?)|\$([a-z_]\w*)?\$[\s\S]*?(?:\$\3\$|$)|[^'"`$#;\n/|-]+|[\s\S]/giy;
/** Lines that are for the client and end by themselves: `\\set x`, `GO`, `USE shop`, `.tables`, `DELIMITER //`, `/`. */
const CLIENT_LINE = () =>
  /[ \t]*(?:\\[a-z!?][^\n]*|GO(?:[ \t]+\d+)?[ \t]*|USE[ \t]+[\w."`[\]-]+[ \t]*|\.[a-z]+(?:[ \t][^\n]*)?|DELIMITER[ \t]+(\S+)[ \t]*|\/[ \t]*)(?:\n|$)/iy;

/** A text at each delimiter, which a client's own line may change, without comments and with literals as `''`. */
function splitStatements(text: string): string[] {
  const found: string[] = [];
  let statement = "";
  let delimiter = ";";
  const end = () => {
    found.push(statement);
    statement = "";
  };
  for (let at = 0; at < text.length; ) {
    const line = at === 0 || text[at - 1] === "\n" ? matchAt(CLIENT_LINE(), text, at) : null;
    const token = line ?? matchAt(TOKEN(), text, at);
    const [whole = text.slice(at), mark, name] = token ?? [];
    const isEnd = line === null && text.startsWith(delimiter, at);
    if (line !== null || isEnd) end();
    if (line !== null) delimiter = mark ?? delimiter;
    // What comes before a delimiter that isn't a semicolon may be a part of a longer piece.
    const cut = isEnd ? delimiter.length : delimiter === ";" ? whole.length : lengthBefore(whole, delimiter);
    if (line === null && !isEnd)
      statement +=
        mark !== undefined ? " " : name !== undefined ? name : /^['$]./s.test(whole) ? "''" : whole.slice(0, cut);
    at += line === null ? cut : whole.length;
  }
  end();
  return found;
}

function lengthBefore(piece: string, delimiter: string): number {
  const at = /^['"`]/.test(piece) ? -1 : piece.indexOf(delimiter);
  return at > 0 ? at : piece.length;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Statements in which a line that begins with another verb is only a part. */
const WHOLE_STATEMENT = () =>
  /^\s*(?:CREATE|ALTER|GRANT|REVOKE|MERGE|INSERT|REPLACE|WITH|EXPLAIN|COMMENT|DECLARE|COPY)\b/i;

/**
 * `\\set x` and `USE x` end with their line, and in some dialects every statement does: what begins with a verb at the beginning of a line may be
 * a statement of its own.
 */
function linesOf(statement: string): string[] {
  if (WHOLE_STATEMENT().test(statement)) return [];
  return [...statement.matchAll(/\n\s*(?=(?:DROP|TRUNCATE|DELETE|UPDATE|ALTER)\b)/gi)].map(({ index }) =>
    statement.slice(index),
  );
}

/** The operands of a program whose subcommands are apart or joined by colons: `db:drop`, `migrate reset`. */
export function wordsOf({ program, arguments: given }: Step): string {
  return [program, ...optionsOf(given).operands].join(" ");
}

const CONSOLES = () =>
  /^(?:bundle exec )?(?:rails (?:runner|r|console|c)|(?:python[\d.]* )?\S*manage\.py (?:shell|shell_plus)|(?:php )?\S*artisan tinker|flask shell|tinker|iex|mix run)(?: |$)/;

/** Code for a console is mostly about records, whose fields may hold any text. */
function runsSql(code: Code | undefined): Code | undefined {
  return code !== undefined && /execute|exec_|statement|cursor|\braw\b|\bsql\b|select_/i.test(code.text)
    ? code
    : undefined;
}

/** The code that a framework's console or runner is given or fed. */
export function consoleCodeOf(step: Step): Code | undefined {
  const words = wordsOf(step);
  const isNamed = ["rails", "manage.py", "artisan", "flask", "tinker", "iex", "mix"].some((one) => words.includes(one));
  if (!isNamed || !CONSOLES().test(words)) return undefined;
  return { language: "other", text: [...step.arguments, ...inputTexts(step)].join("\n") };
}
