import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { advise, drwn, type Text } from "../../kernel/advice.ts";
import { listFolder, readIfThere } from "../../kernel/files.ts";
import * as z from "../../kernel/format/zod.ts";
import type { Finding } from "../../kernel/problem.ts";
import { endGroup } from "../../kernel/process.ts";
import { clean } from "../../kernel/text.ts";
import { traceProcess } from "../../kernel/trace.ts";
import { readHookGroups } from "../../wiring/entries/groups.ts";
import { isObject, openJsonFile } from "../../wiring/json-file.ts";
import { isHookCommand } from "../../wiring/launcher.ts";
import type { AgentAnswer, AgentContext, CheckRequest } from "../../wiring/target.ts";
import { CODEX_MACHINE, machineConfigFiles, requirementsFile } from "./managed.ts";
import { codexHome, codexHooksFile, projectConfigs } from "./paths.ts";
import { CODEX_FORMAT, codexTable, hooksFeature, readCodexConfig } from "./settings.ts";

/**
 * Finds what keeps Codex from running the hook. It runs only hooks that its user trusts, and doesn't say which it
 * leaves out.
 */
export async function checkCodex({ host, root, file }: CheckRequest): Promise<AgentAnswer> {
  const { answer, uncopied } = await withCopiedHome(host, async ({ env, uncopied }) => ({
    answer: await listCodexHooks({ env, cwd: root }),
    uncopied,
  }));
  if (answer === "not-installed" || answer === "no-answer") {
    const why = answer === "no-answer" ? "did not say whether it trusts the hook" : "is not on PATH";
    const unheard = `Codex ${why}: drwn read Codex's files instead`;
    const read = checkCodexFiles({ host, root, file });
    return { findings: [...read, warning(file, "codex-not-asked", unheard, null)], isAnswered: false };
  }
  const findings = [
    ...findUntrusted(answer, host.drwnHome, file).map((one) => ({ ...one, message: uncopied(one.message) })),
    ...checkCodexEnvironment(host),
  ];
  return { findings, isAnswered: true };
}

function findUntrusted({ hooks, warnings = [], errors = [] }: CodexHooks, home: string, file: string): Finding[] {
  const ours = hooks.filter(({ command }) => typeof command === "string" && isHookCommand(command, home));
  const findings = [...errors, ...warnings].map((text) =>
    warning(
      file,
      "codex-says",
      `Codex says: ${clean(typeof text === "string" ? text : JSON.stringify(text), 500)}`,
      null,
    ),
  );
  if (ours.length === 0) {
    return [...findings, error(file, "codex-hook-missing", "Codex does not see drwn's hook", missing(file))];
  }
  // Codex lists the machine owner's hooks beside the user's.
  const events = [...new Set(ours.map(({ eventName }) => eventName))];
  const refused = events.flatMap((event) => {
    const ofEvent = ours.filter(({ eventName }) => eventName === event);
    return ofEvent.some((hook) => TRUSTED.has(hook.trustStatus) && hook.enabled !== false) ? [] : ofEvent;
  });
  if (refused.length === 0) return findings;
  const [first] = refused;
  const state =
    first?.enabled === false ? "is disabled in Codex" : `is ${clean(first?.trustStatus ?? "", 40)} to Codex`;
  return [
    ...findings,
    error(file, "codex-hook-untrusted", `drwn's hook ${state}, which therefore does not run it`, REVIEW),
  ];
}

/** If somebody has switched hooks off, Codex lists none. */
function missing(file: string): Text {
  return advise`correct ${file}, then: ${drwn("write")}; or hooks are off: by [features] in your or the project's config.toml, or by the machine's owner in /etc/codex`;
}

const TRUSTED = new Set(["trusted", "managed"]);

function error(subject: string, code: string, message: string, hint: Text | null): Finding {
  return { code, severity: "error", subject, message, hint };
}

function warning(subject: string, code: string, message: string, hint: Text | null): Finding {
  return { code, severity: "warning", subject, message, hint };
}

/** How a person reviews a hook in Codex itself. */
const REVIEW = "start codex, type /hooks, and trust drwn's entries";

/**
 * Finds in Codex's files what keeps it from running the hook, as Codex 0.169.0 reads them. The program itself knows
 * better.
 */
