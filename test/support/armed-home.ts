import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import type { BuildOptions } from "esbuild";
import { inject } from "vitest";
import { compileMatcher } from "../../src/card/matcher.ts";
import { layout } from "../../src/contract/layout.ts";
import {
  type Grant,
  type HookFacts,
  LEDGER_VERSION,
  type Ledger,
  type Mode,
  type OptionDeclarations,
  type PolicyPhase,
} from "../../src/contract/ledger.ts";
import { type Capability, PLAN_VERSION, type Plan, type PlannedPolicy } from "../../src/contract/plan.ts";
import { confinedNote, fitOneProcess } from "../../src/contract/processes.ts";
import { GLOBAL_KEY } from "../../src/contract/scopes.ts";
import { digestOf } from "../../src/kernel/digest.ts";
import { renderLauncher } from "../../src/wiring/launcher.ts";
import { printPlan } from "../../src/write/plan/plan.ts";
import { OUTSIDE_GIT, someApproval, someFacts, someGrant } from "./grants.ts";
import { type CallOptions, eventOf, type HookResult, runShell, startHook } from "./hook-calls.ts";
import { newWorld } from "./worlds.ts";

/** A policy as a literal: the argument of `defineToolPolicy`, as JavaScript text. */
export interface LiteralPolicy {
  policy: string;
  hook?: string;
  card?: string;
  kind?: "enforcement" | "observer";
  /** The source of a regular expression for the tool name; every tool when absent. */
  match?: string;
  /** A glob instead of `match`. */
  matcher?: string;
  phases?: PolicyPhase[];
  timeoutMs?: number;
  capabilities?: Capability[];
  /** The key that its card is signed with. */
  publisher?: string;
  mode?: Mode;
  askFallback?: "allow" | "deny";
  /** The options that its card declares. */
  options?: OptionDeclarations;
  /** Text that runs when the policy is loaded. */
  top?: string;
}

export interface ArmedHome {
  world: string;
  home: string;
  project: string;
  key: string;
  ledger: Ledger;
  planDigest: string;
  planFile: string;
  ledgerFile: string;
  bundleFile: (hook: string) => string;
  /** Sends an event of Claude Code as its settings say. */
  call: (event?: Record<string, unknown>, options?: CallOptions) => HookResult;
  /** Runs any command the way an agent would. */
  run: (command: string, options?: CallOptions) => HookResult;
  journal: () => Record<string, unknown>[];
  writeLedger: (ledger: unknown) => void;
}

interface HookProgram {
  name: string;
  options: BuildOptions;
}

interface HookPrograms {
  hookPrograms: (root: string) => HookProgram[];
  buildHookProgram: (root: string, program: HookProgram, folder: string) => void;
}

const KEY = "0123456789abcdef".repeat(4);
const repository = path.resolve(import.meta.dirname, "../..");
const { hookPrograms, buildHookProgram }: HookPrograms = await import(
  new URL("../../.scripts/hook-programs.mjs", import.meta.url).href
);
let hookNodeVersion: string | undefined;

/** The folder of the hook processes. The first test that needs them bundles them as they ship. */
function builtPrograms(): string {
  const built = path.join(inject("runFolder"), "hook-programs");
  if (fs.existsSync(built)) return built;
  const building = fs.mkdtempSync(`${built}-`);
  for (const program of hookPrograms(repository)) buildHookProgram(repository, program, building);
  // Another worker may have been first.
  if (!fs.existsSync(built)) fs.renameSync(building, built);
  return built;
}

export interface HomeOptions {
  /** Names of folders. */
  home?: string;
  project?: string;
  /** The Node that the launcher starts. */
  node?: { execPath: string; version: string };
  /** How many milliseconds all policies may take together. */
  totalMs?: number;
}

