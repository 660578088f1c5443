import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { Endorsement, RegistrySignature } from "../registry/registry.ts";

/** One thing that was looked at and found in order. */
export interface PassedCheck {
  check: "tarball" | "contents" | "index" | "signature" | "publisher" | "registry" | "store" | "lock";
  /** What was compared with what. */
  message: string;
}

/**
 * A registry that signs and hands out its keys must have signed this version, and with one of them. What it cannot verify
 * for want of keys isn't a check that passed.
 */
export function checkEndorsement(spec: string, registry: string, endorsed: Endorsement | undefined): PassedCheck[] {
  if (endorsed === undefined || endorsed.keys === null || endorsed.keys === 0) return [];
  const { signatures, keys } = endorsed;
  const bad = signatures.find(({ state }) => state !== "valid");
  if (bad !== undefined) throw refused(spec, registry, bad);
  if (signatures.length === 0) {
    throw new Problem(
      "DRWN_SIGNATURE_MISSING",
      `${registry} hands out ${keys} of its keys and has not signed ${spec}`,
      {
        hint: "ask who runs the registry, or who mirrors it",
      },
    );
  }
  const signers = signatures.map(({ keyid }) => clean(keyid, 100)).join(", ");
  return [{ check: "registry", message: `its registry has signed name, version and tarball with its key ${signers}` }];
}

/** What the registry says and nobody has verified here, in words that do not promise more. */
export function describeUnverified(endorsed: Endorsement | null | undefined): string[] {
  if (endorsed === null || endorsed === undefined) return [];
  const { signatures, keys, provenance } = endorsed;
  const keyids = signatures.map(({ keyid }) => clean(keyid, 100)).join(", ");
  const isWithoutKeys = signatures.length > 0 && (keys === null || keys === 0);
  return [
    ...(isWithoutKeys
      ? [`the registry's signature with ${keyids}: the registry hands out no key to verify it by`]
      : []),
    ...(provenance === null
      ? []
      : [
          `provenance (${clean(provenance.predicateType ?? "of no type", 100)}): drwn does not verify it; it is at ${clean(provenance.url, 300)}`,
        ]),
  ];
}

const REASONS: Readonly<Record<Exclude<RegistrySignature["state"], "valid">, string>> = {
  invalid: "it is not one of this name, version and tarball",
  expired: "its key had expired when the version was published",
  unknown: "its key is not among those that the registry hands out",
};

function refused(spec: string, registry: string, { keyid, state }: RegistrySignature): Problem {
  return new Problem("DRWN_SIGNATURE_INVALID", `the signature of ${registry} on ${spec} does not hold`, {
    details: [`key: ${clean(keyid, 100)}`, ...(state === "valid" ? [] : [REASONS[state]])],
    hint: "do not use it; ask who runs the registry",
  });
}
