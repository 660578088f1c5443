import * as z from "../../format/zod.ts";
import {
  isSignedBy,
  type PublisherKey,
  publisherKeyText,
  type SigningKey,
  signatureText,
  signParts,
} from "./publisher-key.ts";

const DOMAIN = "drwn-key-rotation-1";
/** No publisher changes keys more often in a lifetime. */
const MOST_ROTATIONS = 50;

export const rotationsSchema = z
  .array(z.strictObject({ from: publisherKeyText, to: publisherKeyText, signature: signatureText }))
  .max(MOST_ROTATIONS);

/** A publisher's statement that one key replaces another, signed with the one that is replaced. */
export interface Rotation {
  from: PublisherKey;
  to: PublisherKey;
  signature: string;
}

export function rotateKey(from: SigningKey, to: PublisherKey): Rotation {
  return { from: from.publisher, to, signature: signParts([DOMAIN, from.publisher, to], from) };
}

/** Whether the replaced key signed each statement, each begins where the one before ended, and the last leads to `key`. */
export function isRotationChain(rotations: readonly Rotation[], key: PublisherKey): boolean {
  return rotations.every(({ from, to, signature }, at) => {
    const next = rotations[at + 1]?.from ?? key;
    return to === next && isSignedBy(from, [DOMAIN, from, to], signature);
  });
}
