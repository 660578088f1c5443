/** The content of a policies.rb as plain data: the CLI wing compiles it, and the runtime wing runs it. */

/** Part of every cache name, so that data from another reader isn't used. */
export const HOOKER_DATA_VERSION = 1;

/** A Ruby regular expression translated to JavaScript, or the reason why it cannot be. */
export type HookerPattern =
  | {
      source: string;
      flags: string;
      /** The same for texts of ASCII characters only: it compiles in a fraction of the time. */
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
  /** `constant` is the name of a constant that doesn't exist. */
  match: HookerPattern | { constant: string } | null;
  matchField: string | null;
  when: { condition: string; model: string | null } | null;
  /** Null: the policy declares no action. */
  action: HookerAction | null;
}

/** A whole file, or what is wrong with it. */
export type HookerFile = { policies: HookerPolicy[] } | { error: string };
