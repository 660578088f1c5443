/**
 * The one door to zod, name by name: take it by `import * as z`. The program, which Node reads at each start, then leaves out the parts of
 * the library that nobody uses.
 */
export * from "zod";
