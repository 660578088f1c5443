import type { ProjectIdentity } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";

/** The path on the machine that the image becomes; other paths stay the same. */
export function pathInPlace({ image }: Pick<Host, "image">, file: string): string {
  return image !== undefined && file.startsWith(`${image.folder}/`) ? file.slice(image.folder.length) : file;
}

/** The identity that a ledger records for its folder. */
export function identityInPlace(host: Pick<Host, "image">, identity: ProjectIdentity): ProjectIdentity {
  return { ...identity, path: pathInPlace(host, identity.path) };
}
