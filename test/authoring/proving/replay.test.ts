import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { pastCalls } from "../../../src/authoring/proving/past-calls.ts";
import { upperRate } from "../../../src/authoring/proving/replay.ts";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import Replay from "../../../src/cli/commands/replay.ts";
import { percent, renderReplay } from "../../../src/cli/render/replay.ts";
import { renderPage } from "../../../src/cli/render/report/page.ts";
import type { Console } from "../../../src/cli/terminal/console.ts";
import { makeStyle } from "../../../src/cli/terminal/style.ts";
import { publishCard } from "../../../src/operations/author/publish.ts";
import type { ReplayReport } from "../../../src/operations/diagnose/replay.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { listAwaitingConsent } from "../../../src/operations/project/list.ts";
import { grantConsent, reviewConsent } from "../../../src/operations/project/trust.ts";
import { sourceWith, writeTree } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { newJournal } from "../../support/journals.ts";
import { openProjectKey } from "../../support/machine-state.ts";
import { newProject, owning } from "../../support/projects.ts";

/** A hook that denies the commands with this word in it. */
function guard(word: string, more = ""): string {
  return `
import { defineToolPolicy } from "darwinian-minds/hook-policy";
let calls = 0;
export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  beforeToolCall({ input }) {
    const { command } = input as { command: string };
    ${more}
    return command.includes(${JSON.stringify(word)}) ? { action: "deny", reason: "no ${word}" } : undefined;
  },
});
`;
}

const sourceOf = (policy: string, manifest = {}) => sourceWith({ hooks: { guard: policy }, manifest });

interface Past {
  command: string;
  outcome?: "ran" | "failed" | "refused";
  folder?: string;
  daysAgo?: number;
  session?: string;
}