export function checkCodexFiles({ host, root, file }: CheckRequest, machine = CODEX_MACHINE): Finding[] {
  const requirements = requirementsFile(machine);
  const only = "`allow_managed_hooks_only` keeps Codex from running hooks of users";
  return [
    ...checkCodexSwitches({ host, root }, machine),
    ...(areOthersOff(machine) ? [disabled(requirements, only)] : []),
    ...checkTrust(file, codexTable(codexTable(readCodexConfig(ownConfig(host)), "hooks"), "state"), host.drwnHome),
  ];
}

/** Whether only the machine owner's hooks run. */
export function areOthersOff(machine = CODEX_MACHINE): boolean {
  return readCodexConfig(requirementsFile(machine))["allow_managed_hooks_only"] === true;
}

/** Finds what keeps Codex from running any hook, including those of the machine's owner. */
export function checkCodexSwitches({ host, root }: AgentContext, machine = CODEX_MACHINE): Finding[] {
  const requirements = requirementsFile(machine);
  const configs = [...codexConfigs({ host, root }), ...machineConfigFiles(machine), requirements];
  // The owner's requirements override what anybody else says.
  const isRequired = hooksFeature(requirements) === true;
  const off = isRequired ? [] : configs.filter((config) => hooksFeature(config) === false);
  return [
    ...off.map((config) => disabled(config, "`[features] hooks` keeps Codex from running any hook")),
    ...checkCodexEnvironment(host),
  ];
}

/** The user's configuration and the project's. */
export function codexConfigs({ host, root }: AgentContext): string[] {
  return [ownConfig(host), ...projectConfigs(root)];
}

function ownConfig(host: AgentContext["host"]): string {
  return path.join(codexHome(host), "config.toml");
}

/** Measured with Codex 0.169.0, which starts hooks with bash: bash reads this file first. */
function checkCodexEnvironment({ env }: AgentContext["host"]): Finding[] {
  const file = env["BASH_ENV"] || null;
  if (file === null) return [];
  const message = `BASH_ENV makes the shell of every Codex hook read ${clean(file, 80)} first: that file decides whether drwn is asked`;
  const hint = "unset BASH_ENV before you start codex";
  return [{ code: "hooks-prefixed", severity: "warning", subject: "the environment", message, hint }];
}

function disabled(file: string, message: string): Finding {
  return { code: "hooks-disabled", severity: "error", subject: file, message, hint: `correct ${file}` };
}

/** Codex runs only hooks that its user trusts, and remembers each by file, event, position and text. */
function checkTrust(file: string, trusted: Record<string, unknown>, home: string): Finding[] {
  const places = new Set([file, fs.existsSync(file) ? fs.realpathSync(file) : file]);
  const isTrusted = (place: string, digest: string) =>
    [...places].some((one) => {
      const state = codexTable(trusted, `${one}:${place}`);
      return state["trusted_hash"] === digest && state["enabled"] !== false;
    });
  if (entriesOf(file, home).every(({ place, digest }) => isTrusted(place, digest))) return [];
  const message = "Codex has not been told to trust drwn's hook, and runs no hook that it doesn't trust";
  return [{ code: "codex-hook-untrusted", severity: "error", subject: file, message, hint: REVIEW }];
}

function entriesOf(file: string, home: string): { place: string; digest: string }[] {
  const groups = readHookGroups(openJsonFile({ root: path.parse(file).root, file }), CODEX_FORMAT, (command) =>
    isHookCommand(command, home),
  );
  return groups.flatMap(({ event, path: [, , group], value: { matcher }, handlers, ours }) => {
    const name = event.replaceAll(/(?<=.)[A-Z]/gu, (letter) => `_${letter}`).toLowerCase();
    return ours.map((at) => {
      const { type, command, timeout } = isObject(handlers[at]) ? handlers[at] : {};
      // The fields in alphabetical order, as Codex has them.
      const handler = { async: false, command, timeout, type };
      const identity = { event_name: name, hooks: [handler], matcher };
      const digest = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
      return { place: `${name}:${group}:${at}`, digest: `sha256:${digest}` };
    });
  });
}

const PATIENCE_MS = 10_000;
const MOST_BYTES = 4 * 1024 * 1024;

const listing = z.looseObject({
  hooks: z.array(
    z.looseObject({
      command: z.string().nullish(),
      trustStatus: z.string(),
      enabled: z.boolean().optional(),
      eventName: z.string().optional(),
    }),
  ),
  warnings: z.array(z.unknown()).optional(),
  errors: z.array(z.unknown()).optional(),
});

/** What Codex itself says about the hooks that it found for a folder. */
export type CodexHooks = z.infer<typeof listing>;

