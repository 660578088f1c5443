import fc from "fast-check";
import { expect, test } from "vitest";
import { describeReach } from "../../src/agents/describe-reach.ts";
import { compileHook } from "../../src/card/compiler/compile.ts";
import { importHooker } from "../../src/systems/hooker/card/import.ts";
import { armHome, type LiteralPolicy } from "../support/armed-home.ts";
import { reasonOf } from "../support/hook-calls.ts";
import { sweep } from "../support/sweep.ts";
import { bash, hookerWorld, policy, write } from "../systems/hooker/world.ts";

const tools = fc.constantFrom(
  "",
  ', tool: "Bash"',
  ', tool: "Edit|Write"',
  ", tool: /bash/i",
  ', tool: "Bas"',
  ', tool: ".*"',
);
const patterns = [
  "push.*--force",
  "^git",
  "push$",
  "\\\\Agit\\\\b",
  "rm\\\\s+-[a-z]*r",
  "\\\\h{3}",
  "(?i)PUSH",
  "a|é",
  "[[:upper:]]",
  '"content"',
  "(a+)+$",
];
const matches = fc.oneof(
  fc.constant(""),
  fc.constantFrom(...patterns).map((pattern) => `, match: "${pattern.replaceAll('"', '\\"')}"`),
  fc.constantFrom("/push/", "/\\.env/", "/^x$/").map((literal) => `, match: ${literal}`),
  fc.constantFrom(...patterns).map((one) => `, match: "${one.replaceAll('"', '\\"')}", match_field: :content`),
  fc.constantFrom('".env"', '"config/a.yml"', "/\\.rb$/").map((file) => `, file: ${file}`),
);
const gates = fc.constantFrom("gate", 'gate "no"', 'gate "because \\u00e9"');
const files = fc
  .array(fc.tuple(tools, matches, gates), { minLength: 1, maxLength: 4 })
  .map((rules) =>
    rules.map(([tool, match, gate], at) => policy(`rule ${at}`, `on :PreToolUse${tool}${match}`, gate)).join(""),
  );

const EVENTS = [
  bash("git push --force"),
  bash("ls\ngit push"),
  bash("rm -rf a é abc"),
  bash(`${"a".repeat(40)}!`),
  bash(""),
  write("/app/.env", "X"),
  write("/app/config/a.yml", "push\nx"),
  write("/app/x.rb", "abc"),
  { hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "/app/.env" } },
];

/** The card's hooks as an agent would run them. */
async function importedAs(rules: string): Promise<LiteralPolicy[]> {
  const { hooks, differences } = importHooker(Buffer.from(rules), describeReach);
  expect(differences.filter(({ what }) => !what.startsWith("its event is tool.before;"))).toEqual([]);
  return Promise.all(
    hooks.map(async ({ name, policy: text, capabilities }) => {
      const source = new Map([[`hooks/${name}/policy.ts`, Buffer.from(text ?? "")]]);
      const { code } = await compileHook({ files: source, hook: name, capabilities });
      return {
        hook: name,
        top: `const made = { exports: {} }; ((exports, module) => {${code}\n})(made.exports, made);`,
        policy: "made.exports.default",
      };
    }),
  );
}

test.each(sweep(fc.sample(files, { numRuns: 80, seed: 4 }), 6))(
  "a card that was made of a policies.rb denies what hooker denies, for the same reason (file %#)",
  async (rules) => {
    const original = hookerWorld(rules);
    const card = armHome(await importedAs(rules));
    const said = (reason: unknown): string => String(reason ?? "").replace(/^\[[^\]]*\] /u, "");
    for (const event of EVENTS) {
      const { answer } = original.send(event);
      const now = card.call({ ...event });
      expect([event, said(reasonOf(now))]).toEqual([event, said(answer["permissionDecisionReason"])]);
    }
  },
);
