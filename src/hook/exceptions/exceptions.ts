import { constants, openSync as nodeOpenSync, statSync } from "node:fs";
import { hookLayout } from "../../contract/hook-layout.ts";
import {
  type Exception,
  factsText,
  type HookFacts,
  hasPassed,
  matchesWords,
  plainWords,
} from "../../contract/ledger.ts";
import { digestLate } from "../../hook-base/digest.ts";
import { encodeText, getField, isArray, newList, ownKeys, parseJson, quoteJson } from "../../hook-base/primordials.ts";
import type { StateLocation } from "../../hook-base/read-file.ts";
import { fieldOf, isRecord } from "../../hook-base/shape.ts";
import { writeWhole } from "../../hook-base/write.ts";
import type { EventText } from "../enter/event.ts";

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

/**
 * Identifies a call by its tool, its input and the folder. The order of the fields and the description beside a shell
 * command don't change the digest. Safe to call after policies ran.
 */
export function digestOfCall({ toolName, input, cwd }: EventText): string {
  const given: unknown = parseJson(input);
  const text = `${quoteJson(toolName)}${canonical(given, toolName === "Bash" ? "description" : null)}${quoteJson(cwd)}`;
  return digestLate(encodeText(text));
}

function canonical(value: unknown, leftOut: string | null): string {
  if (typeof value === "string") return quoteJson(value);
  if (typeof value !== "object" || value === null) return `${value as boolean | number | null}`;
  let text = "";
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) text = `${text},${canonical(value[i], null)}`;
    return `[${text}]`;
  }
  const names = sortedNames(value);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? "";
    if (name !== leftOut) text = `${text},${quoteJson(name)}:${canonical(getField(value, name), null)}`;
  }
  return `{${text}}`;
}

/** An insertion sort, because policies may have replaced the methods of lists. */
function sortedNames(value: object): string[] {
  const keys = ownKeys(value);
  const names = newList<string>(0, "");
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (names[at - 1] ?? "") > key; at--) names[at] = names[at - 1] ?? "";
    names[at] = key;
  }
  return names;
}
