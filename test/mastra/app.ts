import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import type { Guards, Refusal, ToolCall } from "../../src/mastra/events.ts";
import { guardProject } from "../../src/mastra/index.ts";
import { type ArmedHome, armHome, type HomeOptions, type LiteralPolicy } from "../support/armed-home.ts";
import { temporaryFolder } from "../support/cards.ts";

/** An app whose agents are guarded by these policies. */
export interface GuardedApp extends ArmedHome {
  guards: Guards;
  /** What a tool call comes to: the refusal, or undefined; a rewrite is in the input. */
  before: (input: unknown, tool?: string) => Promise<Refusal | undefined>;
  /** The number of the process that answers, as the journal has it. */
  answering: () => number;
}

export function guardApp(policies: readonly LiteralPolicy[], options?: HomeOptions): GuardedApp {
  const armed = armHome(policies, options);
  const guards = guardProject({ hook: layout.launcher(armed.home), project: armed.project });
  onTestFinished(guards.end);
  return {
    ...armed,
    guards,
    before: (input, tool) => guards.hooks.beforeToolCall(callOf(input, tool)),
    answering: () => Number(armed.journal().at(-1)?.["pid"]),
  };
}

export function callOf(input: unknown, toolName = "run"): ToolCall {
  return { toolName, input, context: { toolCallId: "call-1" }, metadata: { agentId: "a", agentName: "A" } };
}

/** The guards of an app whose launcher is this shell script. */
export function guardWith(script: string): Guards {
  const project = temporaryFolder();
  const hook = path.join(project, "hook");
  fs.writeFileSync(hook, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const guards = guardProject({ hook, project });
  onTestFinished(guards.end);
  return guards;
}

/** Holds back what the guards print for a person to read, and gives it. */
export function catchPrinted(): () => string {
  let printed = "";
  const { write } = process.stderr;
  process.stderr.write = (text: unknown) => {
    printed += String(text);
    return true;
  };
  onTestFinished(() => {
    process.stderr.write = write;
  });
  return () => printed;
}
