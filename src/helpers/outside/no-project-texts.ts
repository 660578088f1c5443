import type { ReadProjectText } from "./project-texts.ts";

/** Stands in place of `project-texts.ts` where a hook does not declare `fs-read`. */
export const readProjectText: ReadProjectText | undefined = undefined;
