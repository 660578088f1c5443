import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { allAdapters } from "../../src/agents/adapters.ts";
import { checkEventCoverage } from "../../src/check/doctor/check-hooks.ts";
import { PLAN_VERSION, type PlannedPolicy } from "../../src/contract/plan.ts";
import { globalHooksFile } from "../../src/dialects/polytoken/read/paths.ts";
import { presentVerdict } from "../../src/hook/answer/present.ts";
import type { Ability } from "../../src/hook-base/adapter/adapter.ts";
import { drwn } from "../../src/kernel/advice.ts";
import { type ImportReport, importPolicies } from "../../src/operations/author/import-policies.ts";
import { publishCard } from "../../src/operations/author/publish.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { initProject } from "../../src/operations/project/init.ts";
import type { AgentId } from "../../src/policy/event.ts";
import type { LifecycleEvent } from "../../src/policy/lifecycle-events.ts";
import { findEventCoverage, findUnsupportedDecisions } from "../../src/write/limits.ts";
import { sourceWith, writeTree } from "../support/cards.ts";
import { type TestHost, testHost } from "../support/host.ts";
import { userSettings } from "../support/machine-state.ts";
import { somePlanned } from "../support/policies.ts";
import { CARD, trust, write } from "../support/projects.ts";
import { bash } from "./arawn/world.ts";
import { hookToml } from "./astrid/world.ts";
import { policy } from "./hooker/world.ts";
import { hook } from "./polytoken/world.ts";

/** A script that leaves a trace, and stops a call that has this word in it. */
const stopAt = (word: string, stop: string) => `touch ran-${word}; if grep -q stop-${word}; then ${stop}; fi`;

const FILES = {
  ".polytoken/hooks.json": JSON.stringify([
    hook("pre_tool_use", stopAt("polytoken", "echo 'by polytoken'; exit 2"), { name: "poly", matcher: "shell_exec" }),
    hook("pre_model_turn", "exit 0", { name: "model" }),
  ]),
  // The later one comes first in the folder.
  ".astrid/hooks/a/HOOK.toml": hookToml(stopAt("astrid", "echo 'block: by the late one'"), {
    name: "late",
    priority: 200,
  }),
  ".astrid/hooks/b/HOOK.toml": hookToml(stopAt("astrid", "echo 'block: by the early one'"), {
    name: "early",
    priority: -1,
  }),
  ".astrid/hooks/c/HOOK.toml": hookToml("exit 0", { name: "kernel", event: "kernel_start" }),
  "plugins/guard/plugin.toml": `[[hooks]]\nevent = "PreToolUse"\ntool_match = "shell"\ncommand = "./arawn.sh"\n`,
  "plugins/guard/arawn.sh": bash(stopAt("arawn", "echo 'by arawn'; exit 1")),
  ".claude/policies.rb":
    policy("ruby", 'on :PreToolUse, tool: "Bash", match: /stop-hooker/', 'gate "by hooker"') +
    policy("words", "on :UserPromptSubmit, match: /stop-hooker/", 'gate "not that word"'),
};

const PLACES = [
  [".polytoken", "polytoken"],
  [".astrid", "astrid"],
  ["plugins/guard", "arawn"],
  [".claude/policies.rb", "hooker"],
];

/** A project with the files of all four systems, and a card that got their hooks. */
async function gather() {
  const host = testHost();
  for (const agent of [".claude", ".codex", ".config/polytoken"])
    fs.mkdirSync(path.join(host.home, agent), { recursive: true });
  initProject(host);
  writeTree(host.cwd, FILES);
  fs.chmodSync(path.join(host.cwd, "plugins/guard/arawn.sh"), 0o755);
  const source = sourceWith();
  const reports: ImportReport[] = [];
  for (const [file = "", from] of PLACES) {
    reports.push(await importPolicies(host, source, { file, from, dryRun: false }));
  }
  return { host, source, reports };
}

/** What Claude Code hears of a call of Bash, and which scripts ran for it. */
function call(host: TestHost, command: string): { ran: string[]; reason: string | undefined } {
  const [entry] = JSON.parse(fs.readFileSync(userSettings(host), "utf8")).hooks.PreToolUse;
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command } };
  const { stdout, stderr } = spawnSync(entry.hooks[0].command, entry.hooks[0].args, {
    cwd: host.cwd,
    env: { PATH: process.env["PATH"], HOME: host.home, CLAUDE_PROJECT_DIR: host.cwd },
    input: JSON.stringify({ ...event, cwd: host.cwd, session_id: "s" }),
    encoding: "utf8",
    timeout: 50_000,
  });
  expect(stderr).toBe("");
  const reason = stdout === "" ? undefined : JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason;
  return { ran: tracesIn(host), reason };
}

