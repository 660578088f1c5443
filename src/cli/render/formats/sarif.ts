import { clean } from "../../../kernel/text.ts";
import type { CardTest } from "../../../operations/author/test-card.ts";
import { describeDifferences } from "./junit.ts";

/** What SARIF calls rules: the kinds of finding that a case or a mutant gives. */
const RULES = [
  { id: "failed-case", text: "A hook answers a call differently from what its case expects." },
  { id: "missed-mutant", text: "A hook answers a call differently from one that does the same." },
] as const;

/** The failures of a card's cases as SARIF 2.1.0, which code hosts show beside the lines. */
export function sarifOf({ card, hooks, results }: CardTest, drwnVersion: string): string {
  const failures = results.flatMap(({ state, hook, case: { id }, differences }) =>
    state === "failed"
      ? [finding(hook, "failed-case", `${card}#${hook}, ${id}: ${describeDifferences(differences)}`)]
      : [],
  );
  const missed = hooks.flatMap(({ mutants }) =>
    (mutants?.survivors ?? []).map(({ hook, of, how, expected }) =>
      finding(hook, "missed-mutant", `${card}#${hook}, ${of}, ${how}: expected ${expected}`),
    ),
  );
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "drwn",
            version: drwnVersion,
            rules: RULES.map(({ id, text }) => ({ id, shortDescription: { text } })),
          },
        },
        results: [...failures, ...missed],
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function finding(hook: string, ruleId: (typeof RULES)[number]["id"], text: string) {
  const uri = `hooks/${hook}/cases.jsonl`;
  return {
    ruleId,
    level: ruleId === "failed-case" ? "error" : "warning",
    message: { text: clean(text, 4_000) },
    locations: [{ physicalLocation: { artifactLocation: { uri } } }],
  };
}
