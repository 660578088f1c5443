import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { PackedCard } from "../../../src/card/source/pack.ts";
import Add from "../../../src/cli/commands/add.ts";
import CardShow from "../../../src/cli/commands/card/show.ts";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import CardVerify from "../../../src/cli/commands/card/verify.ts";
import Init from "../../../src/cli/commands/init.ts";
import Why from "../../../src/cli/commands/why.ts";
import { addRegistry, setScope } from "../../../src/operations/machine/registry-settings.ts";
import { packedCard } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { type TestHost, testHost } from "../../support/host.ts";
import { type Handler, sendJson, serve } from "../../support/servers.ts";

const KEYID = "SHA256:key-of-the-registry";
const PROVENANCE = {
  url: "https://npm.example.com/-/npm/v1/attestations/x",
  provenance: { predicateType: "https://slsa.dev/provenance/v1" },
};
const keys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const others = generateKeyPairSync("ec", { namedCurve: "prime256v1" });

function keyEntry(key: KeyObject, more: Record<string, unknown> = {}): Record<string, unknown> {
  const text = key.export({ format: "der", type: "spki" }).toString("base64");
  return {
    keyid: KEYID,
    keytype: "ecdsa-sha2-nistp256",
    scheme: "ecdsa-sha2-nistp256",
    key: text,
    expires: null,
    ...more,
  };
}

function signatureOf({ manifest: { name, version }, integrity }: PackedCard, key = keys.privateKey): string {
  return sign("sha256", Buffer.from(`${name}@${version}:${integrity}`), key).toString("base64");
}

interface Endorsed {
  dist: (card: PackedCard) => Record<string, unknown>;
  /** What stands at /-/npm/v1/keys; undefined: nothing. */
  keys?: unknown;
}

/** A user whose scope belongs to a registry that has one card, and says this for it. */
async function userOf({ dist, keys: listed }: Endorsed): Promise<TestHost> {
  const card = await packedCard({ hooks: { guard: {} } });
  const { name, version } = card.manifest;
  const handler: Handler = (request, response) => {
    if (request.url === "/card.tgz") response.end(card.tarball);
    else if (request.url === "/-/npm/v1/keys" && listed !== undefined) sendJson(response, listed);
    else if (request.url === "/@me%2fbackend") sendJson(response, packument());
    else response.writeHead(404).end();
  };
  const packument = () => {
    const drwn = { hooks: card.index.hooks, tree: card.tree };
    const said = { integrity: card.integrity, tarball: `${url}card.tgz`, ...dist(card) };
    return {
      name,
      versions: { [version]: { name, version, drwn, dist: said } },
      time: { [version]: "2026-01-31T12:00:00.000Z" },
    };
  };
  const { url } = await serve(handler);
  const host = testHost();
  await addRegistry(host, { name: "npm", location: url, isStatic: false });
  await setScope(host, "@me", "npm");
  return host;
}

const signed = (card: PackedCard) => ({ signatures: [{ keyid: KEYID, sig: signatureOf(card) }] });

