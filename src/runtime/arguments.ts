import { DEADLINES } from "../contract/plan.ts";
import type { JournalPlace } from "./journal/journal.ts";
import type { Ground } from "./processes/child-permissions.ts";

/** Whose consents count, and the plan that this process was confined for; "": it was not told. */
export interface ScopeTold {
  key: string;
  confinedFor: string;
}

/** What the launcher says of the project. */
export interface Told extends Ground, Omit<JournalPlace, "begun"> {
  /** What all policies of one call may take together, in milliseconds. */
  totalMs: number;
  /** The plan that this process was confined for, by its digest; "": it was not told. */
  confinedFor: string;
  /** What a user consented to for every folder, where the call is one of a project; null: nothing, or the call is of none. */
  above: ScopeTold | null;
  /** Where the event may lie on its way from one process to the next; "-": nowhere; "": the launcher is of an earlier version. */
  eventFile: string;
}

/**
 * The launcher's arguments behind the agent and the phase: `<key> <home> <project> <git folder> <milliseconds> <plan>
 * <explain | inputs | trace | trace-inputs | ""> <file> <key:plan of the scope above | ""> <where the user's notes lie>`. An error that is thrown is for the person whose call it blocks.
 */
export function readArguments([
  key = "",
  home = "",
  root = "",
  common = "",
  total = "",
  confinedFor = "",
  mode = "",
  eventFile = "",
  above = "",
  notes = "",
]: readonly string[]): Told {
  if (!/^[0-9a-f]{1,64}$/u.test(key) || !home.startsWith("/")) throw new Error("it was not told whose project it is");
  return {
    key,
    home,
    notes: notes === "" ? home : notes,
    root,
    common,
    isExplained: mode === "explain",
    isHeard: mode === "explain" || mode === "trace" || mode === "trace-inputs",
    keepsInputs: mode === "inputs" || mode === "trace-inputs",
    totalMs: deadlineOf(total),
    confinedFor,
    eventFile,
    above: above === "" ? null : readAbove(above),
  };
}

function readAbove(text: string): ScopeTold {
  const [, key = "", confinedFor = ""] = /^([0-9a-f]{1,64}):(.*)$/u.exec(text) ?? [];
  if (key === "") throw new Error("it was not told what holds in every folder");
  return { key, confinedFor };
}

/** A launcher that an earlier version wrote names none. */
function deadlineOf(total: string): number {
  return /^[0-9]{1,5}$/u.test(total) ? Math.min(Number(total), DEADLINES.total) : DEADLINES.total;
}
