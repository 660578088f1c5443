import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { layout } from "../../../contract/layout.ts";
import { readEnvironment } from "../../../kernel/host.ts";
import type { ArawnContext, ArawnEvent } from "../hook/hook.ts";
import { MAX_TURN_HOLDS } from "./dispatcher.ts";

/** What is wrong with an event from outside. */
class PayloadFault extends Error {
  override readonly name = "PayloadFault";
}

type Kind = "text" | "object" | "number";

const NEEDED: { readonly [E in ArawnEvent]?: Readonly<Record<string, Kind>> } = {
  PreToolUse: { tool: "text", params: "object" },
  PostToolUse: { tool: "text", params: "object" },
  SessionStart: { session_id: "text" },
  SessionEnd: { session_id: "text", turn_count: "number" },
  Stop: { response: "text" },
};

/** Reads the context of an event from the caller's JSON. Throws a `PayloadFault` if a field isn't what it should be. */
export function readArawnPayload<E extends ArawnEvent>(event: E, text: string): ArawnContext<E> {
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new PayloadFault(`the event on standard input isn't a JSON object`);
  }
  const needed: Readonly<Record<string, Kind>> = NEEDED[event] ?? {};
  for (const [field, kind] of Object.entries(needed)) {
    if (!isOf(kind, Reflect.get(value, field))) {
      throw new PayloadFault(
        `\`${field}\` of a ${event} event should be ${kind === "object" ? "an object" : `a ${kind}`}`,
      );
    }
  }
  // Every field that the event must have has been checked.
  return value as ArawnContext<E>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new PayloadFault("the event on standard input is not JSON");
  }
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind === "text") return typeof value === "string";
  if (kind === "number") return typeof value === "number";
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** After this long, another hold belongs to another turn. */
const SAME_TURN_MS = 10 * 60 * 1000;

/** Counts how often in a row an agent was sent on, across processes that answer one event each. */
interface TurnHolds {
  count: number;
  /** Notes that the agent is sent on once more, or that it may hand back, which resets the count. */
  note(isSentOn: boolean): void;
}

/**
 * The count of this session in this project. If it cannot be counted, nothing is held: the agent might work for ever.
 */
export function openTurnHolds(root: string, session: string | undefined): TurnHolds {
  const env = readEnvironment();
  const home = env["DRWN_HOME"] || path.join(env["HOME"] || os.homedir(), ".agents", "drwn");
  const about = JSON.stringify([path.resolve(root), session ?? env["ARAWN_SESSION_ID"] ?? null]);
  const file = layout.keptGoing(home, createHash("sha256").update(about).digest("hex"));
  try {
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const fd = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_CREAT, 0o600);
    const { size, mtimeMs } = fs.fstatSync(fd);
    const count = Date.now() - mtimeMs > SAME_TURN_MS ? 0 : size;
    return {
      count,
      note: (isSentOn) => {
        if (!isSentOn || count === 0) fs.ftruncateSync(fd, 0);
        if (isSentOn) fs.writeSync(fd, ".");
        else fs.rmSync(file, { force: true });
      },
    };
  } catch {
    return { count: MAX_TURN_HOLDS, note: () => {} };
  }
}