/** A DRWN_HOME in which these policies were consented to and written for one project. */
export function armHome(policies: readonly LiteralPolicy[], names: HomeOptions = {}): ArmedHome {
  const world = newWorld("drwn-armed-");
  const home = path.join(world, names.home ?? "home");
  const project = path.join(world, names.project ?? "project");
  write(path.join(project, ".agents/drwn/config.json"), "{}\n");
  const { planned, ledger, planDigest } = armScope({ home, key: KEY, folder: project }, policies);
  const ledgerFile = layout.ledger(home, KEY);
  const planFile = layout.plan(home, KEY, planDigest);
  write(layout.marker(home, project), `${KEY}\n`);
  write(layout.inodeRecord(home, String(fs.statSync(project).ino)), `${KEY}\n${project}\n`);
  install(home, names);
  const writeLedger = (changed: unknown): void => write(ledgerFile, JSON.stringify(changed));
  const run = (command: string, options: CallOptions = {}): HookResult => runShell(command, project, options);
  return {
    world,
    home,
    project,
    key: KEY,
    ledger,
    planDigest,
    planFile,
    ledgerFile,
    bundleFile: (hook) => layout.bundle(home, KEY, planned.find((policy) => policy.hook === hook)?.bundle ?? ""),
    run,
    call: (event = {}, options = {}) => {
      const phase = options.phase ?? "pre";
      const input = options.input ?? JSON.stringify({ ...eventOf(phase, project), ...event });
      return startHook({ home, runtime: options.runtime ?? "claude-code", phase }, project, { ...options, input });
    },
    journal: () => readJournal(layout.journal(home, KEY)),
    writeLedger,
  };
}

interface ScopePlace {
  home: string;
  key: string;
  /** For messages. */
  folder: string;
}

function armScope({ home, key, folder }: ScopePlace, policies: readonly LiteralPolicy[]) {
  const planned = policies.map((policy, index) => planPolicy({ home, key }, policy, index));
  const plan: Plan = { version: PLAN_VERSION, project: folder, policies: planned };
  const codeOf = (bundle: string) => fs.readFileSync(layout.bundle(home, key, bundle), "utf8");
  const { text: planText, shards } = printPlan(plan, codeOf, null);
  const planDigest = digestOf(planText);
  const ledger: Ledger = {
    version: LEDGER_VERSION,
    sequence: 1,
    project: { ...OUTSIDE_GIT, path: folder },
    plan: planDigest,
    pausedUntil: null,
    grants: grantsOf(planned, policies),
  };
  write(layout.plan(home, key, planDigest), planText);
  for (const [digest, shard] of shards) write(layout.shard(home, key, digest), shard);
  if (fitOneProcess(planned)) write(layout.confined(home, key), confinedNote(planDigest, planned, planText.length));
  write(layout.ledger(home, key), JSON.stringify(ledger));
  return { planned, ledger, planDigest };
}

/** The same home, in which these policies were consented to and written for one more project, in this folder. */
export function armProject({ home }: Pick<ArmedHome, "home">, folder: string, policies: readonly LiteralPolicy[]) {
  const key = digestOf(folder)
    .slice("sha256-".length)
    .replaceAll(/[^0-9a-f]/gu, "0")
    .padEnd(64, "0")
    .slice(0, 64);
  fs.mkdirSync(path.join(folder, ".agents/drwn"), { recursive: true });
  write(path.join(folder, ".agents/drwn/config.json"), "{}\n");
  const scope = armScope({ home, key, folder }, policies);
  write(layout.marker(home, folder), `${key}\n`);
  write(layout.inodeRecord(home, String(fs.statSync(folder).ino)), `${key}\n${folder}\n`);
  return { ...scope, key, ledgerFile: layout.ledger(home, key), journal: () => readJournal(layout.journal(home, key)) };
}

/** What was consented to and written for every folder. */
export interface ArmedGlobal {
  ledger: Ledger;
  planFile: string;
  /** Each of them tells the launcher. */
  markers: string[];
  writeLedger: (ledger: unknown) => void;
  journal: () => Record<string, unknown>[];
}

