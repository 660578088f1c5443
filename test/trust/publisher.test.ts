import { describe, expect, test } from "vitest";
import { makeSigningKey, type SigningKey } from "../../src/card/signing/publisher-key.ts";
import { type Rotation, rotateKey, signCard } from "../../src/card/signing/signature.ts";
import {
  type Pins,
  requirePublisher,
  withPublisher,
  withTrustedCard,
  withTrustedScope,
} from "../../src/trust/publisher.ts";
import { problemOf, textOf } from "../support/problems.ts";

const NAME = "@me/backend";
const NONE: Pins = { version: 1, cards: {}, scopes: {} };
const [first, second, stranger] = [makeSigningKey(), makeSigningKey(), makeSigningKey()];
const pinned = withPublisher(NONE, { name: NAME, version: "1.1.0", publisher: first.publisher });
const rotated = withPublisher(pinned, { name: NAME, version: "1.2.0", publisher: second.publisher });
const scoped = withTrustedScope(NONE, "@me", first.publisher);

interface Offer {
  by?: SigningKey;
  rotations?: Rotation[];
  version?: string;
  isLocked?: boolean;
}

function offer(pins: Pins, { by, rotations = [], version = "1.3.0", isLocked = false }: Offer): () => void {
  const subject = { name: NAME, version, tree: "drwn1-sha512-x" };
  const signature = by === undefined ? null : signCard(subject, by, rotations);
  return () => requirePublisher(pins, { name: NAME, version, signature, isLocked });
}

describe("a version comes from its publisher", () => {
  test.each<[string, Pins, Offer]>([
    ["it is unsigned and nobody ever signed", NONE, {}],
    ["it is the first that is signed", NONE, { by: stranger }],
    ["the pinned key signed it", pinned, { by: first }],
    [
      "the pinned key named the new one as its successor",
      pinned,
      { by: second, rotations: [rotateKey(first, second.publisher)] },
    ],
    ["a person trusts the key for its scope", withTrustedScope(pinned, "@me", second.publisher), { by: second }],
    ["a person entered another key for the card", withTrustedCard(pinned, NAME, second.publisher), { by: second }],
    [
      "the scope's key named the new one as its successor",
      scoped,
      { by: second, rotations: [rotateKey(first, second.publisher)] },
    ],
    ["a lock has it, and a key signed it that was given up since", rotated, { by: first, isLocked: true }],
    ["a lock has it, and it is older than the first signature", pinned, { version: "1.0.0", isLocked: true }],
  ])("where %s", (_, pins, offered) => {
    expect(offer(pins, offered)).not.toThrow();
  });

  test.each<[string, Pins, Offer, string]>([
    ["unsigned, after a signed one", pinned, {}, "DRWN_SIGNATURE_MISSING"],
    [
      "unsigned and lower than the first signed one, without a lock",
      pinned,
      { version: "1.0.0" },
      "DRWN_SIGNATURE_MISSING",
    ],
    ["unsigned and locked, after a signed one", pinned, { isLocked: true }, "DRWN_SIGNATURE_MISSING"],
    ["unsigned, in a scope with a trusted key", scoped, {}, "DRWN_SIGNATURE_MISSING"],
    ["signed by a stranger", pinned, { by: stranger }, "DRWN_SIGNATURE_FOREIGN"],
    ["signed by a stranger and locked", pinned, { by: stranger, isLocked: true }, "DRWN_SIGNATURE_FOREIGN"],
    ["signed by a stranger, in a scope with a trusted key", scoped, { by: stranger }, "DRWN_SIGNATURE_FOREIGN"],
    ["signed with a key that was given up", rotated, { by: first }, "DRWN_SIGNATURE_FOREIGN"],
    [
      "signed by a successor of a key that was given up",
      rotated,
      { by: stranger, rotations: [rotateKey(first, stranger.publisher)] },
      "DRWN_SIGNATURE_FOREIGN",
    ],
    [
      "signed by a successor of a stranger's key",
      pinned,
      { by: second, rotations: [rotateKey(stranger, second.publisher)] },
      "DRWN_SIGNATURE_FOREIGN",
    ],
  ])("and stops where it is %s", async (_, pins, offered, code) => {
    const problem = await problemOf(offer(pins, offered));
    expect(problem.code).toBe(code);
    expect(textOf(problem)).toContain("ed25519:");
    expect(problem.hint).toBeTruthy();
  });
});

describe("pins", () => {
  test("keep the first key, the keys that were given up, and the lowest signed version", () => {
    expect(rotated.cards[NAME]).toEqual({ key: second.publisher, former: [first.publisher], version: "1.1.0" });
    const lower = withPublisher(rotated, { name: NAME, version: "0.1.0", publisher: second.publisher });
    expect(lower.cards[NAME]?.version).toBe("0.1.0");
  });

  test("do not go back to a key that was given up", () => {
    expect(withPublisher(rotated, { name: NAME, version: "1.4.0", publisher: first.publisher })).toEqual(rotated);
  });

  test("go back to it at a person's word", () => {
    const back = withTrustedCard(rotated, NAME, first.publisher);
    expect(back.cards[NAME]).toMatchObject({ key: first.publisher, former: [second.publisher] });
  });
});
