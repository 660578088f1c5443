import { writeSync } from "node:fs";
import { userInfo } from "node:os";
import { HANDED_OVER, STATUS_FD } from "../../contract/protocol.ts";
import type { DecodedEvent, EventView, HookAdapter, Wire } from "../../hook-base/adapter/adapter.ts";
import { decodeBytes, encodeText, exitNow, nodeProcess } from "../../hook-base/primordials.ts";
import { BrokenEvent, readBeginning, readInput } from "../../hook-base/read-input.ts";
import { isRecord } from "../../hook-base/shape.ts";
import type { Phase } from "../../policy/event.ts";

const LARGEST_EVENT = 16 * 1024 * 1024;

/** An event as the text around its input, so that each policy gets a copy with the current input. */
export interface EventText {
  toolName: string;
  /** Other names by which a matcher may name the tool. */
  aliases: readonly string[];
  /** JSON text of the input that the agent sent. */
  input: string;
  /**
   * The agent's id for the call, the same before and after it, and the session of the call; "": the agent does not say.
   */
  callId: string;
  session: string;
  before: string;
  after: string;
  /** The same call under the canonical names that its tool may have. */
  names: readonly EventText[];
  /** What the call amounts to, as calls of other tools or with another input. */
  views: readonly EventText[];
  /** Each view is only a part of the call, so policies cannot rewrite the call. */
  isDivided: boolean;
  /** The agent carries nothing but a deny of this call. */
  isOnlyDeniable: boolean;
  /** "": the agent did not say. */
  cwd: string;
  /**
   * For the end or the beginning of a turn: its session, and whether a hook has kept it going already. Null for all
   * other events.
   */
  turn: { isContinued: boolean | null; session: string } | null;
}

/** Reads what the agent wrote to standard input. Throws a `BrokenEvent`. */
export function readWire(): Wire {
  if (hasFixedHashSeed()) return parse(readLimitedEvent());
  return parse(readInput(LARGEST_EVENT));
}

function parse(bytes: Uint8Array): Wire {
  if (bytes.length === 0) throw new BrokenEvent("is empty");
  let wire: unknown;
  try {
    wire = JSON.parse(decodeBytes(bytes));
  } catch {
    throw new BrokenEvent("is not JSON");
  }
  if (!isRecord(wire)) throw new BrokenEvent("isn't a JSON object");
  return wire;
}

/** Throws a `BrokenEvent`. */
export function decodeCall(adapter: HookAdapter, phase: Phase, wire: Wire, userHome = homeOfUser()): EventText {
  return refuseDepth(() => toText(adapter, phase, withHome(adapter.decode(wire, phase), userHome)));
}

/** `JSON.parse` does not recurse; `JSON.stringify` does, and fails on deep nesting. */
export function refuseDepth<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof BrokenEvent ? error : new BrokenEvent("is nested too deeply");
  }
}

/** The JSON text of the event with this input, for a policy with these options. */
export function withInput({ before, after }: EventText, input: string, options: string | null = null): string {
  return options === null ? `${before}${input}${after}` : `${before}${input},"options":${options}${after}`;
}

/** The home of the person whose agent this is: what programs of the call take for it. */
function homeOfUser(): string {
  const { HOME } = nodeProcess.env;
  if (HOME !== undefined && HOME !== "") return HOME;
  try {
    return userInfo().homedir;
  } catch {
    return "";
  }
}

function withHome(event: DecodedEvent, home: string): DecodedEvent {
  return home.startsWith("/") ? { ...event, rest: { ...event.rest, home } } : event;
}

