import { integrityOf } from "../kernel/digest.ts";
import { toCardFiles } from "./files.ts";
import type { PackedCard } from "./pack.ts";
import type { SigningKey } from "./publisher-key.ts";
import type { Rotation } from "./rotation.ts";
import { printSignature, SIGNATURE_FILE, signCard } from "./signature.ts";
import { packTarball } from "./tarball.ts";

/** The same card with its publisher's signature in the tarball. The tree stays what it was. */
export async function signPacked(
  card: PackedCard,
  { key, rotations }: { key: SigningKey; rotations: readonly Rotation[] },
): Promise<PackedCard> {
  const { name, version } = card.manifest;
  const signature = signCard({ name, version, tree: card.tree }, key, rotations);
  const signed = toCardFiles([...card.files, [SIGNATURE_FILE, Buffer.from(printSignature(signature))]]);
  const tarball = await packTarball(signed);
  return { ...card, tarball, integrity: integrityOf(tarball), publisher: key.publisher };
}