describe("a version that its registry has signed", () => {
  test("is verified by the registry's keys, and both commands say so", async () => {
    const host = await userOf({ dist: signed, keys: { keys: [keyEntry(keys.publicKey)] } });
    const verified = await runCommand(host, CardVerify, "@me/backend");
    expect(verified.stdout).toContain(
      `ok  registry   its registry has signed name, version and tarball with its key ${KEYID}`,
    );
    expect(verified.stdout).not.toContain("unverified");
    expect((await runCommand(host, CardShow, "@me/backend")).stdout).toContain(
      `registry    signed with its key ${KEYID}`,
    );
  });

  test.each<[string, Endorsed, string]>([
    [
      "with a key that it does not hand out",
      { dist: signed, keys: { keys: [keyEntry(keys.publicKey, { keyid: "SHA256:other" })] } },
      "not among those",
    ],
    [
      "with another key than it says",
      {
        dist: (card) => ({ signatures: [{ keyid: KEYID, sig: signatureOf(card, others.privateKey) }] }),
        keys: { keys: [keyEntry(keys.publicKey)] },
      },
      "not match this name",
    ],
    [
      "in other words",
      {
        dist: () => ({ signatures: [{ keyid: KEYID, sig: "bm90aGluZw==" }] }),
        keys: { keys: [keyEntry(keys.publicKey)] },
      },
      "not match this name",
    ],
    [
      "with a key that had expired",
      { dist: signed, keys: { keys: [keyEntry(keys.publicKey, { expires: "2026-01-01T00:00:00.000Z" })] } },
      "had expired",
    ],
    [
      "with a key that expires at no time",
      { dist: signed, keys: { keys: [keyEntry(keys.publicKey, { expires: "never" })] } },
      "had expired",
    ],
  ])("%s is refused", async (_, endorsed, why) => {
    const { exitCode, stderr } = await runCommand(await userOf(endorsed), CardVerify, "@me/backend");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("DRWN_SIGNATURE_INVALID");
    expect(stderr).toContain(why);
  });

  test("is remembered when it is added, and shown before a consent and after it", async () => {
    const dist = (card: PackedCard) => ({ ...signed(card), attestations: PROVENANCE });
    const host = await userOf({ dist, keys: { keys: [keyEntry(keys.publicKey)] } });
    for (const [command, ...argv] of [[Init], [Add, "@me/backend"]] as const) {
      expect(await runCommand(host, command, ...argv)).toMatchObject({ exitCode: 0 });
    }
    const trusted = await runCommand(host, CardTrust, "@me/backend", "--hooks", "--yes");
    const why = await runCommand(host, Why, "@me/backend");
    for (const text of [trusted.stdout + trusted.stderr, why.stdout]) {
      expect(text).toMatch(new RegExp(`registry +signed with its key ${KEYID}`, "u"));
      expect(text).toMatch(/provenance +https:\/\/slsa.dev\/provenance\/v1, not verified by drwn/u);
    }
  });

  test("is refused where its registry signs and has not signed it", async () => {
    const host = await userOf({ dist: () => ({}), keys: { keys: [keyEntry(keys.publicKey)] } });
    expect((await runCommand(host, CardVerify, "@me/backend")).stderr).toContain("DRWN_SIGNATURE_MISSING");
  });

  test.each<[string, unknown]>([
    ["no keys", undefined],
    ["an empty list", { keys: [] }],
    ["a web page", "<!doctype html>"],
    ["keys of another kind", { keys: [keyEntry(keys.publicKey, { keytype: "rsa" })] }],
    ["a key that is none", { keys: [{ ...keyEntry(keys.publicKey), key: "AAAA" }] }],
    ["a key on another curve", { keys: [keyEntry(generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey)] }],
  ])("and hands out %s: the signature is shown as not verified, and not as verified", async (_, listed) => {
    const host = await userOf({ dist: signed, ...(listed === undefined ? {} : { keys: listed }) });
    const { stdout, exitCode } = await runCommand(host, CardVerify, "@me/backend", "--json");
    const answer = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(answer.unverified).toEqual([expect.stringContaining(KEYID)]);
    expect(answer.checks.map(({ check }: { check: string }) => check)).not.toContain("registry");
    expect((await runCommand(host, CardShow, "@me/backend")).stdout).toContain(
      "not verified, since its key is missing",
    );
  });
});

describe("a version with provenance", () => {
  test("names it, and says that drwn has not verified it", async () => {
    const host = await userOf({ dist: () => ({ attestations: PROVENANCE }) });
    const shown = await runCommand(host, CardShow, "@me/backend");
    expect(shown.stdout).toContain("provenance  https://slsa.dev/provenance/v1, not verified by drwn");
    const verified = await runCommand(host, CardVerify, "@me/backend");
    expect(verified.stdout).toMatch(/^-- {2}unverified provenance .*drwn does not verify it/mu);
    expect(verified.exitCode).toBe(0);
  });

  test.each<[string, Record<string, unknown>]>([
    ["at another protocol", { attestations: { ...PROVENANCE, url: "file:///etc/passwd" } }],
    ["that isn't an object", { attestations: "yes" }],
    ["and signatures without end", { signatures: Array(1_000).fill({ keyid: KEYID, sig: "x" }) }],
    ["and signatures that are none", { signatures: [{ keyid: 7 }] }],
  ])("%s is a version without", async (_, dist) => {
    const host = await userOf({ dist: () => dist });
    const { stdout } = await runCommand(host, CardShow, "@me/backend", "--json");
    expect(JSON.parse(stdout).endorsement).toEqual({ signatures: [], keys: null, provenance: null });
  });

  test("and control characters in it prints none of them", async () => {
    const provenance = { predicateType: "\u001b]52;c;eA==\u0007" };
    const host = await userOf({
      dist: () => ({ attestations: { ...PROVENANCE, provenance }, signatures: [{ keyid: "\u001b[2J", sig: "x" }] }),
    });
    for (const command of [CardShow, CardVerify]) {
      const { stdout } = await runCommand(host, command, "@me/backend");
      expect(stdout.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
    }
  });
});
