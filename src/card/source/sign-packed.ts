import { integrityOf } from "../../kernel/digest.ts";
import { packTarball } from "../archive/tarball.ts";
import { type CardFiles, toCardFiles } from "../files.ts";
import type { SigningKey } from "../signing/publisher-key.ts";
import type { Rotation } from "../signing/rotation.ts";
import { type CardSignature, printSignature, SIGNATURE_FILE, signCard } from "../signing/signature.ts";
import type { PackedCard } from "./pack.ts";

/** The same card, with its publisher's signature in the tarball. The tree stays the same. */
export async function signPacked(
  card: PackedCard,
  { key, rotations }: { key: SigningKey; rotations: readonly Rotation[] },
): Promise<PackedCard> {
  const { name, version } = card.manifest;
  const signature = signCard({ name, version, tree: card.tree }, key, rotations);
  const tarball = await packSigned(card.files, signature);
  return { ...card, tarball, integrity: integrityOf(tarball), publisher: key.publisher };
}

/** The tarball of a card's files, with their signature; null: it isn't signed. */
export async function packSigned(files: CardFiles, signature: CardSignature | null): Promise<Buffer> {
  if (signature === null) return packTarball(files);
  return packTarball(toCardFiles([...files, [SIGNATURE_FILE, Buffer.from(printSignature(signature))]]));
}