function tracesIn({ cwd }: TestHost): string[] {
  const traces = fs.readdirSync(cwd).filter((name) => name.startsWith("ran-"));
  for (const name of traces) fs.rmSync(path.join(cwd, name));
  return traces.map((name) => name.slice("ran-".length)).sort();
}

test("X4, X1: hooks of four systems are inactive until consent, and then the first in order that holds speaks", async () => {
  const { host, source, reports } = await gather();
  await publishCard(host, { source, key: null, dryRun: false });
  await addCards(host, [CARD]);
  await write(host);
  const hooks = reports.flatMap((report) => report.hooks.map(({ name }) => name));
  expect(hooks).toEqual(["poly", "model", "pre-tool-call", "kernel", "arawn", "ruby", "words"]);
  const reason = "nobody on this machine has consented to its hooks in this project";
  const before = await diagnoseProject(host);
  expect(before.findings).toMatchObject([
    { code: "hooks-not-applied", subject: CARD, message: reason },
    { code: "imported-with-differences", subject: CARD },
  ]);
  expect(before.hookIssues).toEqual([
    { card: CARD, version: "1.0.0", hooks, reason, fix: drwn("card trust", CARD, "--hooks") },
  ]);
  const settings = [userSettings(host), path.join(host.home, ".codex/hooks.json"), globalHooksFile(host)];
  const there = () => settings.filter((file) => fs.existsSync(file));
  expect(there()).toEqual([]);
  expect(tracesIn(host)).toEqual([]);

  await trust(host);
  const written = await write(host);
  const after = await diagnoseProject(host);
  // That is for a person to do, in Codex.
  expect(after.hookIssues.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^Codex has not been told to trust drwn's hook/u),
  ]);
  expect(there()).toEqual(settings);
  expect(call(host, "ls")).toEqual({ ran: ["arawn", "astrid", "polytoken"], reason: undefined });
  for (const [command, spoken] of [
    ["stop-hooker stop-arawn stop-astrid stop-polytoken", "[@me/backend#poly] by polytoken"],
    ["stop-hooker stop-arawn stop-astrid", "[@me/backend#pre-tool-call] by the early one"],
    ["stop-hooker stop-arawn", "[@me/backend#arawn] by arawn"],
    ["stop-hooker", "[@me/backend#ruby] by hooker"],
  ] as const) {
    expect(call(host, command).reason).toBe(spoken);
  }

  // X5, of this card: what the agents in use do not carry, and where its other hooks are asked.
  const limits = ({ findings }: Pick<typeof after, "findings">) =>
    findings.filter(({ code }) => code === "event-coverage" || code === "decision-unsupported");
  expect(limits(after)).toEqual(limits(written));
  expect(limits(after).map(({ subject, message }) => `${subject}: ${message}`)).toEqual([
    `${CARD}#model: on model.before it is active on: polytoken`,
    `${CARD}#kernel: on host.start it is runner only`,
    `${CARD}#words: on prompt.submit it is active on: claude-code, codex, polytoken`,
    `${CARD}: limit of Codex: an ask falls through to allow, or becomes a deny if its call can't be undone`,
    `${CARD}: limit of Polytoken: an ask falls through to allow, or becomes a deny if its call can't be undone; a rewritten input becomes a deny; context for the model is dropped`,
  ]);
});

test("X2: the report of an import names each hook's event, and the agents that tell of it", async () => {
  const { reports } = await gather();
  const said = reports.flatMap(({ dialect, hooks, differences }) =>
    hooks.map(({ name }) => {
      const whats = differences.filter(({ hook: own }) => own === name).map(({ what }) => what);
      return [dialect, name, ...whats.filter((what) => what.startsWith("its event is "))];
    }),
  );
  const before = "its event is tool.before; active on: every agent that drwn guards";
  expect(said).toEqual([
    ["polytoken", "poly", before],
    ["polytoken", "model", "its event is model.before; active on: gemini-cli (no text), polytoken"],
    // Of the two hooks that are asked as one.
    ["astrid", "pre-tool-call", before, before],
    ["astrid", "kernel", "its event is host.start; active on: astrid"],
    ["arawn", "arawn", before],
    ["hooker", "ruby", before],
    [
      "hooker",
      "words",
      expect.stringMatching(
        /^its event is prompt\.submit; active on: arawn, astrid, claude-code, codex,.* polytoken, qwen-code$/u,
      ),
    ],
  ]);
});

