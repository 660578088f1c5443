import { clean } from "../../kernel/text.ts";
import type { Endorsement, RegistrySignature } from "../../registry/registry.ts";

/**
 * What an npm registry itself vouches for about a version, in words that promise no more; `width` is that of the
 * titles.
 */
export function renderEndorsement(endorsement: Endorsement | null, width: number): string[] {
  if (endorsement === null) return [];
  const { signatures, provenance } = endorsement;
  const line = (title: string, text: string) => `  ${title.padEnd(width)} ${text}`;
  return [
    ...signatures.map(({ keyid, state }) => line("registry", `${SIGNATURE_SAYS[state]} ${clean(keyid, 100)}`)),
    ...(provenance === null
      ? []
      : [
          line(
            "provenance",
            `${clean(provenance.predicateType ?? "of no type", 100)}, not verified by drwn: ${clean(provenance.url, 300)}`,
          ),
        ]),
  ];
}

const SIGNATURE_SAYS: Readonly<Record<RegistrySignature["state"], string>> = {
  valid: "signed with its key",
  invalid: "has an invalid signature, with its key",
  expired: "signed with a key that had expired:",
  unknown: "signed, not verified, since its key is missing",
};
