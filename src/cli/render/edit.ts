import { clean } from "../../kernel/text.ts";
import type { SourceEdit } from "../../operations/author/edit-source.ts";
import type { CommandAnswer } from "../terminal/answer.ts";

/** The answer of every command that edits a card source. `item` names what was edited: `{ hook: "guard" }`. */
export function answerEdit(
  { card, dryRun, changes }: SourceEdit,
  item: Readonly<Record<string, string>>,
  words: { done: string; would: string },
): CommandAnswer {
  return {
    json: { card, ...item, dryRun, changes },
    print: ({ out }) => {
      out(`${dryRun ? words.would : words.done} ${clean([...Object.values(item), "in", card].join(" "))}`);
      for (const { action, path } of changes) out(`  ${action.replace("-", " ")} ${clean(path, 2000)}`);
    },
  };
}
