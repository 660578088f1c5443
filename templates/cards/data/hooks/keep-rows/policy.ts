import { defineToolPolicy, type ToolPolicyEvent } from "darwinian-minds/hook-policy";
import { codeOf, mentions, once, steps } from "darwinian-minds/hook-policy/helpers";
import { consoleCodeOf, sqlIn, statementsIn } from "../../sql.ts";

const CHANGES = once(
  () =>
    /^(?:EXPLAIN (?:ANALYZE )?|WITH .+?\) |(?:(?:BEGIN|IF|FOR|WHILE|LOOP|ELSE)\b.* )?(?:BEGIN|THEN|ELSE|LOOP) )?(?:DELETE (?:\w+ )?FROM (?:ONLY )?[\w."`[\]$]+|UPDATE (?:ONLY |OR \w+ )?[\w."`[\]$]+(?: (?:AS )?\w+)? SET )/i,
);
/** A condition that holds for every row. */
const ALWAYS = once(
  () =>
    /\bWHERE \(?(?:1 ?= ?1|true|''? ?= ?''?|1|id (?:>|>=) ?-?[01]|\w+ IS NOT NULL|not false|0 ?= ?0|2 ?> ?1)\)?$|\bWHERE\b.*\bOR \(?(?:1 ?= ?1|true|1)\)?(?:$|\s)|\bWHERE \(?(?:1 ?= ?1|true) OR\b/i,
);

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    if (!mentions(event, /exec|prepare|dblink|delete|update|destroy|truncate|\bdel\b|keys/i)) return undefined;
    const what = changedBy(event);
    if (what === undefined) return undefined;
    return {
      action: "deny",
      reason: `This changes every row: ${what}. Add a WHERE that names the rows, and look at them with SELECT first`,
    };
  },
});

/** The statements of a `WITH x AS (DELETE …)`. */
function innerIn(text: string): string[] {
  return statementsIn(text).flatMap((one) =>
    /^WITH\b/i.test(one) ? [...one.matchAll(/\(\s*((?:DELETE|UPDATE)\b[^()]*)/gi)].map(([, inner = ""]) => inner) : [],
  );
}

function changedBy(event: ToolPolicyEvent): string | undefined {
  const all = steps(event);
  for (const text of sqlIn(event, all)) {
    const found = [...statementsIn(text), ...innerIn(text)].find(
      (one) =>
        CHANGES().test(one) &&
        (!/\b(?:WHERE|LIMIT|USING|JOIN)\b/i.test(one) || ALWAYS().test(one)) &&
        !/^EXPLAIN (?!ANALYZE)/i.test(one),
    );
    if (found !== undefined) return found.slice(0, 80);
  }
  for (const step of all) {
    const { program, arguments: given } = step;
    const text = [...given, ...step.redirections.map(({ body }) => body ?? "")].join("\n");
    if (/^(?:mongo|mongosh)$/.test(program) && /\.(?:deleteMany|updateMany|remove)\(\s*(?:\{\s*\})?\s*[,)]/.test(text))
      return "a change of all documents";
    if (
      /^redis-cli$/.test(program) &&
      step.starter?.program === "xargs" &&
      /^(?:del|unlink)$/i.test(given[0] ?? "") &&
      step.feeders.some((feeder) => /redis-cli/.test(feeder.program) && feeder.arguments.some((word) => word === "*"))
    )
      return "del of all keys";
    const code = (codeOf(step) ?? consoleCodeOf(step))?.text ?? "";
    if (
      /\.objects\.all\(\)\.(?:delete|update)\(|\.(?:delete_all|destroy_all|update_all)\b(?!.*where)|deleteMany\(\s*(?:\{\s*\})?\s*\)|\.query\([^)]*\)\.delete\(\)(?!.*filter)|truncate\(|destroy\(\{\s*truncate|where:\s*\{\s*\}/.test(
        code,
      ) &&
      !/where\(|filter\(/.test(code)
    )
      return "a change of all records in code";
    if (
      /^(?:rails|bundle|bin\/rails|django-admin|python[\d.]*|php)$/.test(program) &&
      given.some(
        (word) =>
          /(?:\.(?:delete_all|destroy_all|update_all)\b|\.objects\.all\(\)\.(?:delete|update)\(|::truncate\(|::query\(\)->(?:delete|update)\()/.test(
            word,
          ) && !/where|filter/.test(word),
      )
    )
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
