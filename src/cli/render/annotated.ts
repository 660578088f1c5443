import { clean } from "../../kernel/text.ts";
import type { Annotated } from "../../operations/annotate.ts";
import type { Answer } from "../command.ts";

/** The answer of every command that says something of published versions. */
export function answerAnnotated(annotated: Annotated, did: string): Answer {
  const { name, versions, registry } = annotated;
  return {
    json: annotated,
    print: ({ out }) => out(`${did} ${name}@${versions.join(", ")} in ${clean(registry)}`),
  };
}
