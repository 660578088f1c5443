import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import Log from "../../../src/cli/commands/log.ts";
import Report from "../../../src/cli/commands/report.ts";
import { renderPage } from "../../../src/cli/render/report/page.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { makeReport } from "../../../src/operations/report/report.ts";
import { Tally } from "../../../src/operations/report/tally.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { newProject } from "../../support/projects.ts";
import { projectToReport } from "../../support/reported-past.ts";

const LONG_AGO = ["--since", "2026-01-01"];

async function reported(host: TestHost) {
  return makeReport(host, { since: "7d", isEverywhere: false });
}

test("has the figures of `drwn log --stats`, and lies where only its owner can read it, or where it is asked for", async () => {
  const host = await projectToReport();
  const stats = JSON.parse((await runCommand(host, Log, "--stats", "--json", ...LONG_AGO)).stdout);
  const { figures, spans, refused } = JSON.parse((await runCommand(host, Report, "--json", ...LONG_AGO)).stdout);
  expect(figures).toEqual(stats);
  expect(stats.calls).toBeGreaterThan(1_000);
  const sum = (name: string) =>
    spans.counts.reduce((total: number, span: Record<string, number>) => total + (span[name] ?? 0), 0);
  expect([sum("denied"), sum("asked"), sum("allowed") + sum("denied") + sum("asked")]).toEqual([
    stats.denies,
    stats.asks,
    stats.calls,
  ]);
  const denied = refused.reduce((total: number, group: { denied: number }) => total + group.denied, 0);
  expect(denied).toBe(stats.denies);
  const { stdout } = await runCommand(host, Report, ...LONG_AGO);
  const own = path.join(host.drwnHome, "report.html");
  expect([stdout.includes(own), fs.statSync(own).mode & 0o777]).toEqual([true, 0o600]);
  await runCommand(host, Report, "--all-projects", "--out", "page.html", ...LONG_AGO);
  expect(fs.readFileSync(path.join(host.cwd, "page.html"), "utf8")).toContain("What your guards did");
});

test("says what matters: strays, shadow, slow and silent guards, and what waits; every text of others is text", async () => {
  const host = await projectToReport();
  const report = await reported(host);
  expect(report.projects).toEqual([readStatus(host)]);
  expect(report).toMatchObject({
    overruled: { count: 1, calls: [{ id: "toolu_denied" }] },
    unseen: { count: 1, calls: [{ id: "toolu_unseen" }] },
    shadow: [{ policy: "@me/tidy@1.0.0#no-force" }],
    silent: [{ policy: "@me/rare@1.0.0#no-mount", asked: 0 }],
  });
  const page = renderPage({
    report,
    replay: null,
    waiting: [{ project: "/p", command: "drwn card trust @me/waiting" }],
  });
  const said = [
    "1 call ran though denied",
    "1 call ran that no hook saw",
    "240 ms",
    "never asked",
    "git push",
    "drwn card trust @me/waiting",
    "&#60;script&#62;alert(1)",
    "\\u{202e}gnp.exe",
    "default-src &#39;none&#39;; style-src &#39;sha256-",
  ];
  expect(said.filter((text) => !page.includes(text))).toEqual([]);
  expect(/<script|<img|\s(?:on\w+|style|src)="|href="[^#]|https?:|\burl\(|@import/u.exec(page)).toBeNull();
});

test("a call that a person let through is shown with its command, and a denied one with the way to let it through", async () => {
  const host = await projectToReport();
  const tally = new Tally();
  const denied = {
    ...{
      time: "2026-03-01T12:00:00.000Z",
      runtime: "codex",
      phase: "pre-tool",
      tool: "Bash",
      ms: 1,
      hash: "ab".repeat(32),
    },
    ...{ verdict: "deny", effective: "deny", rule: "deny", by: "@me/a@1.0.0#g", reason: "no", isWhole: true as const },
    ...{
      named: { digest: "c".repeat(64), folder: "/p", session: "" },
      input: '{"command":"git push -f"}',
      policies: [],
    },
  };
  const { rule: _, by: __, named: ___, ...passed } = denied;
  const policy = { policy: "@me/a@1.0.0#g", kind: "enforcement" as const, bundle: "", decision: "deny", ms: 1 };
  tally.add(denied);
  tally.add({
    ...passed,
    verdict: "allow",
    effective: "allow",
    policies: [{ ...policy, exception: "a1b2", applied: false }],
  });
  const report = { ...(await reported(host)), ...tally.result() };
  const page = renderPage({ report, replay: null, waiting: [] });
  expect(page).toContain("<code>drwn allow abababababab</code>");
  expect(page).toMatch(/let through<\/span> <strong>Bash<\/strong> <code>git push -f<\/code>.*past @me\/a@1\.0\.0#g/u);
});

test("the review of a card that was in shadow mode says what it would have done, and for how long it looked", async () => {
  const host = await projectToReport(300);
  const { stderr, exitCode } = await runCommand(host, CardTrust, "@me/tidy", "--hooks", "--enforce", "--yes");
  expect([exitCode, stderr]).toEqual([
    0,
    expect.stringMatching(
      /In shadow mode @me\/tidy has looked at \d+ calls \(from 2026-03-01 to 2026-03-08, 7 days\):\n {2}@me\/tidy@1\.0\.0#no-force: of \d+ calls it would have denied \d+/u,
    ),
  ]);
  const first = await runCommand(host, CardTrust, "@me/waiting", "--hooks", "--yes");
  expect(first.stderr).not.toContain("shadow mode");
});

test("a project without calls, and without guards, has a page", async () => {
  const report = await reported(newProject());
  const empty = renderPage({ report, replay: null, waiting: [] });
  expect(empty).toContain("No call was noted in this time.");
  expect(empty).toContain("Nobody on this machine has consented to hook policies here.");
});

test("the page stays below 5 MB where every call has the longest texts, each of which grows when it is made text", async () => {
  const report = await reported(newProject());
  const tally = new Tally();
  for (let at = 0; at < 1_500; at++) {
    const policy = `@me/${"g".repeat(40)}@1.0.0#guard-${at % 100}`;
    const said = {
      policy,
      kind: "enforcement",
      bundle: "",
      mode: "shadow",
      decision: "deny",
      ms: 1,
      applied: true,
    } as const;
    const ruled = { policies: [said], verdict: "deny", effective: "deny", by: policy, reason: "<".repeat(300) };
    const call = {
      runtime: "codex",
      phase: "pre-tool",
      tool: "<".repeat(200),
      input: "<".repeat(2_000),
    };
    tally.add({ ...call, ...ruled, time: report.madeAt, ms: 1, hash: `${at}`.padStart(64, "0") });
  }
  const page = renderPage({ report: { ...report, ...tally.result() }, replay: null, waiting: [] });
  expect(Buffer.byteLength(page)).toBeLessThan(5 * 1024 * 1024);
});

test("a replay that is none is refused by line and field", async () => {
  const host = newProject();
  fs.writeFileSync(path.join(host.cwd, "replay.json"), '{"calls": "<b>many"}');
  const { stdout } = await runCommand(host, Report, "--replay", "replay.json", "--json");
  expect(JSON.parse(stdout).error.code).toBe("DRWN_FILE_INVALID");
});
