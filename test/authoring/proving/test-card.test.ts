import fs from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { validateXML } from "xmllint-wasm";
import SourceAddHook from "../../../src/cli/commands/card/source/add-hook.ts";
import CardTest from "../../../src/cli/commands/card/test.ts";
import { renderReview } from "../../../src/cli/render/review.ts";
import { makeStyle } from "../../../src/cli/terminal/style.ts";
import { publishCard } from "../../../src/operations/author/publish.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { reviewConsent } from "../../../src/operations/project/trust.ts";
import { denyingPolicy, sourceWith } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { testHost } from "../../support/host.ts";
import { problemOf } from "../../support/problems.ts";
import { installed, newProject, owning, trust } from "../../support/projects.ts";

/** A hook that does what the command of the call says. */
const POLICY = `
import { defineToolPolicy } from "darwinian-minds/hook-policy";
let calls = 0;
export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  timeoutMs: 5_000,
  async beforeToolCall({ input }) {
    const { command } = input as { command: string };
    calls++;
    if (command === "deny") return { action: "deny", reason: "not this one" };
    if (command === "ask") return { action: "ask", reason: "sure?" };
    if (command === "rewrite") return { action: "allow", updatedInput: { command: "other" } };
    if (command === "throw") throw new Error("broken");
    if (command === "loop") for (;;) {}
    if (command === "late") await new Promise((resolve) => setTimeout(resolve, 5));
    if (command === "never") await new Promise(() => {});
    if (command === "module" && calls > 1) return { action: "deny", reason: "asked before" };
    if (command === "remember" && Reflect.get(globalThis, "seen") === true) return { action: "deny", reason: "again" };
    if (command === "remember") Reflect.set(globalThis, "seen", true);
    if (command === "print") console.log("printed");
    if (command === "die") process.exit(0);
    if (command === "env" && process.env["HOME"] !== undefined) return { action: "deny", reason: "it sees HOME" };
    return undefined;
  },
});
`;

type Case = Record<string, unknown>;

const said = (command: string, expect: string, more: Case = {}): Case => {
  return { id: command, tool: "Bash", input: { command }, expect, ...more };
};

function sourceOf(cases: readonly Case[], parts: { policy?: string; manifest?: Record<string, unknown> } = {}): string {
  const { policy = POLICY, manifest = {} } = parts;
  const text = cases.map((one) => JSON.stringify(one)).join("\n");
  return sourceWith({ hooks: { guard: policy }, files: { "hooks/guard/cases.jsonl": text }, manifest });
}

async function testSource(folder: string, ...flags: string[]) {
  const { stdout, ...end } = await runCommand(owning(testHost(), folder), CardTest, folder, "--json", ...flags);
  return { ...end, report: JSON.parse(stdout) };
}

interface Told {
  case: { id: string };
  state: string;
  differences: { received: string; tool: string }[];
  corrected: string | null;
}

const statesOf = (report: { results: Told[] }) => {
  return Object.fromEntries(report.results.map(({ case: { id }, state }) => [id, state]));
};

test("every answer that a hook can give is compared, whatever becomes of the hook", async () => {
  const passing = [
    said("deny", "deny", { reason: "not this" }),
    said("ask", "ask"),
    said("rewrite", "rewrite", { updatedInput: { command: "other" } }),
    said("throw", "deny", { reason: "broken" }),
    said("loop", "deny", { reason: "did not finish within 1000 ms", agent: "claude-code" }),
    said("late", "allow"),
    said("never", "deny", { reason: "did not finish", agent: "claude-code" }),
    said("module", "allow"),
    said("print", "allow"),
    said("die", "deny", { reason: "called process.exit" }),
    said("env", "allow"),
    { id: "other tool", tool: "Read", input: { file_path: "/a" }, expect: "allow" },
  ];
  const { report, exitCode, stderr } = await testSource(
    sourceOf(passing, { policy: POLICY.replace("5_000", "1_000") }),
  );
  expect(Object.values(statesOf(report))).toEqual(passing.map(() => "passed"));
  expect([exitCode, stderr]).toEqual([0, ""]);
});

test("a case that fails ends with 1, and is printed as the line that would pass", async () => {
  const { report, exitCode } = await testSource(
    sourceOf([said("deny", "allow", { why: "once" }), said("ask", "deny")]),
  );
  expect(exitCode).toBe(1);
  const lines = report.results.map(({ corrected }: Told) => corrected);
  const again = await testSource(sourceOf(lines.map((line: string) => JSON.parse(line))));
  expect([again.exitCode, statesOf(again.report)]).toEqual([0, { deny: "passed", ask: "passed" }]);
});

