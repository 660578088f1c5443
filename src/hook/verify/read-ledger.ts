import { lstatSync, type Stats } from "node:fs";
import { hookLayout } from "../../contract/hook-layout.ts";
import { EXCEPTION_ID, type Exception, LEDGER_VERSION, type Ledger } from "../../contract/ledger.ts";
import { isManagedHome } from "../../contract/scopes.ts";
import { decodeBytes, nodeProcess } from "../../hook-base/primordials.ts";
import { readBytes, type StateLocation } from "../../hook-base/read-file.ts";
import {
  type Checks,
  fieldOf,
  hasShape,
  isDigest,
  isListOf,
  isListOfTexts,
  isRecord,
  isText,
  isTextOrNull,
} from "../../hook-base/shape.ts";
import { isGrant, isInstantOrNull } from "./consent.ts";

/** The ledger, or what is wrong with it. */
export function loadLedger({ home, key }: StateLocation): Ledger | string {
  const describeUnsafe = unsafeIn(home);
  const folder = describeUnsafe(lstatSync(hookLayout.ledgers(home), { throwIfNoEntry: false }));
  if (folder !== undefined) return `is in a folder that ${folder}`;
  const file = hookLayout.ledger(home, key);
  const bytes = readBytes(file, describeUnsafe);
  if (typeof bytes === "string") return bytes === "missing" || bytes === "unreadable" ? `is ${bytes}` : bytes;
  const ledger = parseRecord(decodeBytes(bytes));
  const version = isRecord(ledger) ? fieldOf(ledger, "version") : undefined;
  if (typeof version === "number" && version !== LEDGER_VERSION) return ANOTHER_VERSION;
  return isLedger(ledger) ? ledger : "is malformed";
}

/** Whether a person's consent replaces a ledger with this fault; where others could have changed it, they look first. */
export function isReplaced(fault: string): boolean {
  return fault === "is missing" || fault === "is malformed" || fault === ANOTHER_VERSION;
}

const ANOTHER_VERSION = "was written by another version of drwn";

function isLedger(value: unknown): value is Ledger {
  if (!isRecord(value)) return false;
  const plan = fieldOf(value, "plan");
  return (
    fieldOf(value, "version") === LEDGER_VERSION &&
    (plan === null || isDigest(plan)) &&
    isInstantOrNull(fieldOf(value, "pausedUntil")) &&
    isListOf(fieldOf(value, "grants"), isGrant) &&
    isListOf(fieldOf(value, "exceptions") ?? [], isException)
  );
}

function isException(value: unknown): value is Exception {
  return isRecord(value) && hasShape(value, EXCEPTION);
}

const EXCEPTION: Checks<Omit<Exception, "reason" | "at">> = {
  id: (value) => isText(value) && EXCEPTION_ID.test(value),
  card: isText,
  hook: isText,
  facts: isText,
  call: isTextOrNull,
  like: (value) =>
    value === null || (isRecord(value) && isText(fieldOf(value, "folder")) && isListOfTexts(fieldOf(value, "words"))),
  isOnce: (value) => typeof value === "boolean",
  session: isTextOrNull,
  expiresAt: isInstantOrNull,
};

/** Parses a file's JSON; returns a string if it isn't JSON. */
export function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return "malformed";
  }
}

/**
 * What would let somebody else decide the content of a file or folder; undefined: nothing. Files in the system's home
 * must be root's.
 */
function unsafeIn(home: string): (stat: Stats | undefined) => string | undefined {
  const owner = isManagedHome(home) ? 0 : nodeProcess.getuid?.();
  return (stat) => {
    if (stat === undefined) return undefined;
    if (stat.isSymbolicLink()) return "is a symbolic link";
    if (owner !== undefined && stat.uid !== owner) return "belongs to another user";
    return (stat.mode & 0o022) === 0 ? undefined : "can be changed by other users";
  };
}

/**
 * For files known by their digest. Their owner only matters in the system's home, where root alone decides what users
 * read and run.
 */
export function refusalIn(home: string): ((stat: Stats) => string | undefined) | undefined {
  return isManagedHome(home) ? unsafeIn(home) : undefined;
}
