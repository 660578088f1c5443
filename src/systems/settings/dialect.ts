import type { Dialect } from "../importing/imported.ts";

/** The agents' own hook settings: the agents run these hooks themselves, so there is no program. */
export const CLAUDE: Dialect = {
  name: "claude",
  isToldEvent: false,
  isOwn: (place) => /(?:^|\/)\.claude(?:\/settings(?:\.local)?\.json|\/?)$/u.test(place),
  loadImporter: async () => {
    const { importSettings } = await import("./import.ts");
    return (place, describeReach) => importSettings(place, { owner: "claude", describeReach });
  },
};

export const CODEX: Dialect = {
  name: "codex",
  isToldEvent: false,
  isOwn: (place) => /(?:^|\/)\.codex(?:\/hooks\.json|\/?)$/u.test(place),
  loadImporter: async () => {
    const { importSettings } = await import("./import.ts");
    return (place, describeReach) => importSettings(place, { owner: "codex", describeReach });
  },
};
