import { DEADLINES } from "../contract/plan.ts";
import type { JournalSettings } from "./journal/journal.ts";
import type { ProjectPaths } from "./processes/spawn-worker.ts";

/**
 * Whose consents count, the digest of the plan that this process was confined for ("": there is none), and the folder
 * that the policies may look into.
 */
export interface ScopeArgument {
  key: string;
  confinedFor: string;
  root: string;
}

/** What the launcher says about the project. */
export interface LauncherArguments extends ProjectPaths, Omit<JournalSettings, "begun"> {
  /** How long all policies of one call may take together, in milliseconds. */
  totalMs: number;
  /** The digest of the plan that this process was confined for; "": the launcher did not say. */
  confinedFor: string;
  /**
   * What judges the call beside its nearest project: the projects around that one, nearest first, and last the user's
   * consents for every folder.
   */
  outerScopes: ScopeArgument[];
}

/**
 * Reads the launcher's arguments after the agent and the phase: `<key> <home> <project> <git folder> <milliseconds>
 * <plan> <explain | inputs | trace | trace-inputs | ""> <folder of the user's notes> [<key:plan:folder>…]`, with one more
 * word for each scope around the project. An error that it throws is shown to the person whose call it blocks.
 */
export function readArguments([
  key = "",
  home = "",
  root = "",
  common = "",
  total = "",
  confinedFor = "",
  mode = "",
  notes = "",
  ...outerScopes
]: readonly string[]): LauncherArguments {
  if (!/^[0-9a-f]{1,64}$/u.test(key) || !home.startsWith("/")) throw new Error("it was not told whose project it is");
  return {
    key,
    home,
    notes: notes === "" ? home : notes,
    root,
    common,
    isExplained: mode === "explain",
    isTraced: mode === "explain" || mode === "trace" || mode === "trace-inputs",
    keepsInputs: mode === "inputs" || mode === "trace-inputs",
    totalMs: deadlineOf(total),
    confinedFor,
    outerScopes: outerScopes.map(readScope),
  };
}

function readScope(text: string): ScopeArgument {
  const [, key = "", confinedFor = "", root = ""] = /^([0-9a-f]{1,64}):([^:]*):(.*)$/su.exec(text) ?? [];
  if (key === "") throw new Error("it was not told what judges beside the project");
  return { key, confinedFor, root };
}

/** A launcher of an earlier version names no deadline. */
function deadlineOf(total: string): number {
  return /^[0-9]{1,5}$/u.test(total) ? Math.min(Number(total), DEADLINES.total) : DEADLINES.total;
}
