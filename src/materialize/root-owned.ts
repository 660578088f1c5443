import { packageFile } from "../kernel/package-file.ts";
import { Problem } from "../kernel/problem.ts";
import { findNotOwnedByRoot, findNotOwnedByRootOrLinked, type NotOwnedByRoot } from "../kernel/root-ownership.ts";
import { clean, shellQuote } from "../kernel/text.ts";

/** Refuses a file of root's that others could replace, or that is behind a link. */
export function requireRootOwnedFile(file: string): void {
  const found = findNotOwnedByRootOrLinked(file);
  if (found !== null)
    throw unsafe(found, `root's own settings belong in ${file}`, `see whose ${shellQuote(found.file)} is, and fix it`);
}

/** Refuses a Node that a user could replace: it decides every call. */
export function requireRootOwnedNode(node: string): void {
  const found = findNotOwnedByRoot(node);
  if (found === null) return;
  const hint =
    "install Node as root, as your system's packages do, then: sudo drwn write --system --node /usr/bin/node";
  throw unsafe(found, `the hook would be started with ${clean(node, 1000)}`, hint);
}

/** Refuses to copy drwn's programs if a user could have changed them. */
export function requireRootOwnedPackage(): void {
  const found = findNotOwnedByRoot(packageFile("dist/runtime/hook.cjs"));
  if (found === null) return;
  throw unsafe(
    found,
    "drwn's own programs would be copied from there",
    "install drwn as root, into a folder of root's, and run that one",
  );
}

function unsafe({ file, fault }: NotOwnedByRoot, detail: string, hint: string): Problem {
  return new Problem("DRWN_SYSTEM_UNSAFE", `${clean(file, 1000)} ${fault}`, { details: [detail], hint });
}
