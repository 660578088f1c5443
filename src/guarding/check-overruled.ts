import fs from "node:fs";
import { findAdapter } from "../agents/adapters/calls.ts";
import { layout } from "../contract/layout.ts";
import { idOf, type JournalLine } from "../journal/line.ts";
import { listUnseen } from "../journal/overruled.ts";
import type { Host } from "../kernel/host.ts";
import { clean, plural } from "../kernel/text.ts";
import type { Runtime } from "../policy/event.ts";
import { faultFinding, type GuardFault } from "./fault.ts";

/** All overruled calls in this home's journal, oldest first; undefined: nobody has read it. */
export type Overruled = readonly JournalLine[] | undefined;

/** Calls that a policy denied and that ran all the same, until a person has seen them. */
export function readOverruled({ drwnHome, notes }: Host, key: string, read: Overruled): JournalLine[] {
  // Root's guards hold even for a user whose home nobody can read; the hook notes nothing there.
  if (notes !== undefined && !mayRead(layout.project(notes, key))) return [];
  return listUnseen({ home: notes ?? drwnHome, key }, notes === undefined ? read : undefined);
}

/** The overruled calls of this agent. */
export function checkOverruled(overruled: readonly JournalLine[], runtime: Runtime): GuardFault[] {
  const calls = overruled.filter((line) => line.runtime === runtime);
  const last = calls.at(-1);
  if (last === undefined) return [];
  const title = findAdapter(runtime)?.title ?? runtime;
  const which = `the last one at ${clean(last.time, 40)}, of ${clean(last.tool ?? "a tool", 80)} (${idOf(last)})`;
  const message = `${plural(calls.length, "call")} that a policy denied ran all the same in ${title}, ${which}`;
  return [{ comesTo: "opens", finding: faultFinding("overruled", title, message, "drwn log --overruled") }];
}

function mayRead(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
