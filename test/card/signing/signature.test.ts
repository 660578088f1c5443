import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCard } from "../../../src/card/archive/read-card.ts";
import { packTarball, readTarball } from "../../../src/card/archive/tarball.ts";
import { type CardFiles, toCardFiles } from "../../../src/card/files.ts";
import {
  encodeParts,
  isPair,
  isPublisherKey,
  isSignedBy,
  makeSigningKey,
  type SigningKey,
  signParts,
} from "../../../src/card/signing/publisher-key.ts";
import { isRotationChain, rotateKey, SIGNATURE_FILE, signCard } from "../../../src/card/signing/signature.ts";
import { packSource, signPacked } from "../../../src/card/source/pack.ts";
import { formatJson } from "../../../src/kernel/format/json.ts";
import { denyingPolicy, packedCard, sourceWith } from "../../support/cards.ts";
import { problemOf, textOf } from "../../support/problems.ts";

const KEY = makeSigningKey();
const OTHER = makeSigningKey();

async function signedFiles(parts: Parameters<typeof packedCard>[0] = {}): Promise<Map<string, Buffer>> {
  const card = await signPacked(await packedCard(parts), { key: KEY, rotations: [] });
  return new Map(await readTarball(card.tarball));
}

/** The files with something in the signature changed. */
async function withSignature(change: (signature: Record<string, unknown>) => void): Promise<CardFiles> {
  const files = await signedFiles();
  const signature = JSON.parse(String(files.get(SIGNATURE_FILE)));
  change(signature);
  return toCardFiles(files.set(SIGNATURE_FILE, Buffer.from(formatJson(signature))));
}

describe("a signed card", () => {
  test("has the tree of the same card without a signature, and names its publisher", async () => {
    const plain = await packedCard({ hooks: { guard: {} } });
    const signed = await signPacked(plain, { key: KEY, rotations: [] });
    expect(signed).toMatchObject({ tree: plain.tree, publisher: KEY.publisher });
    expect(signed.integrity).not.toBe(plain.integrity);
    const read = readCard(await readTarball(signed.tarball));
    expect(read).toMatchObject({ tree: plain.tree, signature: { publisher: KEY.publisher } });
    expect([...read.files.keys()]).toEqual([...plain.files.keys()]);
  });

  test("is the same bytes whenever the same key signs it", async () => {
    const plain = await packedCard();
    const [one, two] = [
      await signPacked(plain, { key: KEY, rotations: [] }),
      await signPacked(plain, { key: KEY, rotations: [] }),
    ];
    expect(one.tarball.equals(two.tarball)).toBe(true);
  });

  test("without its signature is a card that nobody has signed", async () => {
    const files = await signedFiles();
    files.delete(SIGNATURE_FILE);
    expect(readCard(files).signature).toBeNull();
  });

  test("is refused when any of its files differs", async () => {
    const files = await signedFiles({ files: { "README.md": "one" } });
    const problem = await problemOf(() => readCard(toCardFiles(files.set("README.md", Buffer.from("two")))));
    expect(problem.code).toBe("DRWN_SIGNATURE_INVALID");
    expect(textOf(problem)).toContain(KEY.publisher);
  });

  test.each<[string, { name?: string; version?: string }]>([
    ["another name", { name: "@me/other" }],
    ["another version", { version: "1.0.1" }],
  ])("is refused when its signature is one of %s with the same tree", async (_, other) => {
    const { tree } = await packedCard();
    const signature = signCard({ name: "@me/backend", version: "1.0.0", tree, ...other }, KEY, []);
    const files = (await signedFiles()).set(SIGNATURE_FILE, Buffer.from(formatJson(signature)));
    expect((await problemOf(() => readCard(toCardFiles(files)))).code).toBe("DRWN_SIGNATURE_INVALID");
  });

  test.each<[string, string, (signature: Record<string, unknown>) => void]>([
    ["another publisher", "DRWN_SIGNATURE_INVALID", (one) => Object.assign(one, { publisher: OTHER.publisher })],
    ["a signature of zeros", "DRWN_SIGNATURE_INVALID", (one) => Object.assign(one, { signature: "A".repeat(86) })],
    ["a signature that is too short", "DRWN_FILE_INVALID", (one) => Object.assign(one, { signature: "AAAA" })],
    ["a publisher that is no key", "DRWN_FILE_INVALID", (one) => Object.assign(one, { publisher: "ed25519:x" })],
    [
      "a publisher with stray bits at its end",
      "DRWN_SIGNATURE_INVALID",
      (one) => Object.assign(one, { publisher: `ed25519:${"A".repeat(42)}B` }),
    ],
    ["a key of another kind", "DRWN_FILE_INVALID", (one) => Object.assign(one, { publisher: "rsa:AAAA" })],
    ["another form", "DRWN_FILE_INVALID", (one) => Object.assign(one, { signatureVersion: 2 })],
    ["something more", "DRWN_FILE_INVALID", (one) => Object.assign(one, { valid: true })],
    ["no rotations", "DRWN_FILE_INVALID", (one) => delete one["rotations"]],
    [
      "a rotation that the former key did not sign",
      "DRWN_SIGNATURE_INVALID",
      (one) =>
        Object.assign(one, {
          rotations: [{ ...rotateKey(KEY, KEY.publisher), from: OTHER.publisher }],
        }),
    ],
    [
      "a rotation that leads elsewhere",
      "DRWN_SIGNATURE_INVALID",
      (one) => Object.assign(one, { rotations: [rotateKey(KEY, OTHER.publisher)] }),
    ],
  ])("is refused with %s in its signature", async (_, code, change) => {
    const files = await withSignature(change);
    expect((await problemOf(() => readCard(files))).code).toBe(code);
  });

  test("is refused when its signature is no JSON", async () => {
    const files = (await signedFiles()).set(SIGNATURE_FILE, Buffer.from("signed, honestly"));
    expect((await problemOf(() => readCard(files))).code).toBe("DRWN_FILE_INVALID");
  });

  test("is packed with one signature only: a source cannot bring its own", async () => {
    const policy = `import signature from "../../${SIGNATURE_FILE}";\nvoid signature;\n${denyingPolicy("Bash")}`;
    const source = sourceWith({ hooks: { guard: policy }, files: { [SIGNATURE_FILE]: "{}" } });
    expect((await problemOf(() => packSource(source))).code).toBe("DRWN_PACK_REFUSED");
  });

  test("cannot have a second signature under another spelling", async () => {
    const files = (await signedFiles()).set("Drwn.Signature.json", Buffer.from("{}"));
    expect((await problemOf(() => readCard(toCardFiles(files)))).code).toBe("DRWN_TARBALL_INVALID");
    expect((await problemOf(async () => readTarball(await packTarball(toCardFiles(files))))).code).toBe(
      "DRWN_TARBALL_INVALID",
    );
  });
});

