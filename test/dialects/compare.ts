import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { toCardFiles } from "../../src/card/files.ts";
import { readImported, readLeftOut } from "../../src/card/hooks/imported-file.ts";
import { ASKS_DRWN } from "../../src/dialects/importing/imported.ts";
import { type ImportReport, importPolicies } from "../../src/operations/author/import-policies.ts";
import { publishCard } from "../../src/operations/author/publish.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { initProject } from "../../src/operations/project/init.ts";
import { type WriteResult, writeProject } from "../../src/operations/project/write.ts";
import type { AgentId } from "../../src/policy/event.ts";
import { readTree, sourceWith, temporaryFolder, writeTree } from "../support/cards.ts";
import { type TestHost, testHost } from "../support/host.ts";
import { entriesOf, userSettings } from "../support/machine-state.ts";
import { CARD, trust } from "../support/projects.ts";

/** An event by its name in some system, and what that system tells its hooks of it. */
export interface Told {
  event: string;
  input: Readonly<Record<string, unknown>>;
}

/** What an event comes to. */
export interface Heard {
  ends: "proceeds" | "held" | "asked";
  /** Why it is held, or what a person is asked. */
  reason: string;
  /** What the model gets to read. */
  text: string;
  /** What takes the place of what the event was about; undefined: nothing does. */
  changed?: unknown;
}

export interface ProcessEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A system whose files run directly, and as a card. */
export interface ComparedSystem {
  runtime: AgentId & ("arawn" | "astrid" | "polytoken");
  /** What `drwn hook run --dialect` says of the event. */
  read(end: ProcessEnd, told: Told): Heard;
  /** The same event as Claude Code tells it; undefined: it tells of no such thing. */
  toClaude(told: Told): Told | undefined;
  /** Done once the entries are written, before any is asked. */
  prepare?(host: TestHost): void;
}

/** One way in which the hooks were asked: what they said, and what they left in the file `@TRACE@`. */
export interface Way extends Heard {
  trace: string;
}

/** One event, in the three ways. */
export interface Compared {
  told: Told;
  direct: Way;
  /** As a card, through the entries that `write` makes for the system itself. */
  own: Way;
  /** As a card, through the entries of Claude Code; undefined: it does not tell of the event. */
  claude: Way | undefined;
}

export interface ComparedFiles {
  /** In a project. What begins with `#!` can be run. `@TRACE@` is an absolute path, the same in every way. */
  files: Readonly<Record<string, string>>;
  /** What is imported of them: a file or folder, from the project. */
  place: string;
  told: readonly Told[];
  /** What a tree of texts cannot say: a missing right, a link. */
  alter?: (root: string) => void;
}

export interface Comparison {
  report: ImportReport;
  written: WriteResult;
  compared: Compared[];
  /** The project in which the files lie, and the one that has the card. */
  direct: TestHost;
  card: TestHost;
}

const TRACE = "@TRACE@";

/** Asks the hooks of some files of a system about the same events: directly, as a card in their own system, and in Claude Code. */
export async function compare(
  system: ComparedSystem,
  { files, place, told, alter }: ComparedFiles,
): Promise<Comparison> {
  const trace = path.join(temporaryFolder(), "trace");
  const direct = testHost();
  writeTree(direct.cwd, replaced(files, trace));
  for (const [name, text] of Object.entries(files)) {
    if (text.startsWith("#!")) fs.chmodSync(path.join(direct.cwd, name), 0o755);
  }
  alter?.(direct.cwd);
  const { report, written, card } = await makeCard(path.join(direct.cwd, place), system.runtime, [
    "claude-code",
    system.runtime,
  ]);
  system.prepare?.(card);
  const compared: Compared[] = [];
  for (const one of told) {
    const claude = system.toClaude(one);
    const ways = {
      direct: () => askSystem(system, direct, one),
      own: () => askSystem(system, card, one),
      claude: claude === undefined ? undefined : () => askClaude(card, claude),
    };
    compared.push({
      told: one,
      direct: await traced(trace, ways.direct),
      own: await traced(trace, ways.own),
      claude: ways.claude === undefined ? undefined : await traced(trace, ways.claude),
    });
  }
  return { report, written, compared, direct, card };
}

/** A project in which a card of these files is in force, in their own system and in Claude Code. */
export async function makeCard(file: string, from: string, runtimes: readonly AgentId[]) {
  const card = testHost();
  initProject(card);
  const source = sourceWith();
  const report = await importPolicies(card, source, { file, from, dryRun: false });
  await publishCard(card, { source, key: null, dryRun: false });
  await addCards(card, [CARD]);
  // Nothing to consent to: what was imported is no hook at all.
  if (report.hooks.length > 0) await trust(card);
  const written = await writeProject(card, { wiring: undefined, runtimes });
  expectKept(report, source);
  return { report, written, card, source };
}