test("a hook that fails passes no case that only expects a deny, and the printed line says why it denied", async () => {
  const { report, exitCode } = await testSource(sourceOf([said("throw", "deny")]));
  expect([exitCode, report.results[0].differences[0].received]).toEqual([
    1,
    expect.stringContaining("the hook failed:"),
  ]);
  const again = await testSource(sourceOf([JSON.parse(report.results[0].corrected)]));
  expect([again.exitCode, statesOf(again.report)]).toEqual([0, { throw: "passed" }]);
});

test("a line that is to be pasted says the same as the case, whatever stands in it", async () => {
  const input = { command: "deny", description: "\u202e \u0000 \u0440aypal" };
  const folder = sourceOf([said("deny", "allow", { input })]);
  const { stdout } = await runCommand(owning(testHost(), folder), CardTest, folder);
  const [line = ""] = stdout.split("\n").filter((one) => one.startsWith("      > "));
  expect([JSON.parse(line.slice(8)).input, /[\u202e\u0000]/u.test(stdout)]).toEqual([input, false]);
});

test("the call of a case is told under each name that agents have for the tool", async () => {
  const policy = POLICY.replace(
    "async beforeToolCall({ input }) {",
    'async beforeToolCall({ input, metadata }) {\n    if (metadata?.["tool_name"] === "exec_command") return undefined;',
  );
  const { report } = await testSource(sourceOf([said("deny", "deny")], { policy }));
  expect(report.results[0].differences).toEqual([
    { field: "expect", expected: "deny", received: "allow", agent: "codex", tool: "exec_command" },
  ]);
  const named = await testSource(sourceOf([said("deny", "deny", { agent: "claude-code" })], { policy }));
  expect(named.exitCode).toBe(0);
});

test("a policy may remember the calls of its process, so a case can ask for a fresh one", async () => {
  const cases = [said("remember", "allow"), said("remember", "deny", { id: "together" })];
  const alone = { ...said("remember", "allow", { id: "alone" }), fresh: true };
  const told = [...cases, alone, said("remember", "deny", { id: "after" })];
  const { report } = await testSource(sourceOf(told.map((one) => ({ ...one, agent: "claude-code" }))));
  expect(statesOf(report)).toEqual({ remember: "passed", together: "passed", alone: "passed", after: "failed" });
});

test("what a policy remembers reaches 256 calls at most", async () => {
  const calls = Array.from({ length: 256 }, (_, at) => said("late", "allow", { id: `late ${at}` }));
  const cases = [said("remember", "allow"), ...calls, said("remember", "allow", { id: "again" })];
  const { report } = await testSource(sourceOf(cases.map((one) => ({ ...one, agent: "claude-code" }))));
  expect(report.hooks).toMatchObject([{ cases: 258, passed: 258 }]);
});

test("the call that a reason proposes has to be allowed", async () => {
  const instead = (command: string) => ({ instead: { tool: "Bash", input: { command } } });
  const { report } = await testSource(
    sourceOf([said("deny", "deny", instead("ask")), { ...said("deny", "deny", instead("late")), id: "other" }]),
  );
  expect(statesOf(report)).toEqual({ deny: "failed", other: "passed" });
  expect(report.results[0].differences[0]).toMatchObject({ field: "instead", received: "ask: sure?" });
});

test("what is still to be done is listed and fails nothing", async () => {
  const folder = sourceOf([said("late", "deny", { todo: true }), said("deny", "deny")]);
  const { stdout, exitCode } = await runCommand(owning(testHost(), folder), CardTest, folder);
  expect([stdout, exitCode]).toEqual(["todo  guard: late\nok  guard: 2 cases, 1 passed, 1 to do\n", 0]);
});

test("a hook that card.json doesn't list is named with the command that lists it, and fails a test of nothing", async () => {
  const host = testHost();
  const folder = sourceOf([said("deny", "deny")], { manifest: { hooks: { include: [] } } });
  fs.mkdirSync(path.join(folder, "hooks/shared"));
  fs.writeFileSync(path.join(folder, "hooks/shared/words.ts"), "export const words = [];\n");
  const missed = await runCommand(owning(host, folder), CardTest, folder);
  expect([missed.exitCode, missed.stdout.split("\n").slice(0, 2)]).toEqual([
    1,
    [
      "The card has no hooks",
      expect.stringMatching(
        /^FAIL {2}guard: not tested, since card\.json doesn't list it: drwn card source add-hook \S+ guard$/u,
      ),
    ],
  ]);
  const named = await testSource(folder, "--hook", "guard");
  const [, command = ""] = missed.stdout.split("list it: ");
  expect([named.exitCode, named.report.error]).toEqual([
    1,
    { code: "DRWN_HOOK_MISSING", message: expect.stringContaining("`guard`"), details: [], hint: command.trim() },
  ]);
  const [, , , , place = "", hook = ""] = command.trim().split(" ");
  expect((await runCommand(host, SourceAddHook, place, hook)).exitCode).toBe(0);
  expect((await testSource(folder)).report).toMatchObject({ ok: true, unlisted: [], hooks: [{ passed: 1 }] });
});