describe("a change of keys", () => {
  const keys = Array.from({ length: 4 }, makeSigningKey);
  const last = keys.at(-1)?.publisher ?? KEY.publisher;
  const steps = keys.slice(0, -1).map((key, at) => rotateKey(key, keys[at + 1]?.publisher ?? last));

  test("is a chain of statements, each signed by the key that it gives up", () => {
    expect(isRotationChain(steps, last)).toBe(true);
    expect(isRotationChain([], last)).toBe(true);
    expect(isRotationChain(steps.slice(1), last)).toBe(true);
  });

  test.each<[string, typeof steps]>([
    ["with a statement missing", steps.filter((_, at) => at !== 1)],
    ["in another order", steps.toReversed()],
    ["that ends before the key", steps.slice(0, -1)],
    ["with a statement signed by the new key", [{ ...rotateKey(keys[1] ?? KEY, last), from: KEY.publisher }]],
  ])("is none %s", (_, chain) => {
    expect(isRotationChain(chain, last)).toBe(false);
  });
});

describe("a signing key", () => {
  test("belongs to its publisher, and to no other", () => {
    expect(isPublisherKey(KEY.publisher)).toBe(true);
    expect(isPair(KEY)).toBe(true);
    expect(isPair({ ...KEY, secret: OTHER.secret })).toBe(false);
    expect(isPair({ ...KEY, secret: "short" } satisfies SigningKey)).toBe(false);
  });

  test("never signs two lists of parts by one signature", () => {
    const parts = fc.array(fc.string(), { maxLength: 5 });
    fc.assert(
      fc.property(parts, parts, (one, two) => {
        const isSame = JSON.stringify(one) === JSON.stringify(two);
        expect(encodeParts(one).equals(encodeParts(two))).toBe(isSame);
      }),
    );
    expect(encodeParts(["ab", "c"]).equals(encodeParts(["a", "bc"]))).toBe(false);
  });
});

test("a signature and a key can be written in one way alone", () => {
  const signature = signParts(["a"], KEY);
  const written = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];
  const spellings = (text: string) => written.map((last) => text.slice(0, -1) + last);
  expect(spellings(signature).filter((text) => isSignedBy(KEY.publisher, ["a"], text))).toEqual([signature]);
  const alike = spellings(KEY.publisher).filter((text) => isSignedBy(text, ["a"], signature));
  expect(alike).toEqual([KEY.publisher]);
});
