import type { Dialect } from "../importing/imported.ts";
import { astridTarget } from "./agent/target.ts";

export const ASTRID: Dialect = {
  name: "astrid",
  program: "dist/systems/astrid.mjs",
  isToldEvent: true,
  isOwn: (place) => /(?:^|\/)(?:profile:\w*|\.astrid(?:\/hooks)?\/?|(?:HOOK|hooks?)\.toml)$/u.test(place),
  loadImporter: async () => (await import("./card/import.ts")).importAstrid,
  target: astridTarget,
};