test("a hook that card.json doesn't list fails nothing where others are tested", async () => {
  const folder = sourceOf([said("deny", "deny")]);
  fs.cpSync(path.join(folder, "hooks/guard"), path.join(folder, "hooks/other"), { recursive: true });
  const { report, exitCode } = await testSource(folder);
  expect([exitCode, report.unlisted]).toEqual([0, [{ hook: "other", command: expect.stringContaining("add-hook") }]]);
});

test("a lifecycle hook is asked about lifecycle events", async () => {
  const policy = `
import { defineHook } from "darwinian-minds/hook-policy";
export default defineHook({
  event: "prompt.submit",
  run: ({ input }) => (input.prompt.includes("key") ? { action: "reject", reason: "a key" } : undefined),
});
`;
  const at = (prompt: string, expect: string) => ({ id: prompt, phase: "prompt.submit", input: { prompt }, expect });
  const { report } = await testSource(sourceOf([at("my key", "deny"), at("hello", "allow")], { policy }));
  expect(statesOf(report)).toEqual({ "my key": "passed", hello: "passed" });
});

test("a call that ends its process is blocked alone", async () => {
  const policy = `
import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  beforeToolCall({ input }) {
    if ((input as { command: string }).command === "die") "x".repeat(2 ** 27).split("");
    return undefined;
  },
});
`;
  const around = [said("a", "allow"), said("die", "deny", { reason: "ended its process" }), said("b", "allow")];
  const cases = around.map((one) => JSON.stringify({ ...one, agent: "claude-code" }));
  const files = { "hooks/guard/cases.jsonl": cases.join("\n") };
  const { report } = await testSource(sourceWith({ hooks: { guard: policy }, files }));
  expect(report.hooks[0]).toMatchObject({ passed: 3 });
});

describe("code that reaches for more", () => {
  const policy = `
import fs from "node:fs";
import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy({
  policyKind: "enforcement",
  beforeToolCall: ({ cwd }) => (fs.existsSync("mark") ? { action: "deny", reason: "there" } : undefined),
});
`;
  const manifest = { hooks: { include: ["guard"], capabilities: { guard: ["fs-read"] } } };

  test("runs with what it declares only when a person says so", async () => {
    const folder = sourceOf([said("late", "allow")], { policy, manifest });
    const without = await testSource(folder);
    expect(without.report.hooks[0]).toMatchObject({ passed: 0, notRun: expect.stringContaining("--run") });
    const asked = await testSource(folder, "--run");
    expect(asked.report.hooks[0]).toMatchObject({ passed: 1, notRun: null });
  });
});

describe("a card that nobody consented to", () => {
  test("runs only with --run, and without it nothing of it is run", async () => {
    const host = testHost();
    const folder = sourceOf([said("deny", "deny")], { policy: denyingPolicy("Bash") });
    await publishCard(host, { source: folder, key: null, isSigned: false, dryRun: false });
    const refused = await runCommand(host, CardTest, "@me/backend@1.0.0", "--json");
    expect([refused.exitCode, JSON.parse(refused.stdout).error.code]).toEqual([1, "DRWN_CONSENT_NEEDED"]);
    const run = await runCommand(host, CardTest, "@me/backend@1.0.0", "--json", "--run");
    const [hook] = JSON.parse(run.stdout).hooks;
    expect([run.exitCode, hook.passed]).toEqual([0, 1]);
  });
});

