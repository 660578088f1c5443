import { createPublicKey, type KeyObject, verify } from "node:crypto";
import * as z from "../../format/zod.ts";
import { isProblem } from "../../kernel/problem.ts";
import type { Http } from "../http/http.ts";
import { parseAnswer } from "../http/parse-answer.ts";
import type { Endorsement, RegistrySignature } from "../registry.ts";
import type { NpmVersion } from "./packument.ts";

const KEYS_BYTES = 1024 * 1024;

const keySchema = z.object({
  keyid: z.string(),
  keytype: z.literal("ecdsa-sha2-nistp256"),
  key: z.string(),
  expires: z.string().nullable().default(null),
});

const answerSchema = z.looseObject({ keys: z.array(z.unknown()) });

/** A key with which a registry signs. */
interface RegistryKey {
  keyid: string;
  key: KeyObject;
  expires: string | null;
}

/**
 * How the registry vouches for the version: its signatures, verified with the keys that it hands out itself, and where
 * its statements about the build are. A key from the same place proves that nobody else changed the registry's list; it
 * says nothing about who published.
 */
export async function readEndorsement(http: Http, base: string, version: NpmVersion): Promise<Endorsement> {
  const { dist } = version;
  const keys = await readKeys(http, base);
  return {
    signatures: dist.signatures.map(({ keyid, sig }) => ({ keyid, state: judge(version, { keyid, sig }, keys ?? []) })),
    keys: keys?.length ?? null,
    provenance:
      dist.attestations === undefined
        ? null
        : { predicateType: dist.attestations.provenance?.predicateType ?? null, url: dist.attestations.url },
  };
}

function judge(
  { name, version, publishedAt, dist }: NpmVersion,
  { keyid, sig }: { keyid: string; sig: string },
  keys: readonly RegistryKey[],
): RegistrySignature["state"] {
  const known = keys.find((key) => key.keyid === keyid);
  if (known === undefined) return "unknown";
  const signed = Buffer.from(`${name}@${version}:${dist.integrity}`);
  if (!verify("sha256", signed, known.key, Buffer.from(sig, "base64"))) return "invalid";
  const isLate = known.expires !== null && !(Date.parse(publishedAt) < Date.parse(known.expires));
  return isLate ? "expired" : "valid";
}

/** Undefined if the registry hands out none, like many. Skips keys of a kind that npm doesn't use. */
async function readKeys(http: Http, base: string): Promise<RegistryKey[] | undefined> {
  const from = `${base}-/npm/v1/keys`;
  try {
    const bytes = await http.get(from, { maximumBytes: KEYS_BYTES, accept: "application/json" });
    if (bytes === undefined) return undefined;
    const { keys } = parseAnswer(bytes, answerSchema, { from, maximumBytes: KEYS_BYTES });
    return keys.flatMap(readKey);
  } catch (error) {
    if (isProblem(error)) return undefined;
    throw error;
  }
}

function readKey(value: unknown): RegistryKey[] {
  const parsed = keySchema.safeParse(value);
  if (!parsed.success) return [];
  const { keyid, expires, key: text } = parsed.data;
  try {
    const key = createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? [{ keyid, key, expires }] : [];
  } catch {
    return [];
  }
}
