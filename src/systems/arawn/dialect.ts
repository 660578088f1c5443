import type { Dialect } from "../importing/imported.ts";
import { arawnTarget } from "./agent/target.ts";

export const ARAWN: Dialect = {
  name: "arawn",
  program: "dist/systems/arawn.mjs",
  isToldEvent: true,
  isOwn: (place) => /(?:^|\/)(?:plugin\.toml|\.arawn(?:\/settings\.json|\/?))$/u.test(place),
  loadImporter: async () => (await import("./card/import.ts")).importArawn,
  target: arawnTarget,
};
