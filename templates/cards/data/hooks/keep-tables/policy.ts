import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import { codeOf, mentions, once, optionsOf, type Step, steps } from "darwinian-minds/hook-policy/helpers";
import { consoleCodeOf, isTestDatabase, sqlIn, statementsIn, wordsOf } from "../../sql.ts";

const DROPS = once(
  () =>
    /(?:^|\bBEGIN |\bTHEN |\bELSE |\bLOOP |\bAS |EXPLAIN ANALYZE )(?:DROP (?:TABLE|DATABASE|SCHEMA|KEYSPACE|COLLECTION|TABLESPACE|MATERIALIZED VIEW|OWNED|EXTENSION|USER|ROLE|DATASET|CATALOG|BUCKET)\b|TRUNCATE\b(?! ?\()|ALTER TABLE .* DROP (?:COLUMN|PARTITION)\b|ALTER TABLE \S+ (?:TRUNCATE|DROP) (?!(?:CONSTRAINT|INDEX|KEY|PRIMARY KEY|FOREIGN KEY|CHECK|DEFAULT)\b))/i,
);
/** Things that exist only for the session. */
const PASSING = /^DROP TABLE (?:IF EXISTS )?(?:"?(?:pg_temp|temp|tmp|#)[\w."]*|"?tmp_\w+"?|"?temp_\w+"?)$/i;
const MONGO = once(
  () =>
    /\.(?:dropDatabase|dropCollection|drop|dropIndexes)\(\s*(?:\)|["'{])|\bdropDatabase\b|\.deleteMany\(\s*(?:\{\s*\})?\s*[,)]|\.remove\(\s*(?:\{\s*\})?\s*\)|FLUSHALL|FLUSHDB/,
);
/** Tools of frameworks whose words empty or drop a whole database. */
const TOOLS = once(
  () =>
    /^(?:(?:bundle exec |bin\/)?(?:rails|rake) .*?\bdb:(?:drop|reset|purge|truncate_all|schema:load|migrate:reset|setup:all|drop:\S+|reset:\S+)|prisma (?:migrate reset|db push .*force|db execute)|(?:typeorm|typeorm-ts-node-\w+) (?:schema:drop|query)|sequelize(?:-cli)? db:(?:drop|migrate:undo:all)|knex migrate:rollback|artisan|php .*artisan (?:migrate:(?:fresh|reset|refresh)|db:wipe)|(?:python[\d.]* )?\S*manage\.py (?:flush|reset_db|sqlflush|zero|migrate .*\bzero$)|django-admin (?:flush|reset_db)|mix ecto\.(?:drop|reset)|drizzle-kit drop|supabase db reset|dropdb .+|dropuser .+|mysqladmin .*\bdrop\b.*|(?:alembic|flask db|python[\d.]* .*db) downgrade base|flyway clean|liquibase drop-?all|goose reset|dbmate drop|migrate .*\bdrop\b|diesel (?:database|migration) (?:reset|revert all)|sqlx database (?:drop|reset)|hasura .*metadata clear|wrangler (?:d1|kv|r2) .*\bdelete\b.*|turso db destroy.*|neonctl .*delete.*|pscale (?:database|branch) delete.*|influx (?:delete|bucket delete).*|etcdctl del .*|curl$)/i,
);
/** Words with which any tool drops a whole database. */
const WHOLE = once(
  () =>
    /^\S+(?: [\w.@-]+)?? (?:(?:[\w-]+:)*(?:db|sql|database|schema|migrate|migrations?|ecto|storage)(?:[: -])(?:drop|reset|fresh|wipe|purge|truncate|nuke|flush|destroy)|(?:drop|reset|wipe|flush|nuke|destroy|truncate)[-_:](?:db|database|schema|tables|all))(?:$|[ :])/i,
);
/** Programs that only mention it, or run a script of that name. */
const SPEAKERS = once(
  () =>
    /^(?:git|hub|gh|glab|echo|printf|[efz]?grep|rg|ag|ack|find|fd|ls|cat|cd|man|sed|awk|jq|head|tail|code|vim?|nano|mkdir|touch|cp|mv|rm|chmod|make|just|npm|pnpm|yarn|bun|npx|task|jest|vitest|pytest|test|\[|docker|docker-compose|kubectl|aws|gcloud|az|terraform|systemctl|brew|apt(?:-get)?|pip[\d.]*|node|python[\d.]*|bash|sh|which|type|curl|tee|sort|say|export|alias)$/,
);
const ARTISAN = /^(?:php )?(?:\.\/)?artisan (?:migrate:(?:fresh|reset|refresh)|db:wipe)/;
const INSTEAD = "Work on a copy, or write a migration that a person runs";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (
      !mentions(
        event,
        /exec|prepare|dblink|drop|truncate|flush|zero|reset|wipe|destroy|clear|delete|remove|purge|db:|DEL\b|alter|downgrade|undo|rollback|clean|fresh|push|nuke|pg_restore/i,
      )
    )
      return undefined;
    const what = droppedBy(event);
    return what === undefined
      ? undefined
      : { action: "deny", reason: `This drops or empties a database or a table (${what}). ${INSTEAD}` };
  },
});

