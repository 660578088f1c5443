import { integrityOf, isSameDigest } from "../kernel/digest.ts";
import { Problem } from "../kernel/problem.ts";
import type { PublishedVersion } from "./registry.ts";

interface ReceivedTarball {
  published: Pick<PublishedVersion, "integrity" | "name" | "version">;
  /** Undefined: there was nothing. */
  bytes: Buffer | undefined;
  /** Where it was looked for, as a person is to be told. */
  place: string;
  /** What to do about one that is another. */
  hint?: string;
}

/** The tarball of a version, which is the published one; everything else is refused. */
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
