import type { ArawnEvent } from "./events.ts";

/** Which of Arawn's ways to write hooks down a hook comes from. Each has its own rules. */
export type Generation = "plugin.toml" | "hooks.json" | "settings.json";

/** Where an entry is, for messages. */
export interface Origin {
  file: string;
  /** `[[hooks]] 2`, `hooks.PreToolUse[0].hooks[1]` */
  entry: string;
}

/** What a filter can look at in an event. */
export interface ArawnSubject {
  tool?: string;
  params?: unknown;
}

/** One hook, as its file has it. Its filters are compiled already, so none of them can fail. */
export interface HookDef {
  event: ArawnEvent;
  generation: Generation;
  origin: Origin;
  /** Where it runs: the plugin's folder, or the project's for hooks from settings. */
  folder: string;
  /** A program, or in settings a text for `sh`. */
  command: string;
  /** A glob for the name of the tool. */
  toolMatch: string | null;
  /** A regular expression for the params, as compact JSON with sorted keys. */
  matchPattern: string | null;
  timeoutMs: number;
  /** Whether every filter lets it run. A filter on something that the event lacks doesn't. */
  isFor(subject: ArawnSubject): boolean;
}

/** Something that keeps drwn from using a file or one of its entries. */
export interface ArawnLoadFault extends Origin {
  field: string | null;
  what: string;
  /** Only a note: the rest of the file is still used. */
  isNote: boolean;
}

export interface LoadedArawnHooks {
  /** In the order in which they run. */
  hooks: HookDef[];
  /** A file with an error gives no hooks. */
  faults: ArawnLoadFault[];
}

export const DEFAULT_TIMEOUT_MS = 10_000;
