import {
  isSignedBy,
  publisherKeyText,
  type SigningKey,
  signatureText,
  signParts,
} from "../../card/signing/publisher-key.ts";
import { instantText } from "../../format/schema.ts";
import * as z from "../../format/zod.ts";
import { sortedBy } from "../../kernel/order.ts";
import { Problem } from "../../kernel/problem.ts";
import { type PortableConsent, portableConsentSchema } from "./portable-consent.ts";

const DOMAIN = "drwn-consents-1";

export const signedConsentsSchema = z.strictObject({
  version: z.literal(1),
  signer: publisherKeyText,
  /** The repository that they are for, and below, the project's folder in it. */
  repository: z.string(),
  folder: z.string(),
  signedAt: instantText,
  consents: z.array(portableConsentSchema),
  signature: signatureText,
});

/** Consents for one project, signed by somebody whose signature a machine may have been told to accept. */
export type SignedConsents = z.infer<typeof signedConsentsSchema>;

interface Subject {
  repository: string;
  folder: string;
  signedAt: string;
  consents: readonly PortableConsent[];
}

export function signConsents(subject: Subject, key: SigningKey): SignedConsents {
  const { repository, folder, signedAt } = subject;
  const consents = portableConsentSchema.array().parse(subject.consents);
  const signature = signParts(partsOf(subject), key);
  return { version: 1, signer: key.publisher, repository, folder, signedAt, consents, signature };
}

/** Refuses a signature unless it is over exactly these consents, for exactly this project. */
export function requireSigned(
  signed: SignedConsents,
  place: { repositories: readonly string[]; folder: string },
): void {
  if (!isSignedBy(signed.signer, partsOf(signed), signed.signature)) {
    throw new Problem(
      "DRWN_SIGNATURE_INVALID",
      "the signature on this project's consents does not match their contents",
      {
        details: [`signer: ${signed.signer}`],
        hint: "ask who signed them; nothing was accepted",
      },
    );
  }
  if (place.repositories.includes(signed.repository) && signed.folder === place.folder) return;
  throw new Problem("DRWN_CONSENT_MISMATCH", "these consents were signed for another project", {
    details: [
      `signed for: ${signed.repository}, folder "${signed.folder}"`,
      ...place.repositories.map((repository) => `this is: ${repository}, folder "${place.folder}"`),
    ],
    hint: "ask who signed them; nothing was accepted",
  });
}

/** Every field of every consent, in a fixed order: the signature covers what a file says, not its layout. */
function partsOf({ repository, folder, signedAt, consents }: Subject): string[] {
  return [DOMAIN, repository, folder, signedAt, ...consents.map((consent) => JSON.stringify(valuesOf(consent)))];
}

function valuesOf(one: PortableConsent): unknown[] {
  const { card, source, publisher, range, version, tree, mode, hooks, askFallback, expiresAt, onYank, runtimes } = one;
  const values = [card, source, publisher, range, version, tree, mode, hooks, askFallback, expiresAt, onYank, runtimes];
  // Consents from before drwn had skills, or options, have no such field.
  const skills = one.skills === undefined ? [] : [sortedBy(Object.entries(one.skills), ([name]) => name)];
  const options = one.options === undefined ? [] : [{ options: sortedOptions(one.options) }];
  return [...values, ...skills, ...options];
}

function sortedOptions(options: NonNullable<PortableConsent["options"]>): unknown {
  const byHook = Object.entries(options).map(
    ([hook, values]) => [hook, sortedBy(Object.entries(values), ([name]) => name)] as const,
  );
  return sortedBy(byHook, ([hook]) => hook);
}
