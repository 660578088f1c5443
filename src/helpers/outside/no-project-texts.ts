import type { ReadProjectText } from "./project-texts.ts";

/** Replaces `project-texts.ts` for a hook that doesn't declare `fs-read`. */
export const readProjectText: ReadProjectText | undefined = undefined;
