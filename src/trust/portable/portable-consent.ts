import { optionValuesSchema } from "../../card/options.ts";
import { publisherKeyText } from "../../card/signing/publisher-key.ts";
import { DRWN_ITSELF, type Grant, MODES, type Terms } from "../../contract/ledger.ts";
import type { OptionValues } from "../../contract/options.ts";
import { instantText, treeText } from "../../format/schema.ts";
import * as z from "../../format/zod.ts";
import { AGENT_IDS } from "../../policy/event.ts";

export const portableConsentSchema = z.strictObject({
  card: z.string(),
  source: z.string(),
  publisher: publisherKeyText.nullable(),
  range: z.string(),
  version: z.string(),
  tree: treeText,
  skills: z.record(z.string(), treeText).exactOptional(),
  options: optionValuesSchema.exactOptional(),
  mode: z.enum(MODES),
  hooks: z.array(z.string()).nullable(),
  askFallback: z.enum(["allow", "deny"]),
  expiresAt: instantText.nullable(),
  onYank: z.enum(["keep", "stand-down"]),
  runtimes: z.array(z.enum(AGENT_IDS)).min(1).nullable(),
});

/** A consent in the form in which it goes to another machine: to exactly one content of one card, under its terms. */
export interface PortableConsent extends Terms {
  card: string;
  source: string;
  publisher: string | null;
  range: string;
  version: string;
  /**
   * Digest of the content that was approved. A card with another digest is another card, whatever its name and version.
   */
  tree: string;
  /** For each skill that is code, by name: the digest of its files; absent: nobody consented to any. */
  skills?: Record<string, string>;
  /** The values of the options, by hook; absent: as the card declares them. */
  options?: Record<string, OptionValues>;
}

/** The part of a grant that another machine can use: the content that was approved last, which is the one in force. */
export function toPortable(grant: Grant): PortableConsent | undefined {
  const approval = grant.approved.at(-1);
  if (approval === undefined || grant.revokedAt !== null) return undefined;
  const { card, source, range, options, mode, hooks, askFallback, expiresAt, onYank, runtimes } = grant;
  const { cardVersion: version, tree, publisher, skills } = approval;
  const terms = { mode, hooks, askFallback, expiresAt, onYank, runtimes };
  const more = { ...(skills === undefined ? {} : { skills }), ...(options === undefined ? {} : { options }) };
  return {
    card,
    source,
    publisher: publisher === DRWN_ITSELF ? null : publisher,
    range,
    version,
    tree,
    ...terms,
    ...more,
  };
}
