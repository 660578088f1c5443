import { scopeOf } from "../../card/name.ts";
import { type PublisherKey, publisherKeyText } from "../../card/signing/publisher-key.ts";
import { layout } from "../../contract/layout.ts";
import { readFormatIfThere } from "../../format/read.ts";
import { formatJson } from "../../format/write.ts";
import * as z from "../../format/zod.ts";
import { writeNoted } from "../../kernel/atomic.ts";

/** Maps `@scope` or `@scope/name` to the keys that may consent to its hooks on this machine. */
export const signersShape = z.record(z.string(), z.array(publisherKeyText));

const schema = z.strictObject({ version: z.literal(1), signers: signersShape });

/**
 * Whose signed consents this machine accepts, and for which cards. That isn't the same as trust in a publisher's key:
 * that lets cards in, this lets their hooks run.
 */
export type Signers = z.infer<typeof signersShape>;

export function readSigners(home: string): Signers {
  return readFormatIfThere(layout.signers(home), schema)?.signers ?? {};
}

/** `note`: see `writeNoted`. */
export function writeSigners(home: string, signers: Signers, note: () => void): void {
  writeNoted({ file: layout.signers(home), content: formatJson({ version: 1, signers }), mode: 0o600, note });
}

export function withSigner(signers: Signers, subject: string, key: PublisherKey): Signers {
  const known = Object.hasOwn(signers, subject) ? (signers[subject] ?? []) : [];
  return known.includes(key) ? signers : { ...signers, [subject]: [...known, key] };
}

/** Without these keys; drops a subject that has none left. */
export function withoutSigners(signers: Signers, subject: string, keys: readonly PublisherKey[]): Signers {
  const { [subject]: known = [], ...others } = signers;
  const left = known.filter((key) => !keys.includes(key));
  return left.length === 0 ? others : { ...others, [subject]: left };
}

export function isSignerOf(signers: Signers, card: string, key: string): boolean {
  return [card, scopeOf(card)].some(
    (subject) => Object.hasOwn(signers, subject) && signers[subject]?.some((one) => one === key) === true,
  );
}
