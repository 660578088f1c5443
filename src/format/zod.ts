/**
 * The one door to zod, name by name: who needs it takes `import * as z`, and what of the library nobody uses is left out of
 * the program, which would have to read it at each start.
 */
export * from "zod";
