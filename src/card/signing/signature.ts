import { formatJson } from "../../kernel/format/json.ts";
import { parseFormat } from "../../kernel/format/read.ts";
import * as z from "../../kernel/format/zod.ts";
import { Problem } from "../../kernel/problem.ts";
import type { CardFiles } from "../files.ts";
import {
  isSignedBy,
  type PublisherKey,
  publisherKeyText,
  type SigningKey,
  signatureText,
  signParts,
} from "./publisher-key.ts";

/** It is beside the files of a packed card, but not one of them, since it signs their digest. */
export const SIGNATURE_FILE = "drwn.signature.json";

const DOMAIN = "drwn-card-1";

/** No publisher changes keys more often in a lifetime. */
const MOST_ROTATIONS = 50;

export const rotationsSchema = z
  .array(z.strictObject({ from: publisherKeyText, to: publisherKeyText, signature: signatureText }))
  .max(MOST_ROTATIONS);

const schema = z.strictObject({
  signatureVersion: z.literal(1),
  publisher: publisherKeyText,
  signature: signatureText,
  rotations: rotationsSchema,
});

/** A publisher's signature, and the key that made it. */
export interface CardSignature {
  signatureVersion: 1;
  publisher: PublisherKey;
  /** base64url, over the card's name, version and tree digest. */
  signature: string;
  /** Every key that this one replaced, the oldest first. */
  rotations: Rotation[];
}

/** What a signature covers. With only the tree, somebody could hand it out under another name. */
export interface SignedSubject {
  name: string;
  version: string;
  tree: string;
}

export function signCard(subject: SignedSubject, key: SigningKey, rotations: readonly Rotation[]): CardSignature {
  const signature = signParts(partsOf(subject), key);
  return { signatureVersion: 1, publisher: key.publisher, signature, rotations: [...rotations] };
}

export function printSignature(signature: CardSignature): string {
  return formatJson(signature);
}

/** The signature in these files, which must be valid and of exactly this card; null if there is none. */
export function readSignature(files: CardFiles, subject: SignedSubject): CardSignature | null {
  const bytes = files.get(SIGNATURE_FILE);
  return bytes === undefined ? null : parseSignature(bytes, subject, SIGNATURE_FILE);
}

/** `file`: what messages call it. */
export function parseSignature(bytes: Uint8Array, subject: SignedSubject, file: string): CardSignature {
  const signature = parseFormat(bytes, schema, { file });
  const { name, version } = subject;
  if (!isSignedBy(signature.publisher, partsOf(subject), signature.signature)) {
    throw new Problem("DRWN_SIGNATURE_INVALID", `the signature of ${name}@${version} does not belong to its contents`, {
      details: [`publisher: ${signature.publisher}`, `contents: ${subject.tree}`],
      hint: "do not use it; ask its publisher, and find out who changed it",
    });
  }
  if (!isRotationChain(signature.rotations, signature.publisher)) {
    throw new Problem("DRWN_SIGNATURE_INVALID", `${name}@${version} claims a change of keys that was not signed`, {
      details: [`publisher: ${signature.publisher}`],
      hint: "do not use it; ask its publisher, and find out who changed it",
    });
  }
  return signature;
}

/** The files that the tree digest covers. */
export function withoutSignature(files: CardFiles): CardFiles {
  return new Map([...files].filter(([path]) => path !== SIGNATURE_FILE));
}

function partsOf({ name, version, tree }: SignedSubject): string[] {
  return [DOMAIN, name, version, tree];
}

const ROTATION_DOMAIN = "drwn-key-rotation-1";

/** A publisher's statement that one key replaces another, signed with the one that is replaced. */
export interface Rotation {
  from: PublisherKey;
  to: PublisherKey;
  signature: string;
}

export function rotateKey(from: SigningKey, to: PublisherKey): Rotation {
  return { from: from.publisher, to, signature: signParts([ROTATION_DOMAIN, from.publisher, to], from) };
}

/** Whether the replaced key signed each statement, each begins where the one before ended, and the last leads to `key`. */
export function isRotationChain(rotations: readonly Rotation[], key: PublisherKey): boolean {
  return rotations.every(({ from, to, signature }, at) => {
    const next = rotations[at + 1]?.from ?? key;
    return to === next && isSignedBy(from, [ROTATION_DOMAIN, from, to], signature);
  });
}
