import fs from "node:fs";
import path from "node:path";
import type { AgentId } from "../../src/policy/event.ts";
import { runHere } from "../support/here.ts";
import { type ProcessResult, runProcess, runToSuccess } from "./process.ts";
import { INSTALLED, type World } from "./world.ts";

export const drwnBinary = path.resolve(import.meta.dirname, "../../bin/drwn.js");

/** Runs the real command line, as a user types it, in the world's project. */
export function drwn(world: World, ...args: string[]): Promise<ProcessResult> {
  return runToSuccess(commandIn(world, args));
}

/**
 * The same by the command line in this process, for what each case begins with: eight programs take twice as long as the
 * agent's whole turn. `consent.test.ts`, `global.test.ts` and `ways.test.ts` do it all with the program.
 */
export async function here(world: World, ...words: string[]): Promise<void> {
  const { project: cwd, home } = world;
  const done = world.isHoused ? undefined : await runHere({ cwd, home, env: { ...ownPath(), ...world.env } }, words);
  if (done === undefined) await drwn(world, ...words);
  else if (done.exitCode !== 0)
    throw new Error(`exit code ${done.exitCode} of: drwn ${words.join(" ")}\n${done.stderr}`);
}

const ownPath = () => ({ PATH: process.env["PATH"] });

interface Circumstances {
  env?: Readonly<Record<string, string>>;
  /** The Node that drwn runs on; absent: the tests' Node. */
  node?: string;
}

/** The same, whatever its exit code. */
export function tryDrwn(world: World, args: readonly string[], { env, node = process.execPath }: Circumstances = {}) {
  const command = commandIn(world, args, node);
  return runProcess({ ...command, env: { ...command.env, ...env } });
}

/** `drwn doctor --json`, whatever its exit code. */
export async function diagnose(world: World, env: Readonly<Record<string, string>> = {}): Promise<Diagnosis> {
  const { stdout } = await tryDrwn(world, ["doctor", "--json"], { env });
  return JSON.parse(stdout);
}

export interface Diagnosis {
  ok: boolean;
  findings: { code: string; severity: string; subject: string; message: string }[];
  hookIssues: { card: string; version: string; hooks: string[]; reason: string; fix: string }[];
}

const WORDS = ["NOT GUARDED", "NOT KNOWN", "Guarded", "Not guarded"];
const FAILS = /^error |\[DRWN_/u;

/**
 * Whether `status --check` or `doctor` says that an agent is guarded, in its own word. A word that its own exit code
 * contradicts counts as none.
 */
export function guardingWord({ stdout, stderr, code }: ProcessResult, title = ""): string {
  const lines = stdout.split("\n");
  const line = lines.find((one) => /guarded|blocked/iu.test(one) && one.includes(title)) ?? lines[0] ?? "";
  if (FAILS.test(line === "" ? stderr : line)) return "an error";
  const word = line.includes(", except for") ? "Guarded, except for" : WORDS.find((one) => line.startsWith(one));
  const said = word ?? (line.includes("is blocked in") ? "blocked" : line);
  const isFound = said === "NOT GUARDED" || said === "blocked";
  return (code === 3) === isFound || said === "Not guarded" ? said : `${said}, and exit status ${code}`;
}

/** A call that the hook judged, as in `drwn log`. */
export interface NotedCall {
  phase: string;
  tool: string;
  effective: string;
  policies: { failure?: string }[];
}

/** `drwn log`, oldest first. */
export async function journal(world: World): Promise<NotedCall[]> {
  const { stdout } = await drwn(world, "log", "--json");
  return JSON.parse(stdout).calls;
}

/** A card `@me/guard` with one hook, published to the folder registry and added to a new project, but not trusted. */
export async function addGuard(world: World, policy: string): Promise<void> {
  await publishGuard(world, policy);
  await here(world, "init");
  await here(world, "add", "@me/guard");
}

/** Does what `addGuard` does, then consents and writes: from here on the agent is guarded. */
export async function armGuard(world: World, policy: string, ...agents: AgentId[]): Promise<void> {
  await addGuard(world, policy);
  await applyGuard(world, agents);
}

/** Consents to what `addGuard` added, and writes it. */
export async function applyGuard(world: World, agents: readonly AgentId[], ...flags: string[]): Promise<void> {
  await here(world, "card", "trust", "@me/guard", "--hooks", "--yes");
  await here(world, "write", ...flags, ...agents.flatMap((agent) => ["--runtime", agent]));
}

/** The name of the skill that comes with `@me/guard`. */
export const GUARD_SKILL = "careful-shell";

export async function publishGuard(world: World, policy: string): Promise<void> {
  const sources = path.join(world.folder, "sources");
  const source = path.join(sources, "guard");
  await here(world, "card", "new", "@me/guard", "--into", sources);
  await here(world, "card", "source", "add-hook", source, "gate");
  fs.writeFileSync(path.join(source, "hooks", "gate", "policy.ts"), policy);
  await here(world, "card", "source", "add", "skill", source, GUARD_SKILL);
  fs.writeFileSync(path.join(source, "skills", GUARD_SKILL, "SKILL.md"), SKILL);
  await here(world, "card", "publish", source);
}

function commandIn(world: World, args: readonly string[], program = process.execPath) {
  const binary = fs.existsSync(world.installed) ? path.join(INSTALLED, "bin/drwn.js") : drwnBinary;
  return world.housed({ program, args: [binary, ...args], cwd: world.project, env: world.env });
}

const SKILL = `---
name: ${GUARD_SKILL}
description: Read a command twice before it runs.
---
Read every shell command twice.
`;
