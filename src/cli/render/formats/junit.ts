import type { CardTest } from "../../../operations/author/test-card.ts";
import { cut, html } from "../report/html.ts";

type Result = CardTest["results"][number];

/** The cases of a card as JUnit XML, which most CI systems read: a suite for each hook. */
export function junitOf({ card, version, hooks, results }: CardTest): string {
  const suites = hooks.map(({ name, cases, failed, todo, notRun }) => {
    const skipped = notRun === null ? todo : cases;
    const own = results.filter(({ hook }) => hook === name);
    return html`  <testsuite name="${`${card}#${name}`}" tests="${cases}" failures="${failed}" errors="0" skipped="${skipped}">
${own.map(
  (
    result,
  ) => html`    <testcase classname="${`${card}#${name}`}" name="${result.case.id}">${outcomeOf(result)}</testcase>
`,
)}  </testsuite>
`;
  });
  const failures = hooks.reduce((sum, { failed }) => sum + failed, 0);
  const document = html`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${`${card}@${version}`}" tests="${results.length}" failures="${failures}">
${suites}</testsuites>
`;
  return document.text;
}

function outcomeOf({ state, differences, case: { why = "not yet" } }: Result) {
  if (state === "todo") return html`<skipped>${why}</skipped>`;
  if (state !== "failed") return "";
  return html`<failure message="${cut(differences[0]?.received ?? "", 500)}">${describeDifferences(differences)}</failure>`;
}

/** `Bash (claude-code): expected deny, received allow`. */
export function describeDifferences(differences: Result["differences"]): string {
  return differences
    .map(({ agent, tool, field, expected, received }) => {
      const what = field === "expect" ? "" : `${field} `;
      return `${tool === "" ? agent : `${tool} (${agent})`}: expected ${what}${expected}, received ${received}`;
    })
    .join("; ");
}
