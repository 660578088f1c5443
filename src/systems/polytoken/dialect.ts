import type { Dialect } from "../importing/imported.ts";
import { polytokenTarget } from "./agent/target.ts";

export const POLYTOKEN: Dialect = {
  name: "polytoken",
  program: "dist/systems/polytoken.mjs",
  isToldEvent: true,
  isOwn: (place) => /(?:^|\/)\.?polytoken(?:\/hooks\.json|\/?)$/u.test(place),
  loadImporter: async () => (await import("./card/import.ts")).importPolytoken,
  target: polytokenTarget,
};