/** The same home, in which these policies hold in every folder, too. */
export function armGlobal({ home }: Pick<ArmedHome, "home">, policies: readonly LiteralPolicy[]): ArmedGlobal {
  const { ledger, planDigest } = armScope({ home, key: GLOBAL_KEY, folder: layout.global(home) }, policies);
  const markers = [layout.marker(home, "/"), layout.globalRecord(home)];
  for (const marker of markers) write(marker, `${GLOBAL_KEY}\n`);
  return {
    ledger,
    planFile: layout.plan(home, GLOBAL_KEY, planDigest),
    markers,
    writeLedger: (changed) => write(layout.ledger(home, GLOBAL_KEY), JSON.stringify(changed)),
    journal: () => readJournal(layout.journal(home, GLOBAL_KEY)),
  };
}

function planPolicy(place: { home: string; key: string }, policy: LiteralPolicy, index: number): PlannedPolicy {
  const hook = policy.hook ?? `guard-${index}`;
  const code = `"use strict";\n${policy.top ?? ""}\n// ${hook}\nexports.default = ${policy.policy};\n`;
  const bundle = digestOf(code);
  write(layout.bundle(place.home, place.key, bundle), code);
  return {
    card: policy.card ?? "@me/guards",
    cardVersion: "1.2.3",
    hook,
    kind: policy.kind ?? "enforcement",
    mode: policy.mode ?? "enforce",
    askFallback: policy.askFallback ?? "allow",
    publisher: policy.publisher ?? null,
    match: policy.matcher === undefined ? (policy.match ?? null) : compileMatcher(policy.matcher),
    matcher: policy.matcher ?? null,
    phases: policy.phases ?? ["pre-tool"],
    timeoutMs: policy.timeoutMs ?? 5_000,
    capabilities: policy.capabilities ?? [],
    bundle,
  };
}

function grantsOf(planned: readonly PlannedPolicy[], literal: readonly LiteralPolicy[]): Grant[] {
  return [...new Set(planned.map(({ card }) => card))].map((card) => {
    const own = planned.filter((policy) => policy.card === card);
    const hooks = own.map((policy): HookFacts & { name: string } => {
      const { options } = literal[planned.indexOf(policy)] ?? {};
      return { ...factsOf(policy), name: policy.hook, ...(options === undefined ? {} : { options }) };
    });
    return someGrant({
      card,
      publisher: own[0]?.publisher ?? null,
      mode: own[0]?.mode ?? "enforce",
      askFallback: own[0]?.askFallback ?? "allow",
      ceiling: Object.fromEntries(hooks.map((hook) => [hook.name, hook])),
      approved: [
        someApproval({
          cardVersion: "1.2.3",
          publisher: own[0]?.publisher ?? null,
          bundles: Object.fromEntries(own.map(({ hook, bundle }) => [hook, bundle])),
          hooks,
        }),
      ],
    });
  });
}

function factsOf({ kind, matcher, phases, timeoutMs, capabilities }: PlannedPolicy): HookFacts {
  return someFacts({ kind, matcher, phases, timeoutMs, capabilities });
}

function install(home: string, { node = hookNode(), totalMs }: HomeOptions): void {
  const facts = {
    nodePath: node.execPath,
    nodeVersion: node.version.replace("v", ""),
    ...(totalMs === undefined ? {} : { totalMs }),
  };
  const template = fs.readFileSync(path.join(repository, "templates/launcher.sh"), "utf8");
  write(layout.launcher(home), renderLauncher(template, facts));
  fs.chmodSync(layout.launcher(home), 0o755);
  const built = builtPrograms();
  for (const name of fs.readdirSync(built)) fs.copyFileSync(path.join(built, name), layout.hookProgram(home, name));
  const cached = path.join(repository, "dist/code-cache");
  for (const name of fs.readdirSync(cached)) {
    if (name.startsWith("hook")) fs.copyFileSync(path.join(cached, name), layout.hookProgram(home, name));
  }
}

/** The running Node, or the one that `DRWN_HOOK_NODE` names. */
export function hookNode(): { execPath: string; version: string } {
  const execPath = process.env["DRWN_HOOK_NODE"];
  if (!execPath) return process;
  hookNodeVersion ??= execFileSync(execPath, ["--version"], { encoding: "utf8" }).trim();
  return { execPath, version: hookNodeVersion };
}

function readJournal(file: string): Record<string, unknown>[] {
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

export function write(file: string, content: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}
