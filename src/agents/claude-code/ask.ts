import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { advise, drwn } from "../../kernel/advice.ts";
import * as z from "../../kernel/format/zod.ts";
import { type Finding, isProblem } from "../../kernel/problem.ts";
import { endGroup, isOnPath } from "../../kernel/process.ts";
import { clean } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";
import { isObject, openJsonFile, valueAt } from "../../wiring/json-file.ts";
import { isHookCommand } from "../../wiring/launcher.ts";
import { type AgentAnswer, type CheckRequest, NOT_INSTALLED } from "../../wiring/target.ts";

const PATIENCE_MS = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;
/** Nothing listens here, so that nothing leaves the machine. */
const NOWHERE = "http://127.0.0.1:9";
/** A program that does nothing, in place of each that the settings name. */
const NOTHING = "true";

const WORDS = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
const QUESTIONS = ["get_hooks_listing", "get_settings"]
  .map((subtype) => `${JSON.stringify({ type: "control_request", request_id: subtype, request: { subtype } })}\n`)
  .join("");

const answerSchema = z.looseObject({
  type: z.literal("control_response"),
  response: z.looseObject({
    request_id: z.string(),
    response: z
      .looseObject({
        hooks: z.array(z.looseObject({ commandText: z.string().optional(), disabled: z.boolean().optional() })),
        eventCatalog: z.array(z.looseObject({ name: z.string() })),
        errors: z.array(z.looseObject({ path: z.string().optional(), message: z.string() })),
      })
      .partial(),
  }),
});

/** What Claude Code loads of a settings file: commands of hooks, and what it says is wrong with the file. */
interface Loaded {
  commands: ReadonlySet<string>;
  /** The events that this version has; null: it doesn't say. */
  events: ReadonlySet<string> | null;
  errors: { path: string; message: string }[];
}

type NoAnswer = "not-installed" | "no-answer";

/**
 * Asks the installed Claude Code what it loads of the settings file that holds drwn's entry. One wrong value makes it
 * ignore the whole file, and `claude -p` doesn't say so. It gets a copy in a throw-away folder, in which every program is
 * one that does nothing, and no network: it starts no session, no MCP server and nothing of the user's.
 */
export async function askClaude({ host, file }: CheckRequest): Promise<AgentAnswer> {
  const copy = copySettings(file, host.drwnHome);
  if (copy === null) return { findings: [], isAnswered: false };
  const answer = await loadedBy(host.env, copy.text);
  if (typeof answer === "string") return { findings: [notAsked(file, answer)], isAnswered: false };
  return { findings: judgeLoaded(file, copy, answer), isAnswered: true };
}

function judgeLoaded(file: string, copy: SettingsCopy, answer: Loaded): Finding[] {
  const missing = copy.entries
    .filter(({ event, marker }) => !answer.commands.has(marker) && !isUnknownTo(answer, event))
    .map(({ event }) => event);
  const said = answer.errors.map(({ path: at, message }) => `${at === "" ? "" : `${at}: `}${message}`);
  const words = said.map((one) => `Claude Code says: ${clean(one, 500)}`);
  if (missing.length === 0) return words.map((message) => finding(file, "warning", message, null));
  const what = `it doesn't load drwn's hook for ${[...new Set(missing)].map((event) => clean(event, 80)).join(", ")} from this file`;
  const first = words[0] ?? "Claude Code doesn't say why";
  return [
    finding(file, "error", `${first}; ${what}`, advise`correct ${file}, then: ${drwn("doctor")}`),
    ...words.slice(1).map((message) => finding(file, "warning", message, null)),
  ];
}

/** An event that came with a later version: the agent ignores its entry. PreToolUse is in each. */
function isUnknownTo({ events }: Loaded, event: string): boolean {
  return events !== null && event !== "PreToolUse" && !events.has(event);
}

interface SettingsCopy {
  text: string;
  /** drwn's own entries, each with the command that stands for it in the copy. */
  entries: { event: string; marker: string }[];
}