test("a card whose cases fail is not published, and the review of one that is says how many it has", async () => {
  const host = newProject();
  const request = { key: null, isSigned: false, dryRun: false };
  const failing = sourceOf([said("deny", "deny"), said("ask", "allow")]);
  const problem = await problemOf(() => publishCard(host, { source: failing, ...request }));
  expect([problem.code, problem.details]).toEqual(["DRWN_CASES_FAILED", ["guard: ask"]]);
  await expect(addCards(host, ["@me/backend"])).rejects.toThrow();
  const { tested, hooks } = await publishCard(host, {
    source: sourceOf([said("deny", "deny"), said("late", "allow")]),
    ...request,
  });
  expect(tested).toMatchObject([{ name: "guard", cases: 2, passed: 2 }]);
  expect(hooks[0]?.proof).toMatchObject({ cases: 2, refused: 1, allowed: 1 });
  await addCards(host, ["@me/backend"]);
  const review = reviewConsent(host, { card: "@me/backend", range: null });
  const text = renderReview(review, makeStyle(false), true).join("\n");
  expect(text).toMatch(/cases {7}2 cases: 1 refused, 1 let through.*\n +its publisher says: \d+ of \d+ mutants held/u);
  const bare = await installed({ hooks: { guard: {} } });
  const without = reviewConsent(bare, { card: "@me/backend", range: null });
  expect(renderReview(without, makeStyle(false), true).join("\n")).toContain("cases       no cases");
});

test("writes the cases as JUnit XML, and what failed as SARIF", async () => {
  const host = newProject();
  const cases = [
    said("deny", "deny"),
    said("ls", "deny", { id: '<a> & "b" \u202e' }),
    said("cat", "deny", { todo: true }),
  ];
  const folder = sourceOf(cases);
  const { exitCode } = await runCommand(
    owning(host, folder),
    CardTest,
    folder,
    "--junit",
    "cases.xml",
    "--sarif",
    "cases.sarif",
  );
  const [xml = "", sarif = ""] = ["cases.xml", "cases.sarif"].map((name) =>
    fs.readFileSync(path.join(host.cwd, name), "utf8"),
  );
  expect(exitCode).toBe(1);
  expect(xml).toContain('<testsuite name="@me/backend#guard" tests="3" failures="1" errors="0" skipped="1">');
  expect(xml).toContain('name="&#60;a&#62; &#38; &#34;b&#34; \\u{202e}"><failure message="allow">');
  expect(xml.match(/<testcase /gu)).toHaveLength(3);
  expect(await faultsInJunit(xml)).toEqual([]);
  expect(await faultsInJunit(xml.replaceAll("<testcase", "<test"))).not.toEqual([]);
  expect(faultsInSarif(JSON.parse(sarif))).toEqual([]);
  expect(faultsInSarif({ version: "2.1.0", runs: [{ tool: {} }] })).not.toEqual([]);
  const [run] = JSON.parse(sarif).runs;
  expect(run.results).toMatchObject([
    {
      ruleId: "failed-case",
      level: "error",
      message: { text: expect.stringContaining("expected deny, received allow") },
      locations: [{ physicalLocation: { artifactLocation: { uri: "hooks/guard/cases.jsonl" } } }],
    },
  ]);
});

/** By the schema of Jenkins. */
async function faultsInJunit(xml: string): Promise<string[]> {
  const file = path.resolve(import.meta.dirname, "../../support/schemas/junit-jenkins.xsd");
  const { errors } = await validateXML({ xml, schema: fs.readFileSync(file, "utf8") });
  return errors.map(({ message }) => message);
}

/** By the schema of those who look after SARIF. */
function faultsInSarif(log: unknown): string[] {
  const file = path.resolve(import.meta.dirname, "../../support/schemas/sarif-2.1.0-rtm.5.json");
  const { $schema: _, id: _id, ...schema } = JSON.parse(fs.readFileSync(file, "utf8"));
  // It is of an older draft: its one pattern is no expression of Unicode's, and its formats are advice.
  const validate = new Ajv({ strict: false, unicodeRegExp: false, validateFormats: false }).compile(schema);
  return validate(log) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test("a way out that another guard in force closes fails its case with --stack, which says whom it cannot ask", async () => {
  const host = newProject();
  const hooks = { guard: denyingPolicy("Bash", "closed"), far: denyingPolicy("Bash") };
  const capabilities = { far: ["net" as const] };
  const other = sourceWith({
    hooks,
    manifest: { name: "@me/other", hooks: { include: ["guard", "far"], capabilities } },
  });
  await publishCard(host, { source: other, key: null, isSigned: false, dryRun: false });
  await addCards(host, ["@me/other"]);
  await trust(host, { card: "@me/other" });
  const source = sourceOf([said("deny", "deny", { instead: { tool: "Bash", input: { command: "ls" } } })]);
  const alone = await runCommand(owning(host, source), CardTest, source);
  const stacked = await runCommand(owning(host, source), CardTest, source, "--stack");
  expect([alone.exitCode, stacked.exitCode]).toEqual([0, 1]);
  expect(stacked.stdout).toContain("deny by @me/other@1.0.0#guard");
  expect(stacked.stdout).toContain("@me/other@1.0.0#far: not asked about ways out");
});
