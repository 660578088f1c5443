/** What the generated pages of the docs are made from, other than the commands. */
export { caseJsonSchema } from "../card/hooks/cases.ts";
export { manifestJsonSchema } from "../card/manifest.ts";
export { PROBLEM_CODES } from "../kernel/problem.ts";
