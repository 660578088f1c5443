/** What a policies.rb says, as the CLI wing compiles it and the runtime wing runs it: data only. */

/** Part of every cache name: data that another reader made is not taken. */
export const HOOKER_DATA_VERSION = 1;

/** A Ruby regular expression in JavaScript's words; or why there is none. */
export type HookerPattern =
  | {
      source: string;
      flags: string;
      /** The same for texts in which every character is ASCII: it is ready in a fraction of the time. */
      ascii: string;
    }
  | { error: string };

export type HookerAction =
  | { kind: "gate"; message: string | null }
  | {
      kind: "transform";
      context: string[];
      prompt: string | null;
      field: string | null;
      model: string | null;
      command: string | null;
    }
  | { kind: "inject"; files: string[]; command: string | null };

export interface HookerPolicy {
  name: string;
  /** Null: every event. */
  event: string | null;
  tool: HookerPattern | null;
  /** `constant` is the name of one that does not exist. */
  match: HookerPattern | { constant: string } | null;
  matchField: string | null;
  when: { condition: string; model: string | null } | null;
  /** Null: nothing was declared. */
  action: HookerAction | null;
}

/** A whole file, or what is wrong with it. */
export type HookerFile = { policies: HookerPolicy[] } | { error: string };
