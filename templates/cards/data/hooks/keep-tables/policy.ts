import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import {
  changes,
  changesOf,
  codeOf,
  inputTexts,
  isForTests,
  type ProgramCall,
  programCallOf,
  type Step,
  steps,
} from "darwinian-minds/hook-policy/helpers";
import { consoleCodeOf, sqlIn, statementsIn } from "../../sql.ts";

const DROPS = () =>
  /(?:^|\bBEGIN |\bTHEN |\bELSE |\bLOOP |\bAS |EXPLAIN ANALYZE )(?:DROP (?:TABLE|DATABASE|SCHEMA|KEYSPACE|COLLECTION|TABLESPACE|MATERIALIZED VIEW|OWNED|EXTENSION|USER|ROLE|DATASET|CATALOG|BUCKET)\b|TRUNCATE\b(?! ?\()|ALTER TABLE .* DROP (?:COLUMN|PARTITION)\b|ALTER TABLE \S+ (?:TRUNCATE|DROP) (?!(?:CONSTRAINT|INDEX|KEY|PRIMARY KEY|FOREIGN KEY|CHECK|DEFAULT)\b))/i;
/** Things that exist only for the session. */
const PASSING = () => /^DROP TABLE (?:IF EXISTS )?(?:"?(?:pg_temp|temp|tmp|#)[\w."]*|"?tmp_\w+"?|"?temp_\w+"?)$/i;
const MONGO = () =>
  /\.(?:dropDatabase|dropCollection|drop|dropIndexes)\(\s*(?:\)|["'{])|\bdropDatabase\b|\.deleteMany\(\s*(?:\{\s*\})?\s*[,)]|\.remove\(\s*(?:\{\s*\})?\s*\)|FLUSHALL|FLUSHDB/;
/** Words with which any tool drops a whole database. */
const WHOLE = () =>
  /^\S+(?: [\w.@-]+)?? (?:(?:[\w-]+:)*(?:db|sql|database|schema|migrate|migrations?|ecto|storage)(?:[: -])(?:drop|reset|fresh|wipe|purge|truncate|nuke|flush|destroy)|(?:drop|reset|wipe|flush|nuke|destroy|truncate)[-_:](?:db|database|schema|tables|all))(?:$|[ :])/i;
const INSTEAD = "Work on a copy, or write a migration that a person runs";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const what = droppedBy(event);
    if (what !== undefined)
      return { action: "deny", reason: `This drops or empties a database or a table (${what}). ${INSTEAD}` };
    const emptied = changes(event).find(({ does, kind }) => does === "destroys" && kind === "data");
    return emptied === undefined
      ? undefined
      : {
          action: "ask",
          reason: `\`${emptied.what}\` empties the database that the settings name. Look which one that is, and back it up first`,
          irreversible: true,
        };
  },
});

function droppedBy(event: ToolPolicyEvent): string | undefined {
  const all = steps(event);
  for (const text of sqlIn(event, all)) {
    const found = statementsIn(text).find((one) => DROPS().test(one) && !PASSING().test(one));
    if (found !== undefined) return found.slice(0, 60);
    if (event.toolName !== "Bash" && MONGO().test(text)) return text.slice(0, 60);
  }
  for (const step of all) {
    const found = droppedByTool(step);
    if (found !== undefined) return found;
  }
  if (event.toolName === "Bash") return undefined;
  const short = event.toolName.replace(/^mcp__/, "");
  return /(?:^|_)(?:drop|truncate|flush|wipe|delete|reset)_?-?(?:table|database|db|collection|schema|index|keyspace|branch|project|all)/i.test(
    short,
  )
    ? short
    : undefined;
}

function droppedByTool(step: Step): string | undefined {
  const { program, arguments: given } = step;
  const input = inputTexts(step).join("\n");
  const text = [...given, input, ...step.made].join("\n");
  const call = programCallOf(step);
  if (call.onlyLooks || (isForTests(call.where) && !/getSiblingDB|\buse\b/.test(text))) return undefined;
  if (call.program === "mongo") return MONGO().exec(text)?.[0];
  if (call.program === "redis-cli") return flushedBy(call.words, input);
  if (program === "cqlsh") return undefined;
  const code = codeOf(step) ?? consoleCodeOf(step);
  if (
    code !== undefined &&
    /dropDatabase\(|drop_database\(|drop_all\(|\.drop\(\)|flushall\(|flushdb\(|flushAll\(|dropCollection\(|dropTable\(|drop_table\(|sync\(\{\s*force:\s*true/.test(
      code.text,
    )
  )
    return "a call in code";
  const dropped = changesOf(step).find(
    ({ does, kind, isCertain }) => does === "destroys" && kind === "data" && isCertain,
  );
  if (dropped !== undefined) return dropped.what;
  const words = [program, ...call.words].join(" ").slice(0, 60);
  if (/^curl/.test(program) && isElasticDelete(call, given)) return words;
  return (!call.isKnown || (call.kind === "data" && call.does("destroys") === undefined)) &&
    call.words.length > 0 &&
    WHOLE().test(words)
    ? words
    : undefined;
}

/** `curl -X DELETE host:9200/index`, or of everything that a search finds. */
function isElasticDelete({ values }: ProgramCall, given: readonly string[]): boolean {
  if (given.some((word) => /\/_delete_by_query\b/.test(word)))
    return given.some((word) => /"match_all"|"query"\s*:\s*\{\s*\}/.test(word));
  const isDelete = values("X", "request").includes("DELETE");
  return isDelete && given.some((word) => /:9200\/|:5984\/|:8983\/|:8086\/|_all\b/.test(word));
}

/** A command of redis stands first: after `GET` the same word is a key. */
function flushedBy([command = "", ...others]: readonly string[], fed: string): string | undefined {
  const told = [command, ...(/^(?:EVAL|FCALL|FUNCTION|SCRIPT)/i.test(command) ? others : [])].join("\n");
  return /\bFLUSH(?:ALL|DB)\b/i.exec(told)?.[0] ?? /(?:^|\\[nr]|;)\s*(FLUSH(?:ALL|DB))\b/im.exec(fed)?.[1];
}
