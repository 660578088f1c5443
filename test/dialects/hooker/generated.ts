import path from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { describeEventCoverage } from "../../../src/agents/event-coverage.ts";
import { compileHook } from "../../../src/card/compiler/compile.ts";
import { importHooker } from "../../../src/dialects/hooker/card/import.ts";
import { type ArmedHome, armHome, type LiteralPolicy, write as writeFile } from "../../support/armed-home.ts";
import { bash, hookerWorld, policy, prompt, write } from "./world.ts";

const { constantFrom, oneof, tuple } = fc;

const tools = constantFrom(
  "",
  ', tool: "Bash"',
  ', tool: "Edit|Write"',
  ", tool: /bash/i",
  ', tool: "Bas"',
  ', tool: ".*"',
);
/** What no one finds the end of in a text that ends otherwise. */
const SLOW = "(a+)+$";
const PATTERNS = [
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
  SLOW,
];
const patterns = constantFrom(...PATTERNS).map((pattern) => `"${pattern.replaceAll('"', '\\"')}"`);
const CONSTANTS = ["git_push_force", "git_push", "git_commit", "git_reset", "git_merge"];
const textMatches = oneof(
  fc.constant(""),
  patterns.map((pattern) => `, match: ${pattern}`),
  constantFrom("/push/", "/\\.env/", "/^x$/").map((literal) => `, match: ${literal}`),
);
const matches = oneof(
  { arbitrary: textMatches, weight: 3 },
  constantFrom(...CONSTANTS).map((name) => `, match: :${name}`),
  patterns.map((pattern) => `, match: ${pattern}, match_field: :content`),
  constantFrom('".env"', '"config/a.yml"', "/\\.rb$/").map((file) => `, file: ${file}`),
);
const gates = constantFrom("gate", 'gate "no"', 'gate "because \\u00e9"', 'gate "two\\nlines"');
const injects = constantFrom('inject "A.md"', 'inject "docs/B.md", ["A.md"]', 'inject command: "echo said"');
const actions = oneof({ arbitrary: gates, weight: 2 }, injects);

const ofCalls = tuple(tools, matches, actions).map(([tool, match, action]) => [
  `on :PreToolUse${tool}${match}`,
  action,
]);
const ofPrompts = tuple(textMatches, actions).map(([match, action]) => [`on :UserPromptSubmit${match}`, action]);
const ofAll = gates.map((action) => [action]);

/** Files of policies on calls and prompts, some of them without an event. */
const policyFiles: fc.Arbitrary<string> = fc
  .array(oneof({ arbitrary: ofCalls, weight: 5 }, { arbitrary: ofPrompts, weight: 3 }, ofAll), {
    minLength: 1,
    maxLength: 4,
  })
  .map((rules) => rules.map((lines, at) => policy(`rule ${at}`, ...lines)).join(""));

const LONG = bash(`${"a".repeat(40)}!`);
const CALLS = [
  bash("git push --force"),
  bash("ls\ngit push"),
  bash("rm -rf a é abc"),
  LONG,
  bash(""),
  bash("git -C /a push -f origin && git commit -m x"),
  bash(`python3 -c 'import os; os.system("git push -f")'`),
  write("/app/.env", "X"),
  write("/app/config/a.yml", "push\nx"),
  write("/app/x.rb", "abc"),
  { hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: "/app/.env" } },
];
const PROMPTS = [prompt("git push --force"), prompt("x"), prompt("please\npush"), prompt("")];

interface AskedFile {
  rules: string;
  events: object[];
}

/** Each file with some of the events: an event costs a card a process for each hook that asks for files or programs. */
export const askedFiles: fc.Arbitrary<AskedFile> = fc
  .record({
    rules: policyFiles,
    calls: fc.subarray(CALLS, { minLength: 4, maxLength: 4 }),
    prompts: fc.subarray(PROMPTS, { minLength: 1, maxLength: 1 }),
  })
  .map(({ rules, calls, prompts }) => ({ rules, events: [...calls, ...prompts] }));

/** The card's hooks as an agent would run them, in a project with the files that they name. */
async function armed(rules: string): Promise<ArmedHome> {
  const { hooks } = importHooker(Buffer.from(rules), describeEventCoverage);
  const policies = await Promise.all(
    hooks.map(async ({ name, policy: text = "", capabilities }): Promise<LiteralPolicy> => {
      const source = new Map([[`hooks/${name}/policy.ts`, Buffer.from(text)]]);
      const { code } = await compileHook({ files: source, hook: name, capabilities });
      return {
        hook: name,
        capabilities,
        phases: [text.includes('event: "UserPromptSubmit"') ? "prompt.submit" : "pre-tool"],
        top: `const made = { exports: {} }; ((exports, module) => {${code}\n})(made.exports, made);`,
        policy: "made.exports.default",
      };
    }),
  );
  const home = armHome(policies);
  for (const [name, text] of Object.entries(FILES)) writeFile(path.join(home.project, name), text);
  return home;
}

const FILES = { "A.md": "text of A", "docs/B.md": "text\nof B" };

/** Asks the file by `drwn hook run --dialect hooker`, and the card through the entries of Claude Code, hooker's own agent. */
export async function expectSameAsHooker({ rules, events }: AskedFile): Promise<void> {
  const original = hookerWorld({ "policies.rb": rules, ...FILES });
  const card = await armed(rules);
  // A policy without an event is one on calls in a card, and the report says so.
  const isOnAll = / do\n {2}(?!on)/u.test(rules);
  const isSlow = rules.includes(SLOW);
  for (const event of events) {
    const isPrompt = "prompt" in event;
    if ((event === LONG && isSlow) || (isPrompt && isOnAll)) continue;
    const { answer } = original.send(event);
    const { said } = card.call({ ...event }, isPrompt ? { phase: "prompt.submit" } : {});
    const specific = said?.hookSpecificOutput;
    const reason = isPrompt ? said?.reason : specific?.permissionDecisionReason;
    expect([rules, event, unlabelled(reason), linesOf(specific?.additionalContext)]).toEqual([
      rules,
      event,
      unlabelled(answer["permissionDecisionReason"]),
      linesOf(answer["additionalContext"]),
    ]);
  }
  const said = importHooker(Buffer.from(rules), describeEventCoverage).differences.map(({ what }) => what);
  expect(said.some((what) => what.startsWith("hooker asks it on every event"))).toBe(isOnAll);
  if (isSlow)
    expect(said.join("\n")).toContain("a text that its regular expression cannot search in time denies the call");
}

function unlabelled(reason: unknown): string {
  return String(reason ?? "").replace(/^\[[^\]]*\] /u, "");
}

/** What is added, without who asked for it: several hooks of a card that add one file do so each for itself. */
function linesOf(context: unknown): string[] {
  const text = String(context ?? "").replace(/<hooker:matched>[^<]*<\/hooker:matched>/gu, "");
  return [...new Set(text.split("\n").filter((line) => line !== ""))].toSorted();
}
