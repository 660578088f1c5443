import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { Endorsement, RegistrySignature } from "../registry/registry.ts";

/** One check that passed. */
export interface PassedCheck {
  check: "tarball" | "contents" | "index" | "signature" | "publisher" | "registry" | "store" | "lock";
  /** What drwn compared. */
  message: string;
}

/**
 * A registry that signs and hands out its keys must have signed this version with one of them. If there are no keys,
 * nothing was verified, so no check has passed.
 */
export function checkEndorsement(spec: string, registry: string, endorsed: Endorsement | undefined): PassedCheck[] {
  if (endorsed === undefined || endorsed.keys === null || endorsed.keys === 0) return [];
  const { signatures, keys } = endorsed;
  const bad = signatures.find(({ state }) => state !== "valid");
  if (bad !== undefined) throw refused(spec, registry, bad);
  if (signatures.length === 0) {
    throw new Problem(
      "DRWN_SIGNATURE_MISSING",
      `${registry} hands out ${keys} of its keys but has not signed ${spec}`,
      {
        hint: "ask who runs the registry, or who mirrors it",
      },
    );
  }
  const signers = signatures.map(({ keyid }) => clean(keyid, 100)).join(", ");
  return [{ check: "registry", message: `its registry has signed name, version and tarball with its key ${signers}` }];
}

/** What the registry says that drwn hasn't verified, in words that promise no more. */
export function describeUnverified(endorsed: Endorsement | null | undefined): string[] {
  if (endorsed === null || endorsed === undefined) return [];
  const { signatures, keys, provenance } = endorsed;
  const keyids = signatures.map(({ keyid }) => clean(keyid, 100)).join(", ");
  const isWithoutKeys = signatures.length > 0 && (keys === null || keys === 0);
  return [
    ...(isWithoutKeys
      ? [`the registry's signature with ${keyids}: the registry hands out no key to verify it with`]
      : []),
    ...(provenance === null
      ? []
      : [
          `provenance (${clean(provenance.predicateType ?? "of no type", 100)}): drwn does not verify it; it is at ${clean(provenance.url, 300)}`,
        ]),
  ];
}

const REASONS: Readonly<Record<Exclude<RegistrySignature["state"], "valid">, string>> = {
  invalid: "it does not match this name, version and tarball",
  expired: "its key had expired when the version was published",
  unknown: "its key is not among those that the registry hands out",
};

function refused(spec: string, registry: string, { keyid, state }: RegistrySignature): Problem {
  return new Problem("DRWN_SIGNATURE_INVALID", `the signature of ${registry} on ${spec} is not valid`, {
    details: [`key: ${clean(keyid, 100)}`, ...(state === "valid" ? [] : [REASONS[state]])],
    hint: "do not use it; ask who runs the registry",
  });
}
