import { integrityOf, isSameDigest } from "../kernel/digest.ts";
import { Problem } from "../kernel/problem.ts";
import type { PublishedVersion } from "./registry.ts";

interface ReceivedTarball {
  published: Pick<PublishedVersion, "integrity" | "name" | "version">;
  /** Undefined: there was nothing. */
  bytes: Buffer | undefined;
  /** Where drwn looked for it, in words for a person. */
  place: string;
  /** What to do if it is another one. */
  hint?: string;
}

/** The bytes, if they are the published tarball; refuses anything else. */
export function requirePublished({ published, bytes, place, hint }: ReceivedTarball): Buffer {
  const { name, version, integrity } = published;
  if (bytes === undefined) {
    throw new Problem("DRWN_REGISTRY_INVALID", `the tarball of ${name}@${version} is missing`, {
      details: [`expected: ${place}`],
    });
  }
  const received = integrityOf(bytes);
  if (isSameDigest(received, integrity)) return bytes;
  throw new Problem("DRWN_INTEGRITY_MISMATCH", `the tarball of ${name}@${version} is not the one that was published`, {
    details: [`published: ${integrity}`, `received: ${received}`],
    ...(hint === undefined ? {} : { hint }),
  });
}
