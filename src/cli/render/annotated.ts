import { clean } from "../../kernel/text.ts";
import type { AnnotateResult } from "../../operations/author/annotate.ts";
import type { CommandAnswer } from "../terminal/answer.ts";

/** The answer of every command that annotates published versions. */
export function renderAnnotation(annotated: AnnotateResult, did: string): CommandAnswer {
  const { name, versions, registry } = annotated;
  return {
    json: annotated,
    print: ({ out }) => out(`${did} ${name}@${versions.join(", ")} in ${clean(registry)}`),
  };
}
