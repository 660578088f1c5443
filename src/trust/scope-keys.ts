import fs from "node:fs";
import path from "node:path";
import {
  isPair,
  type PublisherKey,
  publisherKeyText,
  type SigningKey,
  secretText,
} from "../card/signing/publisher-key.ts";
import { isRotationChain, type Rotation, rotationsSchema } from "../card/signing/signature.ts";
import { layout } from "../contract/layout.ts";
import { listFolder, writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readFormat } from "../kernel/format/read.ts";
import { instantText } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

const SCOPE = /^@[a-z0-9][a-z0-9-]{0,38}$/u;

const schema = z.strictObject({
  keyVersion: z.literal(1),
  scope: z.string().regex(SCOPE, { error: "a scope, like @me" }),
  publisher: publisherKeyText,
  secret: secretText,
  createdAt: instantText,
  rotations: rotationsSchema,
});

/** The key with which this user signs the cards of one scope. */
export interface ScopeKey {
  scope: string;
  key: SigningKey;
  /** ISO 8601 */
  createdAt: string;
  /** The keys that it replaced, the oldest first; every signature carries them. */
  rotations: Rotation[];
}

/** What everybody may know about a key. */
export interface PublicKey {
  scope: string;
  publisher: PublisherKey;
  createdAt: string;
  replaces: PublisherKey[];
}

export function parseKeyScope(text: string): string {
  if (SCOPE.test(text)) return text;
  throw new Problem("DRWN_NAME_INVALID", `\`${clean(text, 80)}\` isn't a scope`, { details: ["expected: @scope"] });
}

/** Undefined when the scope has no key on this machine. */
export function readScopeKey(home: string, scope: string): ScopeKey | undefined {
  const file = layout.ownKey(home, parseKeyScope(scope));
  return fs.lstatSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readKeyFile(file);
}

/** The public part alone; null if there is none, or if nobody could sign with the file. */
export function readScopePublisher(home: string, scope: string): PublisherKey | null {
  try {
    return readScopeKey(home, scope)?.key.publisher ?? null;
  } catch (error) {
    if (isProblem(error)) return null;
    throw error;
  }
}

/** Reads a key file, as `key new` makes it and `key list --secret` prints it. */
export function readKeyFile(file: string): ScopeKey {
  refuseOpenFile(file);
  const { scope, publisher, secret, createdAt, rotations } = readFormat(file, schema);
  const key = { publisher, secret };
  if (isPair(key) && isRotationChain(rotations, publisher)) return { scope, key, createdAt, rotations };
  throw new Problem("DRWN_KEY_INVALID", `${clean(file)} holds a secret key that does not belong to its public one`, {
    hint: "restore it from a backup",
  });
}

export function writeScopeKey(home: string, own: ScopeKey): void {
  const folder = layout.ownKeys(home);
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = layout.ownKey(home, own.scope);
  writeAtomic(file, printKey(own), 0o600);
}

export function printKey({ scope, key, createdAt, rotations }: ScopeKey): string {
  return formatJson({ keyVersion: 1, scope, ...key, createdAt, rotations });
}

export function toPublic({ scope, key, createdAt, rotations }: ScopeKey): PublicKey {
  return { scope, publisher: key.publisher, createdAt, replaces: rotations.map(({ from }) => from) };
}

export function listScopeKeys(home: string): ScopeKey[] {
  const folder = layout.ownKeys(home);
  return listFolder(folder)
    .filter((name) => name.endsWith(".json") && SCOPE.test(name.slice(0, -".json".length)))
    .map((name) => readKeyFile(path.join(folder, name)));
}

/** A secret that others can read is not a secret. */
function refuseOpenFile(file: string): void {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new Problem("DRWN_KEY_MISSING", `there is no key in ${clean(file)}`);
  // The hint below would have somebody change the mode of a device.
  if (!stat.isFile()) throw new Problem("DRWN_KEY_INVALID", `${clean(file)} is not a regular file, so it holds no key`);
  if ((stat.mode & 0o077) === 0 && stat.uid === (process.getuid?.() ?? stat.uid)) return;
  throw new Problem(
    "DRWN_KEY_INVALID",
    `${clean(file)} holds a secret key, but others can read it or it is not yours`,
    {
      hint: `if nobody has read it: chmod 600 '${clean(file)}'`,
    },
  );
}