/** What Claude Code keeps of these calls, as text. */
function transcript(host: TestHost, calls: readonly Past[]): string {
  const lines = calls.flatMap(({ command, outcome = "ran", folder = host.cwd, daysAgo = 1, session = "s1" }, at) => {
    const timestamp = new Date(Date.now() - daysAgo * 86_400_000).toISOString();
    const said = { isSidechain: false, timestamp, cwd: folder, sessionId: session, version: "2.1.329" };
    const use = { type: "tool_use", id: `t${at}`, name: "Bash", input: { command } };
    const result = { type: "tool_result", tool_use_id: `t${at}`, content: "", is_error: outcome !== "ran" };
    const denial = outcome === "refused" ? { toolDenialKind: "user-rejected" } : {};
    return [
      { ...said, type: "assistant", message: { role: "assistant", content: [use] } },
      { ...said, type: "user", message: { role: "user", content: [result] }, ...denial },
    ];
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function keep(host: TestHost, text: string | Uint8Array, name = "session.jsonl"): void {
  const folder = path.join(host.env["CLAUDE_CONFIG_DIR"] ?? path.join(host.home, ".claude"), "projects/p");
  writeTree(folder, { [name]: text });
}

function projectWithPast(calls: readonly Past[]): TestHost {
  const host = newProject();
  keep(host, transcript(host, calls));
  return host;
}

async function replay(host: TestHost, ...words: string[]) {
  for (const word of words) if (fs.existsSync(path.join(word, "card.json"))) owning(host, word);
  const { stdout, exitCode } = await runCommand(host, Replay, ...words, "--json");
  return { exitCode, report: JSON.parse(stdout) };
}

test("says what a guard would have done, to which calls, and what had come of them", async () => {
  const host = projectWithPast([
    { command: "rm a" },
    { command: "rm b", outcome: "failed", session: "s2" },
    { command: "rm c", outcome: "refused" },
    { command: "ls" },
    { command: "rm long ago", daysAgo: 40 },
  ]);
  keep(host, transcript(host, [{ command: "rm elsewhere", folder: "/somewhere/else", session: "s3" }]), "other.jsonl");
  const source = sourceOf(guard("rm"));
  const { report, exitCode } = await replay(host, source);
  expect([exitCode, report]).toEqual([
    0,
    expect.objectContaining({ calls: 4, sessions: 2, agents: ["claude-code"], denied: 3, deniedThatRan: 1, left: {} }),
  ]);
  expect(report.found.map(({ outcome, reason }: Record<string, string>) => [outcome, reason])).toEqual([
    ["ran", "no rm"],
    ["failed", "no rm"],
    ["refused", "no rm"],
  ]);
  expect((await replay(host, source, "--all-projects", "--since", "60d")).report).toMatchObject({
    calls: 6,
    denied: 5,
  });
  expect((await replay(host, source, "--limit", "2")).report.calls).toBe(2);
  expect((await replay(host, source, "--agent", "codex")).report.calls).toBe(0);
  // Its sessions outlive a folder that was removed.
  expect((await replay(host, source, "--project", "/somewhere/else")).report).toMatchObject({ calls: 1, denied: 1 });
});

test("compares two sides, in both directions", async () => {
  const host = projectWithPast([
    { command: "rm a" },
    { command: "git push" },
    { command: "rm then push" },
    { command: "ls" },
  ]);
  const { report } = await replay(host, sourceOf(guard("push")), "--against", sourceOf(guard("rm")));
  const verdicts = report.found.map((call: { input: string; verdict: string; against: { verdict: string } }) => {
    return [JSON.parse(call.input).command, call.against.verdict, call.verdict];
  });
  expect(verdicts).toEqual([
    ["rm a", "deny", "allow"],
    ["git push", "allow", "deny"],
  ]);
  const [text, page] = [shown(report), renderPage({ report: null, replay: report, waiting: [] })];
  expect(text).toMatch(/^allow, not deny {2}.*\n {6}deny by @me\/backend@1\.0\.0#guard: no rm\n/u);
  expect(text).toContain("50 % denied, at most 85 % (95 %)");
  expect(text).toContain("The two sides differ on 2 of them");
  expect([page.includes("1 deny, not allow"), page.includes("Compared with: @me/backend@1.0.0#guard.")]).toEqual([
    true,
    true,
  ]);
});

test("shows a call that was made several times once, and first what had worked", async () => {
  const again = { command: "rm again", outcome: "failed" as const };
  const host = projectWithPast([again, { ...again, daysAgo: 0.5 }, again, { command: "rm a" }]);
  const { report } = await replay(host, sourceOf(guard("rm")));
  const text = shown(report);
  expect(text.match(/rm \w+/gu)).toEqual(["rm a", "rm again"]);
  expect(text).toContain("3 times, the last at this time; it failed");
});

function shown(report: ReplayReport): string {
  const lines: string[] = [];
  const console = { out: (line = "") => lines.push(line), style: makeStyle(false) };
  renderReplay(report, console as unknown as Console);
  return lines.join("\n");
}

test("of a rewrite it is said to what, and two that differ in that are two", async () => {
  const host = projectWithPast([{ command: "rm a" }]);
  const to = (command: string) =>
    sourceOf(
      guard("none", `if (command === "rm a") return { action: "allow", updatedInput: { command: "${command}" } };`),
    );
  const { report } = await replay(host, to("gio trash a"), "--against", to("rm -i a"));
  const [{ verdict, reason, against }] = report.found;
  expect([verdict, reason, against.reason]).toEqual([
    "rewrite",
    'to {"command":"gio trash a"}',
    'to {"command":"rm -i a"}',
  ]);
});

test("whoever ends it waits for no policy, and what it was asked in vain is in no figure", async () => {
  const host = projectWithPast([{ command: "loop" }]);
  const policy = guard("rm", `if (command === "loop") for (;;) {}`).replace('"Bash",', '"Bash", timeoutMs: 30_000,');
  const begun = Date.now();
  const ended = replay(host, sourceOf(policy), "--max-denied", "1");
  // The policy lies there when it is asked.
  const isAsked = (name: string) =>
    name.startsWith(`drwn-proving-${process.pid}-`) && fs.existsSync(path.join(os.tmpdir(), name, "home/projects"));
  await vi.waitUntil(() => fs.readdirSync(os.tmpdir()).some(isAsked), { timeout: 60_000 });
  process.emit("SIGINT");
  const { exitCode, report } = await ended;
  expect([exitCode, report]).toMatchObject([3, { calls: 0, denied: 0, policies: {}, isEnded: true, isWithin: false }]);
  expect(shown(report)).toBe("  You ended it before all calls were replayed");
  expect(Date.now() - begun).toBeLessThan(20_000);
});

test("whoever ends it is heard within a large transcript, too", async () => {
  const host = newProject();
  const one = transcript(host, [{ command: "ls" }]);
  keep(host, `${one.repeat(30_000)}no line of a transcript\n`);
  const [heard, stop] = [[] as string[], new AbortController()];
  setTimeout(() => stop.abort(), 1);
  const request = { since: new Date(0), root: path.join(host.home, "elsewhere"), signal: stop.signal };
  for await (const _ of pastCalls(host, request, (what) => heard.push(what)));
  expect(heard).toEqual([]);
});

test("a rate has two digits that count, and is never written in powers of ten", () => {
  expect([1, 0.996, 0.17, 0.00404, 1e-9, 0].map(percent)).toEqual([
    "100 %",
    "100 %",
    "17 %",
    "0.40 %",
    "0.00000010 %",
    "0.0 %",
  ]);
});

test("what a person has set of a card's options holds for another version of it", async () => {
  const host = projectWithPast([{ command: "rm a" }, { command: "ls" }]);
  const policy = `
import { defineToolPolicy } from "darwinian-minds/hook-policy";
export default defineToolPolicy<{ word: string }>({
  policyKind: "enforcement",
  beforeToolCall: ({ input, options }) =>
    String(input["command"]).includes(options.word) ? { action: "deny", reason: "no" } : undefined,
});
`;
  const options = { guard: { word: { type: "string", default: "rm", description: "What is denied." } } };
  const of = (version: string) => sourceOf(policy, { version, hooks: { include: ["guard"], options } });
  await publishCard(host, { source: of("1.0.0"), key: null, isSigned: false, dryRun: false });
  await addCards(host, ["@me/backend"]);
  await runCommand(host, CardTrust, "@me/backend", "--hooks", "--yes", "--set", "guard.word=ls");
  const { report } = await replay(host, of("2.0.0"), "--against", "in-force");
  expect(report).toMatchObject({ calls: 2, denied: 1, found: [] });
});

test("asks what is in force, a shadow as if it were heard", async () => {
  const host = projectWithPast([{ command: "rm a" }, { command: "ls" }]);
  await publishCard(host, { source: sourceOf(guard("rm")), key: null, isSigned: false, dryRun: false });
  await addCards(host, ["@me/backend"]);
  await grantConsent(host, reviewConsent(host, { card: "@me/backend", range: null, mode: "shadow" }));
  await expect(replay(host)).resolves.toMatchObject({ report: { calls: 2, denied: 1, against: null } });
});

test("asks what holds in every folder, too", async () => {
  const host = projectWithPast([{ command: "rm a" }, { command: "ls" }]);
  const global = { ...host, scope: "global" as const };
  await publishCard(host, { source: sourceOf(guard("rm")), key: null, isSigned: false, dryRun: false });
  await addCards(global, ["@me/backend"]);
  await grantConsent(global, reviewConsent(global, { card: "@me/backend", range: null }));
  const { report } = await replay(host, sourceOf(guard("ls")), "--against", "in-force");
  expect(report).toMatchObject({ denied: 1, against: ["@me/backend@1.0.0#guard"] });
  expect(report.found).toHaveLength(2);
});

test("takes calls from drwn's journal where inputs were kept, of agents whose records it cannot read", async () => {
  const host = newProject();
  const journal = newJournal(openProjectKey(host), host.drwnHome);
  const inputs = ['{"command":"rm a"}', '{"command":"rm token=abcdefghijklmnop"}', null];
  for (const input of inputs) journal.begin({ runtime: "cursor", tool: "Shell", input })();
  journal.begin({ input: '{"command":"rm of an agent that keeps its own"}' })();
  const { report } = await replay(host, sourceOf(guard("rm")));
  expect(report).toMatchObject({ calls: 1, denied: 1, agents: ["cursor"] });
  expect(report.left).toEqual({ "drwn's journal: an input that was cut or redacted": 1 });
});

test("more denied calls than a person allows end with 3", async () => {
  const host = projectWithPast([{ command: "rm a" }, { command: "ls" }]);
  const source = sourceOf(guard("rm"));
  const exits: number[] = [];
  for (const most of ["1", "0", "50%", "49.9%"]) {
    exits.push((await replay(host, source, "--max-denied", most)).exitCode);
  }
  expect(exits).toEqual([0, 3, 0, 3]);
  for (const most of ["few", "100.1%", "101%", "-1"]) {
    expect((await replay(host, source, `--max-denied=${most}`)).report.error.code).toBe("DRWN_LIMIT_INVALID");
  }
  expect((await replay(host, source, "--max-denied", "100%")).exitCode).toBe(0);
});

test("a consent can depend on how many past calls the card would have denied", async () => {
  const host = projectWithPast([{ command: "rm a" }, { command: "ls" }]);
  await publishCard(host, { source: sourceOf(guard("rm")), key: null, isSigned: false, dryRun: false });
  await addCards(host, ["@me/backend"]);
  const trusted = (most: string) =>
    runCommand(host, CardTrust, "@me/backend", "--hooks", "--yes", "--json", "--max-denied", most);
  const refused = await trusted("49%");
  expect([refused.exitCode, JSON.parse(refused.stdout).error.code]).toEqual([1, "DRWN_TOO_MUCH_DENIED"]);
  expect(listAwaitingConsent(host)).toEqual(["@me/backend"]);
  const { exitCode, stderr } = await trusted("1");
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringMatching(/would have denied 1 of 2 calls of the last 30 days\n {2}So few calls prove little/u),
  ]);
});

test("of a hook that cannot be replayed nobody knows how much it denies, so nothing is consented to", async () => {
  const host = projectWithPast([{ command: "ls" }]);
  const manifest = { hooks: { include: ["guard"], capabilities: { guard: ["net"] } } };
  await publishCard(host, { source: sourceOf(guard("rm"), manifest), key: null, isSigned: false, dryRun: false });
  await addCards(host, ["@me/backend"]);
  const words = ["@me/backend", "--hooks", "--yes", "--json", "--max-denied", "50%"];
  const { exitCode, stdout } = await runCommand(host, CardTrust, ...words);
  expect([exitCode, JSON.parse(stdout).error]).toMatchObject([
    1,
    { code: "DRWN_TOO_MUCH_DENIED", message: expect.stringContaining("guard, since it needs net") },
  ]);
  expect(listAwaitingConsent(host)).toEqual(["@me/backend"]);
});

test("a card that nobody consented to is replayed only when a person says so", async () => {
  const host = projectWithPast([{ command: "rm a" }]);
  await publishCard(host, { source: sourceOf(guard("rm")), key: null, isSigned: false, dryRun: false });
  const refused = await replay(host, "@me/backend@1.0.0");
  expect([refused.exitCode, refused.report.error.code]).toEqual([1, "DRWN_CONSENT_NEEDED"]);
  expect((await replay(host, "@me/backend@1.0.0", "--run")).report).toMatchObject({ calls: 1, denied: 1 });
});

test("a hook that needs more than the event is not replayed, and nothing is said of calls that nobody judged", async () => {
  const host = projectWithPast([{ command: "rm a" }]);
  const manifest = { hooks: { include: ["guard"], capabilities: { guard: ["net"] } } };
  const { report } = await replay(host, sourceOf(guard("rm"), manifest), "--run");
  expect(report).toMatchObject({ calls: 0, hooks: [], notReplayed: [{ hook: "guard", why: "it needs net" }] });
});

describe("what cannot be replayed is counted, never dropped", () => {
  test.each<[string, (whole: string) => string | Uint8Array, number]>([
    ["a line that is cut", (whole) => `{"type":"assistant","mess\n${whole}`, 1],
    ["bytes that are no text", (whole) => Buffer.concat([Buffer.from(whole), Buffer.from([0xff, 0xfe, 0x0a])]), 1],
    ["a version to come", (whole) => whole + whole.replaceAll("2.1.329", "9.0.0").replaceAll('"t0"', '"t9"'), 2],
  ])("%s", async (_, spoil, left) => {
    const host = newProject();
    keep(host, spoil(transcript(host, [{ command: "rm a" }])));
    const { report } = await replay(host, sourceOf(guard("rm")));
    expect(report.denied).toBe(1);
    const counts: number[] = Object.values(report.left);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(left);
  });

  test("a policy that throws or never ends denies", async () => {
    const host = projectWithPast([{ command: "throw" }, { command: "loop" }, { command: "ls" }]);
    const more = `
    if (command === "throw") throw new Error("broken");
    if (command === "loop") for (;;) {}`;
    const policy = guard("rm", more).replace('matcher: "Bash",', 'matcher: "Bash", timeoutMs: 500,');
    const { report, exitCode } = await replay(host, sourceOf(policy), "--max-denied", "1");
    expect([exitCode, report]).toMatchObject([3, { calls: 3, denied: 2, isWithin: false, left: {} }]);
  });
});

test("a transcript may give as many reasons as it has lines, and only some of them are told apart", async () => {
  const host = newProject();
  const whole = transcript(host, Array(80).fill({ command: "rm a" }));
  let count = 0;
  keep(
    host,
    whole.replaceAll("2.1.329", () => `9.0.${count++} ${"x".repeat(3_000)}`),
  );
  const { left } = (await replay(host, sourceOf(guard("rm")))).report;
  const said = Object.keys(left);
  expect([said.length, left["other reasons"], Math.max(...said.map((why) => why.length)) < 300]).toEqual([
    101,
    60,
    true,
  ]);
});

test("makes a page of it, in which every text is text", async () => {
  const host = projectWithPast([{ command: "rm '<script>alert(1)</script>'" }, { command: "ls" }]);
  await replay(host, sourceOf(guard("rm")), "--html", "replay.html");
  const page = fs.readFileSync(path.join(host.cwd, "replay.html"), "utf8");
  const said = ["What a guard would have done", "&#60;script&#62;", "1 deny", "no rm", "fewer than 200 calls"];
  expect([said.filter((text) => !page.includes(text)), page.includes("<script")]).toEqual([[], false]);
});

test("no session at all is said as such", async () => {
  const host = newProject();
  const source = sourceOf(guard("rm"));
  const { stdout, exitCode } = await runCommand(owning(host, source), Replay, source);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("No call in ")]);
});

test("the upper end of the interval is Wilson's", () => {
  // By the formula in E. B. Wilson, 1927, for 0 of 100, 1 of 10 and 50 of 100.
  expect([upperRate(0, 100), upperRate(1, 10), upperRate(50, 100)].map((rate) => rate.toFixed(4))).toEqual([
    "0.0370",
    "0.4042",
    "0.5962",
  ]);
  expect(upperRate(0, 0)).toBe(1);
});