const carried = (runtime: AgentId, parts: Partial<PlannedPolicy> = {}) => ({
  plan: {
    version: PLAN_VERSION as typeof PLAN_VERSION,
    project: "/p",
    policies: [somePlanned({ phases: ["pre-tool", "post-tool"], ...parts })],
  },
  agents: [{ runtime, file: "/f" }],
  activations: [],
});

/** What is said of each that an agent may be unable to carry. */
const SAID: readonly [Ability, RegExp][] = [
  ["ask", /^an ask falls through to allow/u],
  ["rewrite", /^a rewritten input becomes a deny$/u],
  ["context", /^context for the model is dropped$/u],
  ["after-failure", /^(?:a failed call is not reported|nothing is told after a call)$/u],
  ["after-call", /^nothing is told after a call$/u],
];

describe("X5: what is lost on the way to an agent is said", () => {
  const lostIn = (runtime: AgentId) => findUnsupportedDecisions(carried(runtime)).flatMap(({ lost }) => lost);

  test.each<[what: string, AgentId[], Ability]>([
    ["ask", ["codex", "mastra", "polytoken", "arawn"], "ask"],
    ["patched input", ["polytoken", "arawn"], "rewrite"],
    ["proceed with context", ["mastra", "polytoken", "astrid", "arawn"], "context"],
    ["a failed call", ["codex", "arawn"], "after-failure"],
  ])("%s, in %j", (_, runtimes, ability) => {
    const says = SAID.find(([one]) => one === ability)?.[1];
    for (const runtime of runtimes) expect(lostIn(runtime)).toContainEqual(expect.stringMatching(says ?? ""));
  });

  test.each(allAdapters().map((adapter) => [adapter.runtime, adapter] as const))(
    "everything that %s declares not to carry, and nothing else",
    (runtime, { can, onlyIf = {} }) => {
      const lost = SAID.filter(([ability]) => !can[ability] || onlyIf[ability] !== undefined);
      const isSaid = SAID.filter(([, says]) => lostIn(runtime).some((text) => says.test(text)));
      expect(isSaid.map(([ability]) => ability)).toEqual(lost.map(([ability]) => ability));
      for (const condition of Object.values(onlyIf)) expect(lostIn(runtime).join()).toContain(`unless ${condition}`);
    },
  );

  test.each(allAdapters().map((adapter) => [adapter.runtime, adapter] as const))(
    "synthetic output is kept by %s, at least in the reason",
    (_, { can }) => {
      const verdict = {
        action: "deny",
        reason: "no",
        by: -1,
        isFailure: false,
        context: null,
        updatedInput: null,
      } as const;
      const said = presentVerdict({ ...verdict, syntheticOutput: '{"a":1}' }, [], { can });
      expect(can["synthetic-output"] ? said.syntheticOutput : said.reason).toContain('{"a":1}');
    },
  );

  test.each<[what: string, AgentId, LifecycleEvent, lacks: string[] | undefined]>([
    ["suppress", "claude-code", "notify", ["hold"]],
    ["suppress", "polytoken", "notify", []],
    ["retry", "claude-code", "model.before", undefined],
    ["retry", "codex", "model.before", undefined],
    ["retry", "polytoken", "model.before", []],
    ["keep-going", "astrid", "turn.stop", undefined],
    ["reject", "mastra", "prompt.submit", undefined],
  ])("%s, in %s on %s: lacks %j", (_, runtime, event, lacks) => {
    const reach = findEventCoverage(carried(runtime, { phases: [event as "notify"] }));
    expect(reach.flatMap(({ agents }) => agents)).toEqual(lacks === undefined ? [] : [{ runtime, lacks }]);
    const found = lacks === undefined ? ["hook-runner-only"] : lacks.includes("hold") ? ["hook-holds-nothing"] : [];
    expect(checkEventCoverage(reach).map(({ code }) => code)).toEqual(found);
  });
});
