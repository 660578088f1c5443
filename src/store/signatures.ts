import fs from "node:fs";
import path from "node:path";
import { type CardSignature, parseSignature, printSignature, type SignedSubject } from "../card/signing/signature.ts";
import { layout } from "../contract/layout.ts";
import { readBounded } from "../format/read.ts";
import { drwn } from "../kernel/advice.ts";
import { writeAtomic } from "../kernel/atomic.ts";
import { Problem } from "../kernel/problem.ts";
import { readIfThere } from "../kernel/read-file.ts";

/**
 * Keeps a signature beside the store: it isn't part of the tree that it signs, and two publishers may have signed the
 * same tree. It needs no protection: every reader verifies it.
 */
export function keepSignature(home: string, tree: string, signature: CardSignature): void {
  const file = signatureFile(home, tree, signature.publisher);
  const text = printSignature(signature);
  if (readIfThere(file)?.toString() !== text) writeAtomic(file, text);
}

/** The kept signature of this publisher, verified again. Without it nobody knows that the card is the publisher's. */
export function readSignatureOf(home: string, subject: SignedSubject, publisher: string): CardSignature {
  const file = signatureFile(home, subject.tree, publisher);
  const bytes = readBounded(file);
  if (bytes !== undefined) {
    const signature = parseSignature(bytes, subject, file);
    if (signature.publisher === publisher) return signature;
  }
  const { name, version } = subject;
  throw new Problem("DRWN_SIGNATURE_MISSING", `the signature of ${name}@${version} is not on this machine`, {
    details: [`publisher: ${publisher}`],
    hint: drwn("install"),
  });
}

export function removeSignatures(home: string, tree: string): void {
  fs.rmSync(folderOf(home, tree), { recursive: true, force: true });
}

function folderOf(home: string, tree: string): string {
  return layout.signatures(home, path.basename(tree));
}

function signatureFile(home: string, tree: string, publisher: string): string {
  return path.join(folderOf(home, tree), `${path.basename(publisher.slice(publisher.indexOf(":") + 1))}.json`);
}