/** Null: the file can't be read or doesn't have drwn's entry, so there is nothing to ask about. */
function copySettings(file: string, home: string): SettingsCopy | null {
  let settings: unknown;
  try {
    settings = valueAt(openJsonFile({ root: path.parse(file).root, file }).text, []);
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
  if (!isObject(settings)) return null;
  const entries: SettingsCopy["entries"] = [];
  const { hooks, ...others } = settings;
  const copy = {
    ...withoutPrograms(others),
    ...(hooks === undefined ? {} : { hooks: copyHooks(hooks, home, entries) }),
  };
  return entries.length === 0 ? null : { text: JSON.stringify(copy), entries };
}

/** The same groups with handlers of the same shape, which start nothing. */
function copyHooks(hooks: unknown, home: string, entries: SettingsCopy["entries"]): unknown {
  if (!isObject(hooks)) return hooks;
  const copyHandler = (event: string, handler: unknown): unknown => {
    if (!isObject(handler)) return handler;
    const { command } = handler;
    if (typeof command !== "string" || !isHookCommand(command, home)) return withoutPrograms(handler);
    const marker = `/drwn/entry-${entries.length}`;
    entries.push({ event, marker });
    const { args: _, ...fields } = handler;
    return { ...fields, command: marker };
  };
  const copyGroup = (event: string, group: unknown): unknown => {
    if (!isObject(group) || !Array.isArray(group["hooks"])) return group;
    return { ...group, hooks: group["hooks"].map((handler: unknown) => copyHandler(event, handler)) };
  };
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => [
      event,
      Array.isArray(groups) ? groups.map((group: unknown) => copyGroup(event, group)) : groups,
    ]),
  );
}

/** Fields whose texts are programs, addresses or secrets. Measured with Claude Code 2.1.329: it runs `apiKeyHelper`. */
const PROGRAMS = /(?:^command|Command|Helper|Refresh|Export|Wrapper|Prefix)$/u;

/** The same fields of the same types, but no program, no address and no variable of the user's. */
function withoutPrograms(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      if (name === "env" && isObject(field)) return [name, mapTexts(field, "")];
      if (typeof field === "string" && PROGRAMS.test(name)) return [name, NOTHING];
      if (typeof field === "string" && name === "url") return [name, NOWHERE];
      return [name, isObject(field) ? withoutPrograms(field) : field];
    }),
  );
}

function mapTexts(fields: Readonly<Record<string, unknown>>, text: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, typeof one === "string" ? text : one]));
}

async function loadedBy(env: CheckRequest["host"]["env"], settings: string): Promise<Loaded | NoAnswer> {
  if (!isOnPath("claude", env["PATH"])) return "not-installed";
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-ask-")));
  try {
    const config = path.join(folder, "config");
    const empty = path.join(folder, "empty");
    for (const one of [config, empty]) fs.mkdirSync(one);
    fs.writeFileSync(path.join(config, "settings.json"), settings, { mode: 0o600 });
    const output = await runClaude(empty, {
      ...(env["PATH"] === undefined ? {} : { PATH: env["PATH"] }),
      HOME: empty,
      CLAUDE_CONFIG_DIR: config,
      HTTPS_PROXY: NOWHERE,
      HTTP_PROXY: NOWHERE,
      ANTHROPIC_BASE_URL: NOWHERE,
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    });
    return output === undefined ? "no-answer" : readAnswers(output);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** What it prints; undefined: it can't be started, or isn't done in time. */
function runClaude(cwd: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const words = [...WORDS, "--strict-mcp-config"];
    const ended = traceProcess("claude", words);
    const child = spawn("claude", words, { cwd, env, stdio: ["pipe", "pipe", "ignore"], detached: true });
    let text = "";
    let isSettled = false;
    const finish = (answer: string | undefined): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      endGroup(child.pid);
      ended(answer === undefined ? "no-answer" : 0);
      resolve(answer);
    };
    const timer = setTimeout(() => finish(undefined), PATIENCE_MS);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.length > MOST_BYTES) finish(undefined);
    });
    child.stdin.on("error", () => {});
    child.on("error", () => finish(undefined));
    child.on("close", () => finish(text));
    child.stdin.end(QUESTIONS);
  });
}