function droppedBy(event: ToolPolicyEvent): string | undefined {
  const all = steps(event);
  for (const text of sqlIn(event, all)) {
    const found = statementsIn(text).find((one) => DROPS().test(one) && !PASSING.test(one));
    if (found !== undefined) return found.slice(0, 60);
    if (/^mcp__/.test(event.toolName) && MONGO().test(text)) return text.slice(0, 60);
  }
  for (const step of all) {
    const found = droppedByTool(step);
    if (found !== undefined) return found;
  }
  const short = event.toolName.replace(/^mcp__/, "");
  return /(?:^|_)(?:drop|truncate|flush|wipe|delete|reset)_?-?(?:table|database|db|collection|schema|index|keyspace|branch|project|all)/i.test(
    short,
  )
    ? short
    : undefined;
}

function droppedByTool(step: Step): string | undefined {
  const { program, arguments: given, feeders, redirections } = step;
  const input = redirections.map(({ body, operator, target }) => body ?? (operator === "<<<" ? target : "")).join("\n");
  const fed = feeders
    .filter((one) => /^(?:echo|printf)$/.test(one.program))
    .map((one) => one.arguments.join(" "))
    .join("\n");
  const text = [...given, input, fed].join("\n");
  if (/^(?:mongo|mongosh)$/.test(program)) return MONGO().exec(text)?.[0];
  if (isTest(step)) return undefined;
  if (/^(?:redis-cli|valkey-cli|keydb-cli)$/.test(program)) return flushedBy(given, [input, fed].join("\n"));
  if (program === "cqlsh" || given.includes("--help") || given.includes("--dry-run")) return undefined;
  const code = codeOf(step) ?? consoleCodeOf(step);
  if (
    code !== undefined &&
    /dropDatabase\(|drop_database\(|drop_all\(|\.drop\(\)|flushall\(|flushdb\(|flushAll\(|dropCollection\(|dropTable\(|drop_table\(|sync\(\{\s*force:\s*true/.test(
      code.text,
    )
  )
    return "a call in code";
  const words = wordsOf(step);
  if (ARTISAN.test(words)) return words.slice(0, 60);
  if (program === "mongorestore" && given.includes("--drop")) return "mongorestore --drop";
  if (program === "pg_restore" && given.some((word) => /^--clean$|^-[a-z]*c/.test(word))) return "pg_restore --clean";
  const isForced =
    /^prisma db push/.test(words) && given.some((word) => /^--(?:force-reset|accept-data-loss)$/.test(word));
  if (isForced || (/^curl/.test(program) && isElasticDelete(given))) return words.slice(0, 60);
  if (program === "drizzle-kit" && /\bpush\b/.test(words) && given.includes("--force")) return words.slice(0, 60);
  if (!SPEAKERS().test(program) && WHOLE().test(words)) return words.slice(0, 60);
  const isTool = TOOLS().test(words) && !/^(?:prisma db|curl|artisan)/.test(words) && !/typeorm\S* query/.test(words);
  return isTool && !(program === "knex" && !given.includes("--all")) ? words.slice(0, 60) : undefined;
}

/** The tool works on the test database, which every test run makes again. */
function isTest({ program, arguments: given, environment }: Step): boolean {
  if (program === "dropdb" || program === "pg_restore") return isTestDatabase(program, given);
  if (!/^(?:rails|rake|mix|php|artisan|bundle|sequelize(?:-cli)?|knex)$/.test(program)) return false;
  const set = [...environment];
  if (set.some(([name]) => /DATABASE|_URL$|^DB_/i.test(name))) return false;
  return (
    set.some(([name, value]) => /^(?:RAILS|RACK|MIX|NODE|APP)_ENV$/.test(name) && /^test(?:ing)?$/.test(value)) ||
    given.some((word) => /^--env=test(?:ing)?$/.test(word))
  );
}

/** `curl -X DELETE host:9200/index`, or of everything that a search finds. */
function isElasticDelete(given: readonly string[]): boolean {
  if (given.some((word) => /\/_delete_by_query\b/.test(word)))
    return given.some((word) => /"match_all"|"query"\s*:\s*\{\s*\}/.test(word));
  const isDelete = given.some(
    (word, at) =>
      /^-X=?DELETE$|^--request=DELETE$/.test(word) || (/^(?:-X|--request)$/.test(word) && given[at + 1] === "DELETE"),
  );
  return isDelete && given.some((word) => /:9200\/|:5984\/|:8983\/|:8086\/|_all\b/.test(word));
}

/** A command of redis stands first: after `GET` the same word is a key. */
function flushedBy(given: readonly string[], fed: string): string | undefined {
  const { operands } = optionsOf(given, {
    letters: "hptsaurinIdDX",
    names: ["user", "pass", "sni", "cacert", "cert", "key"],
  });
  const [command = "", ...others] = operands;
  const told = [command, ...(/^(?:EVAL|FCALL|FUNCTION|SCRIPT)/i.test(command) ? others : [])].join("\n");
  return /\bFLUSH(?:ALL|DB)\b/i.exec(told)?.[0] ?? /(?:^|\\[nr]|;)\s*(FLUSH(?:ALL|DB))\b/im.exec(fed)?.[1];
}
