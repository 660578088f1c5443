import { expect, test } from "vitest";
import type { HookFacts } from "../../src/contract/ledger.ts";
import { decideActivation, explainWait, type OfferedCard, OWN_REGISTRY } from "../../src/trust/activation.ts";
import { JOIN_AT_ONCE, someGrant } from "../support/grants.ts";

const FACTS: HookFacts = {
  kind: "enforcement",
  matcher: "Bash",
  phases: ["pre-tool"],
  timeoutMs: 1_000,
  capabilities: [],
};
const [KEY, OTHER] = [`ed25519:${"A".repeat(43)}`, `ed25519:${"E".repeat(43)}`];
const [OWN, TEAM] = [OWN_REGISTRY, "npm:https://registry.example/"];

/** Source of consent and version, publisher in the consent, publisher of the version, and whether it joins by itself. */
const CASES: [source: string, granted: string | null, offered: string | null, joins: boolean][] = [
  [OWN, null, null, true],
  [OWN, KEY, KEY, true],
  [OWN, KEY, null, false],
  [OWN, KEY, OTHER, false],
  [OWN, null, KEY, false],
  [TEAM, null, null, false],
  [TEAM, KEY, KEY, true],
  [TEAM, KEY, null, false],
  [TEAM, KEY, OTHER, false],
  [TEAM, null, KEY, false],
];

function decide(source: string, publishers: { granted: string | null; offered: string | null }) {
  const grant = someGrant({ source, publisher: publishers.granted, ceiling: { guard: FACTS } });
  const card: OfferedCard = {
    name: "@me/backend",
    version: "1.1.0",
    tree: "tree of 1.1.0",
    source,
    publisher: publishers.offered,
    hooks: [{ name: "guard", ...FACTS, files: [], digest: "" }],
  };
  return decideActivation(grant, card, JOIN_AT_ONCE);
}

test.each(CASES)("from %s, consented to by %s and signed by %s: joins %s", (source, granted, offered, joins) => {
  const activation = decide(source, { granted, offered });
  expect(activation.state).toBe(joins ? "joins" : "waits");
  if (activation.state !== "waits") return;
  const expected = granted === offered ? { because: "unsigned" } : { because: "publisher", from: granted, to: offered };
  expect(activation.why).toEqual(expected);
});

test.each<[string | null, string | null, string]>([
  [KEY, OTHER, `it is signed by ${OTHER}, but the consent is for what ${KEY} signs; nothing of it runs`],
  [KEY, null, `it is not signed, but the consent is for what ${KEY} signs; nothing of it runs`],
  [null, KEY, `it is signed by ${KEY}, but the consent is for a card that was not signed; nothing of it runs`],
])("a person reads who it was and who it is: %s, %s", (from, to, said) => {
  expect(explainWait({ because: "publisher", from, to }, undefined)).toBe(said);
});
