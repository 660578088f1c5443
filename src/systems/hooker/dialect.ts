import type { Dialect } from "../importing/imported.ts";
import { readPolicies } from "../importing/read-policies.ts";

export const HOOKER: Dialect & { program: string } = {
  name: "hooker",
  program: "dist/systems/hooker.cjs",
  isToldEvent: false,
  isOwn: (file) => file.endsWith(".rb"),
  loadImporter: async () => {
    const { importHooker } = await import("./card/import.ts");
    return (file, describeReach) => importHooker(readPolicies(file), describeReach);
  },
};
