import { constants, openSync as nodeOpenSync, statSync } from "node:fs";
import { factsText, matchesWords, plainWords } from "../../contract/exceptions.ts";
import { hookLayout } from "../../contract/hook-layout.ts";
import type { Exception } from "../../contract/ledger.ts";
import { type HookFacts, hasPassed } from "../../contract/ledger.ts";
import { ownKeys } from "../../hot/primordials.ts";
import type { StateLocation } from "../../hot/read-file.ts";
import { fieldOf, isRecord } from "../../hot/shape.ts";
import { writeWhole } from "../../hot/write.ts";
import type { EventText } from "../enter/event.ts";
import { digestOfCall } from "./call.ts";

// Taken before policies can replace it, because it is called after they ran.
const openSync = nodeOpenSync;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** The exceptions of a ledger that hold for this hook right now. */
export function currentExceptions(
  exceptions: readonly Exception[],
  { card, hook, facts }: { card: string; hook: string; facts: HookFacts },
  now: number,
): Exception[] {
  return exceptions.filter(
    (one) => one.card === card && one.hook === hook && !hasPassed(one.expiresAt, now) && one.facts === factsText(facts),
  );
}

/** The exception that would let this call past a hook; null: there is none. Nothing is used up. */
export function findException(
  place: StateLocation,
  exceptions: readonly Exception[],
  event: EventText,
): Exception | null {
  return exceptions.find((one) => isAbout(one, event) && !(one.isOnce && hasUses(place, one))) ?? null;
}

function isAbout({ call, like, session }: Exception, event: EventText): boolean {
  if (session !== null && session !== event.session) return false;
  if (like === null) return call === digestOfCall(event);
  if (event.toolName !== "Bash" || event.cwd !== like.folder) return false;
  const given: unknown = JSON.parse(event.input);
  if (!isRecord(given) || !isPlainCall(given)) return false;
  const command = fieldOf(given, "command");
  const words = typeof command === "string" ? plainWords(command) : null;
  return words !== null && matchesWords(like.words, words);
}

/**
 * A pattern only covers the words of a command, not a folder, an environment or rights that an agent asks for beside
 * them.
 */
function isPlainCall(given: object): boolean {
  const names = ownKeys(given);
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const isAboutWords = name === "command" || name === "description";
    if (!isAboutWords && name !== "timeout" && name !== "timeout_ms" && name !== "run_in_background") return false;
  }
  return true;
}

function hasUses({ home, key }: StateLocation, { id }: Exception): boolean {
  return statSync(hookLayout.exceptionUses(home, key, id), { throwIfNoEntry: false }) !== undefined;
}

/**
 * Notes that the exception lets a call through; the size of its file is the count. If two calls at once use an
 * exception that holds once, only one of them can create the file. False: the exception is used up, or its use cannot
 * be noted, and the call stays denied.
 */
export function useException({ home, key }: StateLocation, { id, isOnce }: Exception): boolean {
  try {
    const once = isOnce ? O_EXCL : O_APPEND;
    const fd = openSync(hookLayout.exceptionUses(home, key, id), O_WRONLY | O_CREAT | O_NOFOLLOW | once, 0o600);
    return writeWhole(fd, ".");
  } catch {
    return false;
  }
}