function readAnswers(output: string): Loaded | "no-answer" {
  const answers = new Map(output.split("\n").flatMap((line) => readAnswer(line) ?? []));
  const { hooks, eventCatalog: catalog } = answers.get("get_hooks_listing") ?? {};
  const settings = answers.get("get_settings");
  if (hooks === undefined || settings === undefined) return "no-answer";
  const enabled = hooks.filter(({ disabled }) => disabled !== true);
  return {
    commands: new Set(enabled.flatMap(({ commandText = [] }) => commandText)),
    events: catalog === undefined ? null : new Set(catalog.map(({ name }) => name)),
    // Of a file in which nothing is wrong, Claude Code lists none.
    errors: (settings.errors ?? []).map(({ path: at = "", message }) => ({ path: at, message })),
  };
}

type Answer = z.infer<typeof answerSchema>["response"]["response"];

function readAnswer(line: string): [string, Answer][] | undefined {
  try {
    const { response } = answerSchema.parse(JSON.parse(line));
    return [[response.request_id, response.response]];
  } catch {
    // It prints other lines, too.
    return undefined;
  }
}

function notAsked(file: string, why: NoAnswer): Finding {
  if (why === "not-installed") {
    return { code: NOT_INSTALLED, severity: "warning", subject: file, message: "`claude` isn't on PATH", hint: null };
  }
  const message =
    "drwn asked Claude Code whether it loads this file, and got no answer within ten seconds, or none that drwn knows";
  return { code: "claude-not-checked", severity: "warning", subject: file, message, hint: "type /hooks in claude" };
}

function finding(file: string, severity: Finding["severity"], message: string, hint: Finding["hint"]): Finding {
  const code = severity === "error" ? "settings-drop-hooks" : "claude-says";
  return { code, severity, subject: file, message, hint };
}

/**
 * Since this version, a hook that dies or cannot be started blocks the call if its entry says `onFailure: "block"`. Since
 * 2.1.139 Claude Code knows `args`; an earlier one starts the launcher without its words, which asks about calls alone.
 */
const HONOURS_ON_FAILURE = [2, 1, 295] as const;

type Version = readonly [number, number, number];

/** The version that `claude --version` prints; undefined: it isn't on PATH, or prints no version in time. */
export function readClaudeVersion(
  env: Readonly<Record<string, string | undefined>>,
  patienceMs = PATIENCE_MS,
): Promise<Version | undefined> {
  // Failing to start a missing program costs as much as starting one.
  if (!isOnPath("claude", env["PATH"])) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const ended = traceProcess("claude", ["--version"]);
    const child = spawn("claude", ["--version"], {
      env: { ...env },
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    let text = "";
    const finish = (version: Version | undefined): void => {
      // Node's own `timeout` would keep the process waiting if the program cannot even start.
      clearTimeout(timer);
      resolve(version);
    };
    // What a wrapper started could hold the output open after it.
    const timer = setTimeout(() => {
      endGroup(child.pid);
      child.stdout.destroy();
      finish(parseVersion(text));
    }, patienceMs);
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text = (text + chunk).slice(0, 1_000);
    });
    child.on("error", () => finish(undefined));
    child.on("close", (status) => {
      ended(status);
      finish(parseVersion(text));
    });
  });
}

function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})\b/u.exec(text.trim()) ?? [];
  return patch === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/** An older Claude Code doesn't start drwn's entry as it is meant. An unknown version counts as one that does. */
export function checkClaudeVersion(version: Version | undefined): Finding[] {
  if (version === undefined || !isBefore(version, HONOURS_ON_FAILURE)) return [];
  const message = `before ${HONOURS_ON_FAILURE.join(".")} Claude Code doesn't do what drwn's entry says (\`args\`, \`onFailure\`), and lets a call run if the hook cannot start`;
  const subject = `Claude Code ${version.join(".")}`;
  return [{ code: "agent-outdated", severity: "error", subject, message, hint: "run: claude update" }];
}

function isBefore(version: Version, limit: Version): boolean {
  for (const [at, part] of version.entries()) {
    const other = limit[at] ?? 0;
    if (part !== other) return part < other;
  }
  return false;
}
