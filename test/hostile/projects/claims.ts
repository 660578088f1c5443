import { type HostileProject, PLAIN, TELLTALE, TOUCH } from "./hostile.ts";

const CONFIG = ".agents/drwn/config.json";
const LOCK = ".agents/drwn/card.lock";
const TRUST = ".agents/drwn/trust.json";
const TREE = `drwn1-sha512-${"A".repeat(86)}`;
const CARD = { name: "@evil/card", range: "^1.0.0", version: "1.0.0", source: "folder:default", publisher: null };
const LOCKED = { ...CARD, integrity: `sha512-${"A".repeat(86)}==`, tree: TREE, hooks: [] };
const GRANT = {
  card: "@evil/card",
  source: "folder:default",
  publisher: null,
  range: "*",
  grantedAt: "2026-01-01T00:00:00.000Z",
  revokedAt: null,
  ceiling: {},
  approved: [
    { cardVersion: "1.0.0", tree: TREE, bundles: {}, hooks: [], by: "person", at: "2026-01-01T00:00:00.000Z" },
  ],
};

const config = (extra: object): string => JSON.stringify({ version: 1, cards: {}, ...extra });
const asking = JSON.stringify({ version: 1, cards: { "@evil/card": "^1.0.0" } });
const lock = (entry: object, extra: object = {}): string =>
  JSON.stringify({ lockfileVersion: 1, cards: [entry], ...extra });

/** Repositories that say that they are trusted. */
export const CLAIMS: readonly HostileProject[] = [
  {
    tries: "lists trusted cards in its config",
    files: { ...PLAIN, [CONFIG]: config({ trusted: ["@evil/card"] }) },
    doctor: ["file-invalid", "trusted"],
  },
  {
    tries: "grants a consent in its config",
    files: { ...PLAIN, [CONFIG]: config({ grants: [GRANT] }) },
    doctor: ["file-invalid", "grants"],
  },
  {
    tries: "says yes in its config",
    files: { ...PLAIN, [CONFIG]: config({ yes: true }) },
    doctor: ["file-invalid", "yes"],
  },
  {
    tries: "names registries in its config",
    files: { ...PLAIN, [CONFIG]: config({ registries: { evil: { kind: "npm", location: "https://evil.invalid" } } }) },
    doctor: ["file-invalid", "registries"],
  },
  {
    tries: "hides a second config behind a doubled key",
    files: { ...PLAIN, [CONFIG]: '{ "version": 1, "cards": {}, "cards": { "@evil/card": "*" } }' },
    doctor: ["file-invalid", "cards"],
  },
  {
    tries: "reaches for a prototype in its config",
    files: { ...PLAIN, [CONFIG]: '{ "version": 1, "cards": {}, "__proto__": { "trusted": true } }' },
    doctor: ["file-invalid", "__proto__"],
  },
  {
    tries: "records a consent in its lock, as other tools do",
    files: { ...PLAIN, [CONFIG]: asking, [LOCK]: lock({ ...LOCKED, hookConsent: { consentedRange: "*" } }) },
    doctor: ["file-invalid", "hookConsent"],
  },
  {
    tries: "puts a ledger into its lock",
    files: { ...PLAIN, [CONFIG]: asking, [LOCK]: lock(LOCKED, { grants: [GRANT] }) },
    doctor: ["file-invalid", "grants"],
  },
  {
    tries: "locks a card of this machine's own registry that was never there",
    files: { ...PLAIN, [CONFIG]: asking, [LOCK]: lock(LOCKED) },
    doctor: ["card-not-installed", TREE],
  },
  {
    tries: "locks a card twice, so that readers may differ",
    files: { ...PLAIN, [CONFIG]: asking, [LOCK]: JSON.stringify({ lockfileVersion: 1, cards: [LOCKED, LOCKED] }) },
    doctor: ["lock-outdated", "twice"],
  },
  {
    tries: "asks for a consent to every version that there will ever be",
    files: { ...PLAIN, [TRUST]: JSON.stringify({ version: 1, requests: { "@evil/card": { hooks: "*" } } }) },
    doctor: ["consent-asked", "in the range *"],
  },
  {
    tries: "asks for a consent, and waits",
    files: { ...PLAIN, [TRUST]: JSON.stringify({ version: 1, requests: { "@evil/card": { hooks: "^1.0.0" } } }) },
    doctor: ["consent-asked", "grants nothing"],
  },
  {
    tries: "writes its request as if it were granted",
    files: { ...PLAIN, [TRUST]: JSON.stringify({ version: 1, requests: {}, grants: [GRANT] }) },
    doctor: ["file-invalid", "grants"],
  },
  {
    tries: "brings a ledger along",
    files: { ...PLAIN, ".agents/drwn/ledger/0.json": JSON.stringify({ version: 2, grants: [GRANT] }) },
    doctor: ["repository-claim-ignored", ".agents/drwn/ledger"],
  },
  {
    tries: "brings a launcher and a hook process along",
    files: { ...PLAIN, ".agents/drwn/bin/hook": `#!/bin/sh\n${TOUCH}\n`, ".agents/drwn/bin/hook.cjs": TELLTALE },
    doctor: ["repository-claim-ignored", ".agents/drwn/bin"],
  },
  {
    tries: "brings keys along",
    files: { ...PLAIN, ".agents/drwn/keys/pins.json": '{ "version": 1, "cards": {}, "scopes": {} }' },
    doctor: ["repository-claim-ignored", ".agents/drwn/keys"],
  },
  {
    tries: "marks itself as a project of this machine",
    files: { ...PLAIN, ".drwn-project": `${"a".repeat(64)}\n` },
    doctor: ["repository-claim-ignored", ".drwn-project"],
  },
];