/** Why Codex gave no answer. */
type NoCodexAnswer = "not-installed" | "no-answer";

interface Question {
  env: Readonly<Record<string, string | undefined>>;
  /** The folder of the session. */
  cwd: string;
}

/**
 * Asks the user's Codex for the hooks of a folder, with `hooks/list` of its app server, which starts no session and
 * uses no network. It writes nothing: only the user decides what Codex trusts.
 */
export function listCodexHooks({ env, cwd }: Question): Promise<CodexHooks | NoCodexAnswer> {
  return new Promise((resolve) => {
    const ended = traceProcess("codex", ["app-server"]);
    const child = spawn("codex", ["app-server"], {
      cwd,
      env: { ...env },
      stdio: ["pipe", "pipe", "ignore"],
      detached: true,
    });
    const finish = (answer: CodexHooks | NoCodexAnswer): void => {
      clearTimeout(timer);
      endGroup(child.pid);
      ended(typeof answer === "string" ? answer : 0);
      resolve(answer);
    };
    const timer = setTimeout(() => finish("no-answer"), PATIENCE_MS);
    const send = (message: object): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    };
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.length > MOST_BYTES) finish("no-answer");
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
        const message = readMessage(text.slice(0, end));
        text = text.slice(end + 1);
        if (message?.id === 1) {
          send({ method: "initialized" });
          send({ id: 2, method: "hooks/list", params: { cwds: [cwd] } });
        }
        if (message?.id === 2) finish(readListing(message.result));
      }
    });
    child.stdin.on("error", () => {});
    child.on("error", () => finish("not-installed"));
    child.on("close", () => finish("no-answer"));
    send({ id: 1, method: "initialize", params: { clientInfo: { name: "drwn", version: "1" } } });
  });
}

const envelope = z.looseObject({ id: z.number().optional(), result: z.unknown().optional() });

function readMessage(line: string): z.infer<typeof envelope> | undefined {
  try {
    return envelope.safeParse(JSON.parse(line)).data;
  } catch {
    // Something that it prints outside the protocol.
    return undefined;
  }
}

function readListing(result: unknown): CodexHooks | NoCodexAnswer {
  const parsed = z.looseObject({ data: z.array(listing).min(1) }).safeParse(result);
  return parsed.data?.data[0] ?? "no-answer";
}

const LARGEST_COPIED_FILE = 1024 * 1024;
/** Nothing listens here, so that nothing leaves the machine. */
const NOWHERE = "http://127.0.0.1:9";

interface CopiedHome {
  env: Record<string, string>;
  /** The same text with the person's own folder in place of the copy. */
  uncopied: (text: string) => string;
}

/**
 * An app server makes databases, logs and skills in its home, and fetches plugins. So it is asked in a throw-away home
 * with a copy of what decides about hooks: the configurations, `hooks.json`, and which of its entries the person trusts.
 */
async function withCopiedHome<T>(host: AgentContext["host"], use: (home: CopiedHome) => Promise<T>): Promise<T> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "drwn-ask-")));
  try {
    const [copy, empty] = [path.join(folder, "codex"), path.join(folder, "home")];
    for (const one of [copy, empty]) fs.mkdirSync(one);
    const hooks = path.join(copy, "hooks.json");
    for (const name of listFolder(codexHome(host))) {
      if (!name.endsWith(".toml") && name !== "hooks.json") continue;
      const text = readIfThere(path.join(codexHome(host), name), LARGEST_COPIED_FILE)?.toString("utf8");
      if (text === undefined) continue;
      // Codex remembers what a person trusts by the path of this file.
      const copied = namesOf(codexHooksFile(host)).reduce((all, own) => all.replaceAll(`${own}:`, `${hooks}:`), text);
      fs.writeFileSync(path.join(copy, name), copied, { mode: 0o600 });
    }
    const env = { HOME: empty, CODEX_HOME: copy, HTTPS_PROXY: NOWHERE, HTTP_PROXY: NOWHERE, ALL_PROXY: NOWHERE };
    const PATH = host.env["PATH"];
    return await use({
      env: PATH === undefined ? env : { ...env, PATH },
      uncopied: (text) => text.replaceAll(copy, codexHome(host)),
    });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The path as it is and as links lead to it, each also as a TOML string has it. */
function namesOf(file: string): string[] {
  const paths = [file, fs.existsSync(file) ? fs.realpathSync(file) : file];
  return [...new Set(paths.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)]))];
}
