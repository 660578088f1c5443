import { hash, timingSafeEqual } from "node:crypto";

/** `sha256-` followed by 64 lower-case hex digits. It also serves as a file name. */
export type Digest = `sha256-${string}`;

/** Subresource-integrity form, as npm writes it: `sha512-` followed by base64. */
export type Integrity = `sha512-${string}`;

export function digestOf(bytes: string | Uint8Array): Digest {
  return `sha256-${hash("sha256", bytes, "hex")}`;
}

export function integrityOf(bytes: string | Uint8Array): Integrity {
  return `sha512-${hash("sha512", bytes, "base64")}`;
}

export function isSameDigest(one: string, other: string): boolean {
  const left = Buffer.from(one);
  const right = Buffer.from(other);
  return left.length === right.length && timingSafeEqual(left, right);
}