function toText(
  { runtime }: HookAdapter,
  phase: Phase,
  { rest, views, otherNames, isDivided, isOnlyDeniable, callId, ...main }: DecodedEvent,
): EventText {
  const after = `,${JSON.stringify(rest).slice(1)}`;
  const [cwd, session] = [textOf(rest["cwd"]), textOf(rest["sessionId"])];
  const toPart = ({ toolName, aliases, input, shell }: EventView): EventText => {
    const before = `${JSON.stringify({ runtime, phase, toolName, shell }).slice(0, -1)},"input":`;
    return {
      toolName,
      aliases,
      input: JSON.stringify(input),
      callId,
      session,
      before,
      after,
      names: [],
      views: [],
      isDivided: false,
      isOnlyDeniable,
      cwd,
      turn: null,
    };
  };
  const whole = toPart(main);
  const toNamed = (toolName: string): EventText => toPart({ toolName, aliases: [], input: main.input });
  const inline = phase === "pre-tool" ? inlineCommandsIn(main.input, whole.input) : [];
  const written = inline.map((command): EventView => ({ toolName: "Bash", aliases: [], input: { command } }));
  return {
    ...whole,
    names: otherNames.map(toNamed),
    views: [...views, ...written].map(toPart),
    isDivided: isDivided || written.length > 0,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** With this flag V8 hashes strings with the seed that this Node was built with, which is the same everywhere. */
const FIXED_HASH_SEED_FLAG = "--no-rehash-snapshot";

/**
 * The most bytes that may come from somebody who knows that seed. They hold some three thousand strings with colliding
 * hashes, which V8 takes a third of a second to tell apart. For a megabyte it would take minutes.
 */
const LARGEST_WITH_FIXED_SEED = 32_768;

/**
 * Reads the event of a process with the fixed hash seed. If the event is too large, this process tells the launcher
 * what it has read, and ends; the launcher starts another process, whose standard input begins with that. Throws a
 * `BrokenEvent`.
 */
function readLimitedEvent(): Uint8Array {
  const bytes = readBeginning(LARGEST_WITH_FIXED_SEED);
  if (bytes.length <= LARGEST_WITH_FIXED_SEED) return bytes;
  // A shell cannot hold a zero byte in a text.
  if (bytes.includes(0)) throw new BrokenEvent("is not JSON");
  for (const part of [encodeText("+"), bytes, encodeText(".")]) {
    for (let at = 0; at < part.length; ) at += writeSync(STATUS_FD, part, at);
  }
  exitNow(HANDED_OVER);
  throw new BrokenEvent("is for another process");
}

/** Whether this process has the fixed hash seed. */
function hasFixedHashSeed(): boolean {
  return process.execArgv.includes(FIXED_HASH_SEED_FLAG);
}

/** Where agents keep skills, commands and agents, in any tool's path or text. */
const PLACE =
  /\.(?:claude|agents|gemini|opencode|kilo|kilocode|qwen|codex|cursor|copilot|github|config[\\/](?:opencode|kilo))[\\/](?:skills?|commands?|agents?|prompts)[\\/]|SKILL\.md/iu;
/** `` !`command` ``, with a backslash before each backquote if a shell writes it. */
const LINE = /!\\?`((?:[^`\\\n]|\\[^`\n])+)\\?`/gu;
/** `!{command}` in a command of Gemini CLI or Qwen Code. */
const GEMINI = /\.(?:gemini|qwen)[\\/]commands[\\/]/iu;
const GEMINI_LINE = /!\{([^{}\n]+)\}/gu;
/** A block that runs as a whole. */
const BLOCK = /^[ \t]*```!\w*[ \t]*\n([\s\S]*?)^[ \t]*```/gmu;
const DEEPEST = 6;
const MOST = 50;

/**
 * The commands in a skill or command that a call writes: the agent runs them by itself when somebody uses it, past its hooks. So the call is
 * also a call of the shell.
 */
function inlineCommandsIn(input: unknown, json: string): string[] {
  if (!json.includes("!`") && !json.includes("!\\\\`") && !json.includes("```!") && !json.includes("!{")) return [];
  const texts = textsIn(input, 0);
  if (!texts.some((text) => PLACE.test(text))) return [];
  const patterns = texts.some((text) => GEMINI.test(text)) ? [LINE, BLOCK, GEMINI_LINE] : [LINE, BLOCK];
  const found = texts.flatMap((text) =>
    patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, command = ""]) => command)),
  );
  return [...new Set(found)].filter((text) => text.trim() !== "").slice(0, MOST);
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === "string") return [value];
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, depth + 1));
  return isRecord(value) ? Object.values(value).flatMap((one) => textsIn(one, depth + 1)) : [];
}
