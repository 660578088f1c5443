import * as Flags from "@oclif/core/flags";

/** Which calls of the journal a command is about. */
export const CALL_FILTER_FLAGS = {
  card: Flags.string({ description: "Only calls that this card was asked about.", helpValue: "@scope/name" }),
  tool: Flags.string({ description: "Only calls of tools that this matcher matches.", helpValue: "GLOB" }),
  on: Flags.string({
    description: "Only these moments of the session, by their name in docs/reference/lifecycle.md.",
    helpValue: "EVENT",
    exclusive: ["tool"],
  }),
  since: Flags.string({
    description: "Only calls since then: 2026-01-31T12:00Z, 90s, 10m, 2h, 3d.",
    helpValue: "WHEN",
  }),
};
