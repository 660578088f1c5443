import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { allAdapters, findLifecycleAdapter } from "../../src/agents/adapters.ts";
import { targetsOf } from "../../src/agents/targets.ts";
import { type ExplainRequest, explainEvent } from "../../src/operations/diagnose/explain-event.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { writeProject } from "../../src/operations/project/write.ts";
import type { AgentId } from "../../src/policy/event.ts";
import { EVENTS } from "../../src/policy/lifecycle-events.ts";
import { canaryCall } from "../../src/wiring/canary-call.ts";
import type { HookPhase } from "../../src/wiring/launcher.ts";
import type { TestHost } from "../support/host.ts";
import { CARD, newProject, publish, trust } from "../support/projects.ts";
import { sweep } from "../support/sweep.ts";

/** What a policy returns, or a lifecycle hook whose word to hold is this one. */
const DECISIONS: Readonly<Record<string, (hold: string) => string>> = {
  deny: (hold) => `return { action: "${hold}", reason: "no" };`,
  ask: () => `return { action: "ask", reason: "sure?" };`,
  rewrite: () => `return { action: "allow", updatedInput: { command: "pwd" } };`,
  context: () => `return { action: CONSENT, additionalContext: "mind" };`,
  quiet: () => "return undefined;",
  failure: () => `throw new Error("broken");`,
};

/** The session's name says which decision to return. */
function bodyOf(hold: string, consent: string): string {
  const cases = Object.entries(DECISIONS).map(([name, print]) => `case "${name}": ${print(hold)}`);
  return `const CONSENT = "${consent}"; switch ((event.sessionId ?? "").split("-")[0]) { ${cases.join(" ")} }`;
}

const LIFECYCLE_EVENTS = Object.keys(EVENTS).filter((event) => event !== "tool.before") as (keyof typeof EVENTS)[];
const hookName = (event: string) => event.replace(".", "-");

interface Case {
  phase: ExplainRequest["phase"];
  decision: string;
}

// An app with Mastra asks a process that it keeps, so there is no entry.
const AGENTS = allAdapters()
  .map(({ runtime }) => runtime)
  .filter((runtime) => runtime !== "mastra");

function casesOf(runtime: AgentId): Case[] {
  const told = findLifecycleAdapter(runtime)?.names.map(([event]) => event) ?? [];
  const phases = ["pre-tool", "post-tool", ...LIFECYCLE_EVENTS.filter((event) => told.includes(event))] as const;
  return phases.flatMap((phase) => Object.keys(DECISIONS).map((decision) => ({ phase, decision })));
}

test.each(AGENTS)("%s is given exactly what explain shows, whatever the event and the decision", async (runtime) => {
  const host = await guardedAtEveryMoment(runtime);
  const entries = [host.home, host.cwd].flatMap(entriesBelow);
  const [target] = targetsOf([runtime]);
  for (const { phase, decision } of sweep(casesOf(runtime), 3)) {
    const at: HookPhase = phase === "post-tool" ? "post" : phase === "pre-tool" ? "pre" : phase;
    const starts = new RegExp(`/bin/hook' ${runtime} ${at}(?:[ ;]|$)`, "u");
    // A plugin starts the launcher itself, and takes its status as the line does.
    const command =
      runtime === "opencode" || runtime === "kilo" || runtime === "pi"
        ? `'${entries[0]}' ${runtime} ${at} 100; s=$?; [ $s = 100 ] || exit $s`
        : (entries.find((entry) => starts.test(entry)) ?? "");
    expect([runtime, phase, command]).toEqual([runtime, phase, expect.stringContaining("/bin/hook")]);
    const input = JSON.stringify(eventAt(host, { runtime, phase, session: `${decision}-${phase}` }));
    fs.writeFileSync(path.join(host.cwd, "event.json"), input);
    const { agent, call } = await explainEvent(host, { runtime, phase, eventFile: "event.json" });
    const env = { ...host.env, ...(target && canaryCall(target.calls, { root: host.cwd, tool: "" }).env) };
    const options = { cwd: host.cwd, env, input, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", command], options);
    const given = { exitCode: status, stdout, stderr };
    expect([phase, decision, agent, call?.policies.length]).toEqual([phase, decision, given, 1]);
  }
});

async function guardedAtEveryMoment(runtime: AgentId): Promise<TestHost> {
  const host = newProject();
  const facts = { kind: "enforcement", matcher: null } as const;
  const tools = bodyOf("deny", "allow");
  await publish(host, {
    hooks: {
      tools: { ...facts, phases: ["pre-tool", "post-tool"] },
      ...Object.fromEntries(LIFECYCLE_EVENTS.map((event) => [hookName(event), { ...facts, phases: [event] }])),
    },
    files: {
      "hooks/tools/policy.ts": `export default { beforeToolCall(event) { ${tools} }, afterToolCall(event) { ${tools} } };`,
      ...Object.fromEntries(LIFECYCLE_EVENTS.map((event) => [`hooks/${hookName(event)}/policy.ts`, printHook(event)])),
    },
  });
  await addCards(host, [CARD]);
  await trust(host);
  await writeProject(host, { wiring: undefined, runtimes: [runtime] });
  return host;
}

function printHook(event: keyof typeof EVENTS): string {
  const { hold } = EVENTS[event];
  return `export default { event: "${event}", run(event) { ${bodyOf(hold ?? "proceed", "proceed")} } };`;
}

/** What some event must say for hooks to be asked. */
const TOLD = {
  prompt: "go",
  toolName: "Bash",
  toolInput: { command: "ls" },
  output: "x",
  message: "y",
  type: "z",
  model: "m",
  content: "c",
};

interface Told {
  runtime: AgentId;
  phase: Case["phase"];
  session: string;
}

function eventAt(host: TestHost, { runtime, phase, session }: Told): object {
  const ids = { session_id: session, sessionId: session, sessionID: session, conversation_id: session };
  if (phase !== "pre-tool" && phase !== "post-tool") {
    const told = phase === "tool.failure" ? { ...TOLD, error: "gone" } : TOLD;
    return { ...ids, cwd: host.cwd, ...findLifecycleAdapter(runtime)?.toWire(phase, told) };
  }
  const [target] = targetsOf([runtime]);
  const event =
    target === undefined
      ? {}
      : canaryCall(target.calls, { root: host.cwd, tool: "Bash", input: { command: "ls" }, phase }).event;
  return JSON.parse(JSON.stringify(event).replaceAll("drwn-doctor", session));
}

/** The lines for a shell that drwn put into agents' files, in whatever format. */
function entriesBelow(folder: string): string[] {
  const files = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.(?:json|js|toml)$/u.test(file))
    .flatMap((file) => {
      const text = fs.readFileSync(path.join(folder, file), "utf8");
      const programs = [...text.matchAll(/"(\/[^"]*\/bin\/hook)",\s*"args": \[\s*"([^"]+)",\s*"([^"]+)"/gu)];
      const lines = programs.map(([, program, agent, phase]) => `'${program}' ${agent} ${phase}`);
      const quoted = [...text.matchAll(/"(?:[^"\\]|\\.)*\/bin\/hook(?:[^"\\]|\\.)*"/gu)];
      return [...lines, ...quoted.map(([found]) => JSON.parse(found))];
    });
}
