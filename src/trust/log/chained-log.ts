import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { readBounded } from "../../format/read.ts";
import { instantText } from "../../format/schema.ts";
import * as z from "../../format/zod.ts";
import { modeAt } from "../../kernel/atomic.ts";
import { digestOf } from "../../kernel/digest.ts";
import { Problem } from "../../kernel/problem.ts";
import { openRegular, refuseSize } from "../../kernel/read-file.ts";
import { clean } from "../../kernel/text.ts";

/** The fields that every line of a log has, besides its own. */
export const lineShape = {
  time: instantText,
  /** The user of the operating system. */
  user: z.string(),
  /** sha256 of the line before; "" in the first line. */
  previous: z.string(),
};

/** More than a machine writes in years. */
const LIMITS = { maximumBytes: 64 * 1024 * 1024 };

/** Appends lines, each naming the one before it, to a file that only grows. They are on disk when it returns. */
export function appendLines(file: string, events: readonly object[]): void {
  if (events.length === 0) return;
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = fs.constants;
  const fd = openRegular(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, modeAt(file, 0o600));
  if (fd === undefined) throw new Problem("DRWN_FILE_INVALID", `${clean(file)} was removed while drwn was working`);
  try {
    const { size } = fs.fstatSync(fd);
    refuseSize(file, size, LIMITS.maximumBytes);
    const text = fs.readFileSync(fd, "utf8");
    // Part of a line, left by a killed process, stays a line by itself: no later line is mixed with it.
    const isTorn = text !== "" && !text.endsWith("\n");
    let previous = linesOf(text).at(-1) ?? "";
    const user = userName();
    const added = events.map((one) => {
      previous = JSON.stringify({ ...one, user, previous: previous === "" ? "" : digestOf(previous) });
      return `${previous}\n`;
    });
    appendWhole(fd, size, `${isTorn ? "\n" : ""}${added.join("")}`);
  } finally {
    fs.closeSync(fd);
  }
}

/** If the disk is full, none of the text stays: the change that it belongs to won't be made. */
function appendWhole(fd: number, size: number, text: string): void {
  try {
    fs.writeFileSync(fd, text);
    fs.fsyncSync(fd);
  } catch (error) {
    fs.ftruncateSync(fd, size);
    throw error;
  }
}

export interface ChainedLog<Event> {
  events: Event[];
  /** Numbers of the lines that were edited or torn, or that follow a line that is gone. */
  broken: number[];
}

/** The log, oldest first. Its lines are chained: an edited or missing line shows, as long as lines follow it. */
export function readLines<Line extends { previous: string }>(
  file: string,
  schema: z.ZodType<Line>,
): ChainedLog<Omit<Line, "previous">> {
  const text = readBounded(file, LIMITS)?.toString("utf8") ?? "";
  const log: ChainedLog<Omit<Line, "previous">> = { events: [], broken: [] };
  let previous = "";
  linesOf(text).forEach((one, at) => {
    const parsed = parseLine(one, schema);
    if (parsed === undefined || parsed.previous !== (previous === "" ? "" : digestOf(previous)))
      log.broken.push(at + 1);
    if (parsed !== undefined) {
      const { previous: _, ...rest } = parsed;
      log.events.push(rest);
    }
    previous = one;
  });
  return log;
}

function parseLine<Line>(text: string, schema: z.ZodType<Line>): Line | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((one) => one !== "");
}

function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
