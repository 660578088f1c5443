import { DEADLINES } from "../contract/plan.ts";
import type { JournalPlace } from "./journal/journal.ts";
import type { Ground } from "./processes/child-permissions.ts";

/**
 * Whose consents count, and the digest of the plan that this process was confined for; "": the launcher did not say.
 */
export interface ScopeTold {
  key: string;
  confinedFor: string;
}

/** What the launcher says about the project. */
export interface Told extends Ground, Omit<JournalPlace, "begun"> {
  /** How long all policies of one call may take together, in milliseconds. */
  totalMs: number;
  /** The digest of the plan that this process was confined for; "": the launcher did not say. */
  confinedFor: string;
  /**
   * For a call in a project: the user's consents for every folder. Null: there are none, or the call is in no project.
   */
  above: ScopeTold | null;
  /**
   * The file through which one process may leave the event to the next; "-": there is none; "": the launcher is of an
   * earlier version.
   */
  eventFile: string;
}

/**
 * Reads the launcher's arguments after the agent and the phase: `<key> <home> <project> <git folder> <milliseconds>
 * <plan> <explain | inputs | trace | trace-inputs | ""> <file> <key:plan of the scope above | ""> <folder of the user's
 * notes>`. An error that it throws is shown to the person whose call it blocks.
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

/** A launcher of an earlier version names no deadline. */
function deadlineOf(total: string): number {
  return /^[0-9]{1,5}$/u.test(total) ? Math.min(Number(total), DEADLINES.total) : DEADLINES.total;
}
