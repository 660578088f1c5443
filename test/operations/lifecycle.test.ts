import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { describeHook } from "../../src/card/hooks/describe-hook.ts";
import type { HookFacts } from "../../src/contract/ledger.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { explainEvent } from "../../src/operations/diagnose/explain-event.ts";
import { runEvent } from "../../src/operations/diagnose/run-event.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import { differencesFromCeiling } from "../../src/trust/ceiling.ts";
import type { TestHost } from "../support/host.ts";
import { userSettings } from "../support/machine-state.ts";
import { problemOf } from "../support/problems.ts";
import { CARD, newProject, publish, trust, write } from "../support/projects.ts";

const HOOK = 'import { defineHook } from "darwinian-minds/hook-policy";\nexport default defineHook';
const describeCode = (code: string, card = "@me/backend") =>
  describeHook({
    card,
    files: new Map([["hooks/rules/policy.ts", Buffer.from(code)]]),
    hook: "rules",
    capabilities: [],
  });

describe("a lifecycle hook, when it is packed", () => {
  test.each<[string, Partial<HookFacts>]>([
    [
      `({ event: "prompt.submit", run() {} })`,
      { kind: "enforcement", matcher: null, phases: ["prompt.submit"], timeoutMs: 5_000 },
    ],
    [
      `({ event: "session.start", matcher: "resume", timeoutMs: 50, onFailure: "proceed", run: async () => undefined })`,
      { kind: "observer", matcher: "resume", phases: ["session.start"], timeoutMs: 50 },
    ],
    [`({ event: "other.CwdChanged", run() {} })`, { phases: ["other.CwdChanged"] }],
  ])("%s is known by its event", async (code, facts) => {
    expect((await describeCode(HOOK + code)).facts).toMatchObject(facts);
  });

  test.each([
    [`({ event: "UserPromptSubmit", run() {} })`, "what it means is called `prompt.submit` here"],
    [`({ event: "pre_user_prompt", run() {} })`, "what it means is called `prompt.submit` here"],
    [`({ event: "constructor", run() {} })`, "`constructor` isn't an event"],
    [`({ event: "tool.before", run() {} })`, "use defineToolPolicy"],
    [`({ event: 7, run() {} })`, "`event` should be the name of an event"],
    [`({ run() {} })`, "`event` should be the name of an event"],
    [`({ event: "turn.stop", matcher: "x", run() {} })`, "has nothing that a matcher could be compared with"],
    [`({ event: "turn.stop" })`, "`run` should be a function"],
    [`({ event: "turn.stop", onFailure: "deny", run() {} })`, '`onFailure` should be "block" or "proceed"'],
    [`({ event: "turn.stop", policyKind: "observer", run() {} })`, "`policyKind` isn't a field of a lifecycle hook"],
    [`({ event: "compact.before", matcher: "[", run() {} })`, "matcher"],
  ])("%s is refused", async (code, says) => {
    const { details } = await problemOf(() => describeCode(HOOK + code));
    expect(details.join("\n")).toContain(says);
  });
});

const RULES = `({ event: "prompt.submit", run({ input }) {
  return input.prompt.includes("drop") ? { action: "reject", reason: "no" } : { action: "proceed", additionalContext: "mind" };
} })`;
const FAR = `({ event: "model.before", run: () => ({ action: "retry", reason: "again" }) })`;

async function project(): Promise<TestHost> {
  const host = newProject();
  const facts = { kind: "enforcement", matcher: null } as const;
  await publish(host, {
    hooks: { rules: { ...facts, phases: ["prompt.submit"] }, far: { ...facts, phases: ["model.before"] } },
    files: { "hooks/rules/policy.ts": HOOK + RULES, "hooks/far/policy.ts": HOOK + FAR },
  });
  await addCards(host, [CARD]);
  await trust(host);
  return host;
}

const eventsIn = (file: string): string[] =>
  Object.keys((JSON.parse(fs.readFileSync(file, "utf8")) as { hooks: object }).hooks);

describe("lifecycle hooks in a project", () => {
  test("wire what the agents have, and say where each of them is asked", async () => {
    const host = await project();
    const { findings: written } = await writeProject(host, { wiring: undefined, runtimes: ["claude-code", "codex"] });
    expect(eventsIn(userSettings(host))).toEqual(["UserPromptSubmit"]);
    expect(eventsIn(path.join(host.home, ".codex", "hooks.json"))).toEqual(["PreToolUse", "UserPromptSubmit"]);
    const limits = written.filter(({ severity }) => severity === "info");
    expect(limits.map(({ subject, message }) => `${subject}: ${message}`)).toEqual([
      `${CARD}#rules: on prompt.submit it is active on: claude-code, codex`,
      `${CARD}#far: on model.before it is runner only`,
    ]);
    const diagnosis = await diagnoseProject(host);
    expect(diagnosis.findings).toEqual(expect.arrayContaining(limits));
    expect(diagnosis.findings).toContainEqual(
      expect.objectContaining({ code: "hook-runner-only", subject: `${CARD}#far` }),
    );
    expect(diagnosis.findings.map(({ code }) => code)).not.toContain("matcher-matches-nothing");
  });

  test("answer the runner, also where no agent tells of the event, and can be explained", async () => {
    const host = await project();
    await write(host);
    const prompt = (text: string) => ({ event: "prompt.submit", input: JSON.stringify({ prompt: text }) });
    expect(await runEvent(host, prompt("drop it"))).toEqual({
      event: "prompt.submit",
      level: "hold",
      code: "reject",
      reason: `[${CARD}#rules] no`,
    });
    expect(await runEvent(host, prompt("hello"))).toMatchObject({ level: "proceed", context: "mind" });
    expect(await runEvent(host, { event: "model.before", input: "" })).toMatchObject({ level: "hold", code: "retry" });
    expect(await runEvent(host, { event: "session.end", input: "{}" })).toEqual({
      event: "session.end",
      level: "none",
    });
    expect(await runEvent(host, { event: "prompt.submit", input: "{}" })).toMatchObject({
      level: "hold",
      reason: expect.stringContaining("has no prompt"),
    });
    expect(await problemOf(() => runEvent(host, { event: "tool.before", input: "{}" }))).toMatchObject({
      code: "DRWN_EVENT_INVALID",
    });
    const { call, passedOver, agent } = await explainEvent(host, {
      runtime: "claude-code",
      phase: "prompt.submit",
      input: `{"prompt":"drop it"}`,
    });
    expect(call).toMatchObject({ verdict: "deny", by: `${CARD}@1.0.0#rules` });
    expect(passedOver).toEqual([{ policy: `${CARD}@1.0.0#far`, why: "phase", matcher: null }]);
    expect(JSON.parse(agent.stdout)).toMatchObject({ decision: "block" });
  });

  test("a version whose hook is for another event waits for a person", () => {
    const facts: HookFacts = {
      kind: "enforcement",
      matcher: null,
      phases: ["prompt.submit"],
      timeoutMs: 5_000,
      capabilities: [],
    };
    expect(differencesFromCeiling({ rules: facts }, [{ ...facts, phases: ["session.end"], name: "rules" }])).toEqual([
      { hook: "rules", what: "phases", from: "prompt.submit", to: "session.end" },
    ]);
  });
});
