import type { ProjectIdentity } from "../contract/ledger.ts";
import type { Host } from "../kernel/host.ts";

/** The path as the machine has it that the image becomes; every other path is as it is. */
export function pathInPlace({ image }: Pick<Host, "image">, file: string): string {
  return image !== undefined && file.startsWith(`${image.folder}/`) ? file.slice(image.folder.length) : file;
}

/** What a ledger says of the folder that it is for. */
export function identityInPlace(host: Pick<Host, "image">, identity: ProjectIdentity): ProjectIdentity {
  return { ...identity, path: pathInPlace(host, identity.path) };
}
