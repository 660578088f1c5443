import type { Text } from "./advice.ts";

/** Something that doctor found. */
export interface Finding {
  /** Stable, kebab-case. */
  code: string;
  /** `error`: something that was asked for is not in force. `warning`: a person should look. */
  severity: "error" | "warning";
  /** The card, file or program it is about. */
  subject: string;
  message: string;
  /** The command or edit that fixes it; null: there is none. */
  hint: Text | null;
}
