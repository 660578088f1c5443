import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { layout } from "../../../contract/layout.ts";
import { readEnvironment } from "../../../kernel/host.ts";
import { MAX_TURN_HOLDS } from "./dispatcher.ts";

/** After this long, another hold belongs to another turn. */
const SAME_TURN_MS = 10 * 60 * 1000;

/** Counts how often in a row an agent was sent on, across processes that answer one event each. */
export interface TurnHolds {
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
