import { DEADLINES } from "../contract/deadlines.ts";
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
 * Reads the launcher's words after the agent and the phase: `key=`, `home=`, `project=`, `git=` (the common git folder), `total-ms=`,
 * `plan=`, `mode=` (`explain`, `inputs`, `trace`, `trace-inputs` or nothing), `notes=` (the folder of the user's notes), and one
 * `scope=<key>:<plan>:<folder>` for each scope around the project. An error that it throws is shown to the person whose call it blocks.
 */
export function readArguments(words: readonly string[]): LauncherArguments {
  const firstOf = (name: string): string => valuesOf(words, name)[0] ?? "";
  const [key, home, mode] = [firstOf("key"), firstOf("home"), firstOf("mode")];
  if (!/^[0-9a-f]{1,64}$/u.test(key) || !home.startsWith("/")) throw new Error("the launcher passed no project key");
  return {
    key,
    home,
    notes: firstOf("notes") || home,
    root: firstOf("project"),
    common: firstOf("git"),
    isExplained: mode === "explain",
    isTraced: mode === "explain" || mode === "trace" || mode === "trace-inputs",
    keepsInputs: mode === "inputs" || mode === "trace-inputs",
    totalMs: deadlineOf(firstOf("total-ms")),
    confinedFor: firstOf("plan"),
    outerScopes: valuesOf(words, "scope").map(readScope),
  };
}

/** The drwn home, for the last message of a process that can't read the rest. */
export function homeIn(words: readonly string[]): string | undefined {
  return valuesOf(words, "home")[0];
}

function valuesOf(words: readonly string[], name: string): string[] {
  return words.filter((word) => word.startsWith(`${name}=`)).map((word) => word.slice(name.length + 1));
}

function readScope(text: string): ScopeArgument {
  const [, key = "", confinedFor = "", root = ""] = /^([0-9a-f]{1,64}):([^:]*):(.*)$/su.exec(text) ?? [];
  if (key === "") throw new Error("the launcher passed no key of what judges besides the project");
  return { key, confinedFor, root };
}

function deadlineOf(total: string): number {
  return /^[0-9]{1,5}$/u.test(total) ? Math.min(Number(total), DEADLINES.total) : DEADLINES.total;
}
