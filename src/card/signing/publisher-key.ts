import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";
import * as z from "../../kernel/format/zod.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

/** A publisher, in locks and grants. The 32 bytes of an Ed25519 public key are short enough to need no fingerprint. */
export type PublisherKey = `ed25519:${string}`;

/** A publisher's secret key, with the public one. */
export interface SigningKey {
  publisher: PublisherKey;
  /** base64url of the 32 secret bytes. */
  secret: string;
}

const PREFIX = "ed25519:";
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

export const publisherKeyText = z.templateLiteral([PREFIX, z.string().regex(/^[\w-]{43}$/u)]);
export const signatureText = z.string().regex(/^[\w-]{86}$/u, { error: "a signature, 86 characters of base64url" });
export const secretText = z.string().regex(/^[\w-]{43}$/u, { error: "a secret key, 43 characters of base64url" });

export function isPublisherKey(text: string): text is PublisherKey {
  return text.startsWith(PREFIX) && decode(text.slice(PREFIX.length), KEY_BYTES) !== undefined;
}

export function parsePublisherKey(text: string): PublisherKey {
  if (isPublisherKey(text)) return text;
  throw new Problem("DRWN_KEY_INVALID", `\`${clean(text, 80)}\` isn't a publisher key`, {
    details: ["expected: ed25519: and 43 characters, as `drwn key list` prints it"],
  });
}

/**
 * A new pair. Node encodes it right away: exporting a key object later can hang on Node 20, where a garbage collection
 * during the export takes the lock that the export holds.
 */
export function makeSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "der" },
  });
  return { publisher: `${PREFIX}${lastBytes(publicKey)}`, secret: lastBytes(privateKey) };
}

/** Both encodings end with the bytes of the key (RFC 8410, sections 4 and 7). */
function lastBytes(der: Buffer): string {
  return der.subarray(-KEY_BYTES).toString("base64url");
}

/** Whether the secret key belongs to the public one: nobody could verify the signatures of a mismatched pair. */
export function isPair({ publisher, secret }: SigningKey): boolean {
  if (!isPublisherKey(publisher)) return false;
  const bytes = decode(secret, KEY_BYTES);
  if (bytes === undefined) return false;
  const { x = "" } = createPublicKey(privateKeyOf({ publisher, secret })).export({ format: "jwk" });
  const [derived, stated] = [Buffer.from(x, "base64url"), Buffer.from(publisher.slice(PREFIX.length), "base64url")];
  return derived.length === stated.length && timingSafeEqual(derived, stated);
}

/** Signs the parts in order, each with its length in front, so that no two lists of parts give the same bytes. */
export function signParts(parts: readonly string[], key: SigningKey): string {
  return sign(null, encodeParts(parts), privateKeyOf(key)).toString("base64url");
}

export function isSignedBy(publisher: string, parts: readonly string[], signature: string): boolean {
  const bytes = decode(signature, SIGNATURE_BYTES);
  if (bytes === undefined || !isPublisherKey(publisher)) return false;
  return verify(null, encodeParts(parts), publicKeyOf(publisher), bytes);
}

/** Number of parts, then length and bytes of each (the numbers as 64-bit little-endian): pre-authentication encoding. */
export function encodeParts(parts: readonly string[]): Buffer {
  const blocks = parts.flatMap((part) => {
    const bytes = Buffer.from(part);
    return [encodeNumber(bytes.length), bytes];
  });
  return Buffer.concat([encodeNumber(parts.length), ...blocks]);
}

function encodeNumber(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(number));
  return bytes;
}

function publicKeyOf(publisher: PublisherKey): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publisher.slice(PREFIX.length) }, format: "jwk" });
}

function privateKeyOf({ publisher, secret }: SigningKey): KeyObject {
  const key = { kty: "OKP", crv: "Ed25519", x: publisher.slice(PREFIX.length), d: secret };
  return createPrivateKey({ key, format: "jwk" });
}

/** The bytes, if the text is their canonical encoding. */
function decode(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.length === length && bytes.toString("base64url") === text ? bytes : undefined;
}
