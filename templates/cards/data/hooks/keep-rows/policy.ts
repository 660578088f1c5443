import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import { codeOf, inputTexts, mentions, oneOf, oneOfAnyCase, steps } from "darwinian-minds/hook-policy/helpers";
import { consoleCodeOf, sqlIn, statementsIn } from "../../sql.ts";

const CHANGES = () =>
  /^(?:EXPLAIN (?:ANALYZE )?|WITH .+?\) |(?:(?:BEGIN|IF|FOR|WHILE|LOOP|ELSE)\b.* )?(?:BEGIN|THEN|ELSE|LOOP) )?(?:DELETE (?:\w+ )?FROM (?:ONLY )?[\w."`[\]$]+|UPDATE (?:ONLY |OR \w+ )?[\w."`[\]$]+(?: (?:AS )?\w+)? SET )/i;
/** The same in ClickHouse and in Cypher. */
const OTHERWISE = () =>
  /^ALTER TABLE \S+ (?:ON CLUSTER \S+ )?(?:DELETE|UPDATE)\b|^(?:OPTIONAL )?MATCH \(\w*(?::\w+)*\)(?:<?-\[[^\]{]*\]->?\(\w*(?::\w+)*\))? (?:DETACH )?DELETE\b/i;
/** In T-SQL a table may follow at once. */
const SHORT = () => /^DELETE (?:TOP ?\([^)]*\) (?:PERCENT )?)?(?:FROM )?[\w."[\]]+$/i;
const SHORT_CLIENTS = oneOfAnyCase("sqlcmd mssql-cli isql osql tsql invoke-sqlcmd");
/** A condition that holds for every row. */
const ALWAYS = () =>
  /\bWHERE \(?(?:1 ?= ?1|true|''? ?= ?''?|1|id (?:>|>=) ?-?[01]|\w+ IS NOT NULL|not false|0 ?= ?0|2 ?> ?1)\)?$|\bWHERE\b.*\bOR \(?(?:1 ?= ?1|true|1)\)?(?:$|\s)|\bWHERE \(?(?:1 ?= ?1|true) OR\b/i;

/** `redis-cli --scan`, `redis-cli keys '*'`: nothing picks some of the keys. */
const LISTS_KEYS = () => /^redis-cli (?:.* )?(?:--scan(?! .*--pattern)|--scan .*--pattern[= ]\*$|keys \*$)/i;

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, /exec|prepare|dblink|delete|update|destroy|truncate|remove|\bdel\b|keys|scan/i))
      return undefined;
    const what = changedBy(event);
    if (what === undefined) return undefined;
    return {
      action: "deny",
      reason: `This changes every row: \`${what}\`. Add a WHERE that names the rows, and look at them with SELECT first`,
    };
  },
});

/** The statements of a `WITH x AS (DELETE …)`. */
function innerIn(text: string): string[] {
  return statementsIn(text).flatMap((one) =>
    /^WITH\b/i.test(one) ? [...one.matchAll(/\(\s*((?:DELETE|UPDATE)\b[^()]*)/gi)].map(([, inner = ""]) => inner) : [],
  );
}

/** Calls of frameworks that change all records of a model. A chain with a condition in it, or a scope, changes some. */
const EVERY = () =>
  /\.objects\.all\(\)\.(?:delete|update)\(|\b[A-Z][\w:]*(?:\.(?:all|unscoped|with_deleted|unscope\([^()]*\)|where\(["']1\s*=\s*1["']\)))*\.(?:delete_all|destroy_all|update_all)\b|deleteMany\(\s*(?:\{\s*\})?\s*\)|\.query\([^()]*\)\.delete\(\)|::truncate\(|::query\(\)->(?:delete|update)\(|(?<![:\w])truncate\(|\.truncate\(|destroy\(\{\s*truncate|\b(?:delete|update|destroy)\w*\([^;]*where:\s*\{\s*\}/;

/** Each statement of code is judged alone: a condition in one says nothing about the next. */
function changesEvery(code: string): boolean {
  return code
    .replace(/\n\s*(?=\.|->|&\.)/g, "")
    .split(/[;\n]/)
    .some((one) => {
      const at = one.search(EVERY());
      return at >= 0 && !/where\(|filter\(/.test(one.slice(0, at));
    });
}

function changedBy(event: ToolPolicyEvent): string | undefined {
  const all = steps(event);
  const isShort = all.some(({ program }) => SHORT_CLIENTS(program));
  for (const text of sqlIn(event, all)) {
    const found = [...statementsIn(text), ...innerIn(text)].find(
      (one) =>
        (CHANGES().test(one) || OTHERWISE().test(one) || (isShort && SHORT().test(one))) &&
        (!/\b(?:WHERE|LIMIT|USING|JOIN)\b/i.test(one) || ALWAYS().test(one)) &&
        !/^EXPLAIN (?!ANALYZE)/i.test(one),
    );
    if (found !== undefined) return found.slice(0, 80);
  }
  for (const step of all) {
    const { program, arguments: given } = step;
    const text = [...given, ...inputTexts(step), ...step.made].join("\n");
    if (oneOf("mongo mongosh")(program) && /\.(?:deleteMany|updateMany|remove)\(\s*(?:\{\s*\})?\s*[,)]/.test(text))
      return "a change of all documents";
    if (
      /^redis-cli$/.test(program) &&
      step.starter?.program === "xargs" &&
      given.some((word) => oneOfAnyCase("del unlink")(word)) &&
      step.feeders.some((feeder) => LISTS_KEYS().test([feeder.program, ...feeder.arguments].join(" ")))
    )
      return "del of all keys";
    const code = codeOf(step) ?? consoleCodeOf(step);
    const isTool = /^(?:rails|bundle|django-admin|python[\d.]*|php|artisan|tinker)$/.test(program);
    if ([...(code === undefined ? [] : [code.text]), ...(isTool ? given : [])].some(changesEvery))
      return "a change of all records in code";
  }
  if (
    /^mcp__/.test(event.toolName) &&
    /(?:delete|update)[_-]?(?:many|all|rows|documents|records)/i.test(event.toolName) &&
    /"(?:filter|where|query|conditions?)":\s*(?:\{\}|\[\]|null|"")/.test(JSON.stringify(event.input ?? ""))
  )
    return event.toolName;
  return undefined;
}
