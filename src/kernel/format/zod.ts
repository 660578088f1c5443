/**
 * The only import of zod. Import it by `import * as z`: then the program, which Node reads at each start, leaves out
 * the parts of the library that nobody uses.
 */
export * from "zod";
