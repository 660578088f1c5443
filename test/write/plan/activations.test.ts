import { expect, test } from "vitest";
import type { Approval, Grant, Ledger } from "../../../src/contract/ledger.ts";
import type { LockedCard } from "../../../src/project/lock.ts";
import { OWN_REGISTRY } from "../../../src/trust/activation.ts";
import { newLedger } from "../../../src/trust/ledger-file.ts";
import { approvalInForce, decideActivations } from "../../../src/write/plan/activations.ts";
import { JOIN_AT_ONCE, OUTSIDE_GIT, someApproval, someFacts, someGrant } from "../../support/grants.ts";

const AT = "2026-03-01T12:00:00.000Z";

const locked = (name: string, parts: Partial<LockedCard> = {}): LockedCard => ({
  name,
  range: "^1.0.0",
  version: "1.0.0",
  source: OWN_REGISTRY,
  integrity: "any",
  tree: `${name} 1.0.0`,
  hooks: [{ name: "guard", ...someFacts(), files: ["hooks/guard/policy.ts"], digest: "any" }],
  publisher: null,
  ...parts,
});

const approval = (name: string, cardVersion = "1.0.0"): Approval =>
  someApproval({ cardVersion, tree: `${name} ${cardVersion}` });

const grant = (card: string, parts: Partial<Grant> = {}): Grant =>
  someGrant({ card, source: OWN_REGISTRY, ceiling: { guard: someFacts() }, approved: [approval(card)], ...parts });

const ledgerOf = (...grants: Grant[]): Ledger => ({
  ...newLedger(OUTSIDE_GIT),
  grants,
});

const summary = (cards: LockedCard[], ledger: Ledger | undefined) =>
  decideActivations(cards, ledger, JOIN_AT_ONCE).map((one) => {
    const { card, locked: entry, activation } = one;
    const why = activation.state === "off" ? activation.why : null;
    return [card, entry !== null, activation.state, why, approvalInForce(one)?.cardVersion ?? null];
  });

const cases: [string, LockedCard[], Ledger | undefined, unknown[]][] = [
  ["without a ledger everything is off", [locked("@me/a")], undefined, [["@me/a", true, "off", "no-grant", null]]],
  [
    "without a grant a card is off",
    [locked("@me/a")],
    ledgerOf(grant("@me/b", { revokedAt: AT })),
    [["@me/a", true, "off", "no-grant", null]],
  ],
  [
    "a guard whose consent has ended goes with its card",
    [],
    ledgerOf(grant("@me/a", { expiresAt: "2020-01-01T00:00:00.000Z" }), grant("@me/b")),
    [["@me/b", false, "active", null, "1.0.0"]],
  ],
  [
    "a revoked grant turns a card off",
    [locked("@me/a")],
    ledgerOf(grant("@me/a", { revokedAt: AT })),
    [["@me/a", true, "off", "revoked", null]],
  ],
  [
    "an approved card is active",
    [locked("@me/a")],
    ledgerOf(grant("@me/a")),
    [["@me/a", true, "active", null, "1.0.0"]],
  ],
  [
    "a card that joins leaves its last approval in force until it is recorded",
    [locked("@me/a", { version: "1.1.0", tree: "new" })],
    ledgerOf(grant("@me/a")),
    [["@me/a", true, "joins", null, "1.0.0"]],
  ],
  [
    "a card that waits leaves its last approval in force",
    [locked("@me/a", { version: "2.0.0", tree: "new" })],
    ledgerOf(grant("@me/a", { approved: [approval("@me/a", "1.0.0"), approval("@me/a", "1.5.0")] })),
    [["@me/a", true, "waits", null, "1.5.0"]],
  ],
  ["a card without hooks and without a grant is no matter", [locked("@me/a", { hooks: [] })], ledgerOf(), []],
  [
    "a version without hooks waits where the card has a grant",
    [locked("@me/a", { hooks: [], version: "1.1.0", tree: "new" })],
    ledgerOf(grant("@me/a")),
    [["@me/a", true, "waits", null, "1.0.0"]],
  ],
  [
    "a version without hooks of a revoked card is no matter",
    [locked("@me/a", { hooks: [] })],
    ledgerOf(grant("@me/a", { revokedAt: AT })),
    [],
  ],
  [
    "a guard that left the lock stays, behind the others",
    [locked("@me/b")],
    ledgerOf(grant("@me/a"), grant("@me/b")),
    [
      ["@me/b", true, "active", null, "1.0.0"],
      ["@me/a", false, "active", null, "1.0.0"],
    ],
  ],
  ["a revoked guard that left the lock is gone", [], ledgerOf(grant("@me/a", { revokedAt: AT })), []],
  ["a grant without approvals puts nothing in force", [], ledgerOf(grant("@me/a", { approved: [] })), []],
];

test.each(cases)("%s", (_, cards, ledger, expected) => {
  expect(summary(cards, ledger)).toEqual(expected);
});

test("cards come in the order of the lock, not of the grants", () => {
  const ledger = ledgerOf(grant("@me/a"), grant("@me/z"));
  expect(summary([locked("@me/z"), locked("@me/a")], ledger).map(([card]) => card)).toEqual(["@me/z", "@me/a"]);
});