/** Whatever the import reports stands in the card. */
function expectKept({ differences }: ImportReport, source: string): void {
  const missed = differences.filter(({ hook, what }) => hook === null && !what.endsWith(ASKS_DRWN));
  const reported = differences.filter(({ hook, what }) => hook !== null && !what.startsWith("its event is "));
  const kept = keptOf(source);
  expect(kept.filter(({ hook }) => hook === null).map(({ policy }) => policy)).toEqual(
    missed.map(({ policy }) => policy),
  );
  expect(kept.flatMap(({ hook, what }) => (hook === null ? [] : [`${hook}: ${what}`])).sort()).toEqual(
    [...new Set(reported.map(({ hook, what }) => `${hook}: ${what}`))].sort(),
  );
}

/** What the files of a source say of its imports, as `hook: what`, or the policy's own name if the card lacks it. */
export function keptOf(source: string): { hook: string | null; policy: string; what: string }[] {
  const files = toCardFiles(new Map(Object.entries(readTree(source)).map(([name, text]) => [name, Buffer.from(text)])));
  const hooks = [...files.keys()].flatMap((name) => /^hooks\/([^/]+)\/imported\.json$/u.exec(name)?.[1] ?? []);
  return [
    ...hooks.flatMap((hook) =>
      (readImported(hook, files)?.differs ?? []).map((what) => ({ hook, policy: hook, what })),
    ),
    ...readLeftOut(files).flatMap(({ hooks: missed }) =>
      missed.map(({ hook: policy, why }) => ({ hook: null, policy, what: why })),
    ),
  ];
}

async function traced(trace: string, ask: () => Promise<Heard>): Promise<Way> {
  fs.rmSync(trace, { force: true });
  const heard = await ask();
  return { ...heard, trace: fs.existsSync(trace) ? fs.readFileSync(trace, "utf8") : "" };
}

const PROGRAM = path.join(import.meta.dirname, "../../bin/drwn.js");

async function askSystem(system: ComparedSystem, host: TestHost, told: Told): Promise<Heard> {
  const words = ["hook", "run", "--dialect", system.runtime, "--event", told.event, "--root", host.cwd];
  return system.read(await run(host, [process.execPath, PROGRAM, ...words], told.input), told);
}

/** As Claude Code asks: every entry of the event, with the answers of all of them. */
async function askClaude(host: TestHost, { event, input }: Told): Promise<Heard> {
  const groups = entriesOf(userSettings(host))[event] ?? [];
  const asked = { hook_event_name: event, session_id: "s", cwd: host.cwd, ...input };
  const heard = await Promise.all(
    groups
      .filter(({ matcher }) => isMatched(matcher, input["tool_name"]))
      .flatMap(({ hooks }) => hooks)
      .map(async ({ command, args = [] }) => readClaude(await run(host, [command, ...args], asked))),
  );
  const first = heard.find(({ ends }) => ends === "held") ?? heard.find(({ ends }) => ends === "asked");
  const text = heard.flatMap((one) => (one.text === "" ? [] : [one.text])).join("\n");
  return { ...PROCEEDS, ...heard.find((one) => "changed" in one), ...first, text };
}

export const PROCEEDS: Heard = { ends: "proceeds", reason: "", text: "" };

function isMatched(matcher: string | undefined, tool: unknown): boolean {
  if (matcher === undefined || matcher === "" || matcher === "*" || typeof tool !== "string") return true;
  return new RegExp(`^(?:${matcher})$`, "u").test(tool);
}

/** Whose words they are, and what drwn says for itself to the person. */
const OF_DRWN = /^\[drwn\] .* More: drwn why.*$|^\[[^\]]*\] /gmu;

function readClaude({ code, stdout, stderr }: ProcessEnd): Heard {
  if (code === 2) return { ...PROCEEDS, ends: "held", reason: stderr.trim() };
  if (code !== 0) return { ...PROCEEDS, text: `exit code ${code}: ${stderr}` };
  const { hookSpecificOutput: specific = {}, ...answer } = stdout === "" ? {} : JSON.parse(stdout);
  const decision = specific.permissionDecision ?? answer.decision ?? specific.decision?.behavior;
  const reason = specific.permissionDecisionReason ?? answer.reason ?? specific.decision?.message ?? "";
  const shown = String(answer.systemMessage ?? "").replaceAll(OF_DRWN, "");
  return {
    ends: decision === "ask" ? "asked" : decision === "deny" || decision === "block" ? "held" : "proceeds",
    reason: unlabelled(reason),
    text: specific.additionalContext ?? shown.trim(),
    ...("updatedInput" in specific ? { changed: specific.updatedInput } : {}),
  };
}

/** Without the name of the hook that drwn puts before what it says. */
export function unlabelled(text: string): string {
  return text.replace(/^\[[^\]]*\] /u, "").trim();
}

function run({ cwd, home }: TestHost, [program = "", ...words]: readonly string[], input: object): Promise<ProcessEnd> {
  const env = { PATH: process.env["PATH"], HOME: home, CLAUDE_PROJECT_DIR: cwd };
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, env, timeout: 60_000, killSignal: "SIGKILL" });
    const said = { stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...said }));
    // A hook need not read what it is told.
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(input));
  });
}

function replaced(files: Readonly<Record<string, string>>, trace: string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll(TRACE, trace)]));
}
