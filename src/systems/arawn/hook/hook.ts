import type { ArawnEvent } from "./events.ts";

/** Which of Arawn's ways of writing hooks down one comes from: each has rules of its own. */
export type Generation = "plugin.toml" | "hooks.json" | "settings.json";

/** Where an entry is, for messages. */
export interface Origin {
  file: string;
  /** `[[hooks]] 2`, `hooks.PreToolUse[0].hooks[1]` */
  entry: string;
}

/** What an event has that a filter can be on. */
export interface ArawnSubject {
  tool?: string;
  params?: unknown;
}

/** One hook, as its file has it. Its filters were compiled: none of them can fail any more. */
export interface HookDef {
  event: ArawnEvent;
  generation: Generation;
  origin: Origin;
  /** The plugin's folder, or the project's for hooks from settings: where it is run. */
  folder: string;
  /** A program; a text for `sh` in settings. */
  command: string;
  /** Glob on the name of the tool. */
  toolMatch: string | null;
  /** Regular expression on the params, as compact JSON with sorted keys. */
  matchPattern: string | null;
  timeoutMs: number;
  /** Whether every filter lets it run. A filter on what the event does not have does not. */
  isFor(subject: ArawnSubject): boolean;
}

/** Something that keeps a file, or an entry of it, from being used. */
export interface ArawnLoadFault extends Origin {
  field: string | null;
  what: string;
  /** Only said: the rest of the file holds, and so did its author's other hooks. */
  isNote: boolean;
}

export interface LoadedArawnHooks {
  /** In the order in which they run. */
  hooks: HookDef[];
  /** Files with an error give no hooks at all. */
  faults: ArawnLoadFault[];
}

export const DEFAULT_TIMEOUT_MS = 10_000;
