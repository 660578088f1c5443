import path from "node:path";
import type { HandlerFile } from "../../card/compiler/handler-file.ts";
import { isInterpreter } from "../../card/compiler/handler-module.ts";
import { DEADLINES } from "../../contract/plan.ts";
import { isMapping } from "../../helpers/guards.ts";
import { type CarriedScript, carryScript } from "../importing/carried-script.ts";
import { ASKS_DRWN } from "../importing/imported.ts";
import type { SettingsFields } from "./read.ts";

/** The handler that answers for a card's hook, made from an entry of the settings. */
interface Answering {
  name: string;
  handler: HandlerFile["handler"];
  script?: CarriedScript;
  timeoutMs: number;
  notes: string[];
}

/** How many seconds the agents give a hook that asks for no other time. */
const USUAL_SECONDS = 60;
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  command: ["type", "command", "timeout", "statusMessage", "onFailure"],
  http: ["type", "url", "headers", "timeout", "statusMessage"],
};

export function handlerOf(entry: SettingsFields, root: string): Answering | { why: string } {
  const { type, timeout = USUAL_SECONDS } = entry;
  const known = typeof type === "string" && Object.hasOwn(KNOWN, type) ? KNOWN[type] : undefined;
  if (known === undefined) return { why: `no card has handlers of type ${JSON.stringify(type)}` };
  const unknown = Object.keys(entry).find((field) => !known.includes(field));
  if (unknown !== undefined) return { why: `its field \`${unknown}\` has no counterpart in a card` };
  if (typeof timeout !== "number" || !(timeout > 0)) return { why: "its timeout isn't a number of seconds" };
  const answering = type === "http" ? serverOf(entry) : commandOf(entry, root);
  if ("why" in answering) return answering;
  const timeoutMs = Math.min(Math.ceil(timeout * 1_000), DEADLINES.maximum);
  const late = timeout * 1_000 > timeoutMs ? [`it has ${timeoutMs / 1_000} seconds, not ${timeout}`] : [];
  return { ...answering, timeoutMs, notes: [...answering.notes, ...late] };
}

const SERVER_NOTE = "an answer of its server that is neither empty nor a JSON object is a failure, and no context";

type Parts = Omit<Answering, "timeoutMs">;

function serverOf({ url, headers = {} }: SettingsFields): Parts | { why: string } {
  if (typeof url !== "string" || !URL.canParse(url)) return { why: "it has no url" };
  if (!isMapping(headers) || !Object.values(headers).every((value) => typeof value === "string")) {
    return { why: "its headers are not texts" };
  }
  if (Object.values(headers).some((value) => String(value).includes("$"))) {
    return { why: "its headers take variables from the environment, and those of a card do not" };
  }
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const name = new URL(url).hostname;
  return { name, handler: { type: "http", url, headers: given }, notes: [SERVER_NOTE] };
}

/** How drwn's own entries begin, or what they start. */
const OWN =
  /\bdrwn_(?:hook|shared)=|\bdrwn hook run\b|\/bin\/hook['"]? (?:claude-code|codex)\b|\/\.agents\/drwn\/bin\/hook$/u;

function commandOf({ command }: SettingsFields, root: string): Parts | { why: string } {
  if (typeof command !== "string" || command.trim() === "") return { why: "it has no command" };
  if (OWN.test(command)) return { why: ASKS_DRWN };
  const started = scriptIn(command, root);
  const script = started === undefined ? undefined : carryScript({ root, file: started.file }, started.interpreter);
  if (script !== undefined && started !== undefined && "text" in script) {
    const { command: interpreter, options, name, notes } = script;
    const given = { ...(options === undefined ? {} : { options }), args: started.args };
    const handler = { type: "command" as const, command: interpreter, script: name, ...given };
    return { name: name.replace(/\.\w+$/u, ""), handler, script, notes };
  }
  const because = script === undefined ? "" : ` (${"why" in script ? script.why : ""})`;
  return {
    name: path.basename(command.trim().split(/\s/u, 1)[0]?.replace(/["']/gu, "") ?? "").replace(/\.\w+$/u, ""),
    handler: { type: "command", command: "sh", args: ["-c", command] },
    notes: [
      `it stays a line of shell${because}: what it names is outside the card, and it runs whatever is there at the time`,
    ],
  };
}

interface StartedScript {
  file: string;
  interpreter?: string;
  args: string[];
}

const WORD = /^[\w@%+=:,./-]+$/u;

/** Recognises a command that starts one script of the project, and nothing else. */
function scriptIn(command: string, root: string): StartedScript | undefined {
  const plain = command
    .trim()
    .replace(
      /"\$(?:\{CLAUDE_PROJECT_DIR\}|CLAUDE_PROJECT_DIR)"\/|\$(?:\{CLAUDE_PROJECT_DIR\}|CLAUDE_PROJECT_DIR)\//u,
      "./",
    )
    .replace(/"([^"$`\\]*)"|'([^']*)'/gu, "$1$2");
  const words = plain.split(/\s+/u);
  if (!words.every((word) => WORD.test(word))) return undefined;
  const [first = "", ...rest] = words;
  const interpreter = isInterpreter(first) ? path.basename(first) : undefined;
  const [file, ...args] = interpreter === undefined ? words : rest;
  // An option of the interpreter would be lost, and a bare word is a program of the machine.
  if (file === undefined || file.startsWith("-") || (interpreter === undefined && !file.includes("/")))
    return undefined;
  return { file: path.resolve(root, file), args, ...(interpreter === undefined ? {} : { interpreter }) };
}
