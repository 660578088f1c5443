import { isCardName } from "../../card/name.ts";
import { type PublisherKey, parsePublisherKey } from "../../card/signing/publisher-key.ts";
import { layout } from "../../contract/layout.ts";
import type { Host } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { Problem } from "../../kernel/problem.ts";
import { keysOfScope, type Pins, pinOf, readPins, withoutPin, withoutScope, writePins } from "../../trust/keys/pins.ts";
import { parseKeyScope } from "../../trust/keys/scope-keys.ts";
import { requirePerson } from "../../workspace/require-person.ts";

export interface ForgetRequest {
  /** `@scope/name`: what was pinned for the card; `@scope`: what was entered for the scope. */
  for: string;
  /** Only this one of a scope's keys. */
  key: string | null;
}

export interface ForgottenKeys {
  for: string;
  forgotten: PublisherKey[];
  /** Keys that still apply to a card of this name: those of its scope. */
  remaining: PublisherKey[];
}

/** What `forgetKey` would forget; a problem if there is nothing. */
export function findForgettable({ drwnHome: home }: Host, request: ForgetRequest): ForgottenKeys {
  return find(readPins(home), request).found;
}

/**
 * Forgets what this machine knows about a publisher, for example if somebody took over a card with its publisher's
 * agreement but without a statement of the former key. drwn pins the next key that the card comes with as if it were
 * the first.
 */
export async function forgetKey(host: Host, request: ForgetRequest): Promise<ForgottenKeys> {
  requirePerson(host, "forget whose key is trusted", `drwn key forget ${request.for}`);
  const { drwnHome: home } = host;
  return withLock(layout.lock(home, "keys"), () => {
    const { found, next } = find(readPins(home), request);
    writePins(home, next);
    return found;
  });
}

function find(pins: Pins, request: ForgetRequest): { found: ForgottenKeys; next: Pins } {
  if (isCardName(request.for) && request.key === null) return findCard(pins, request.for);
  const scope = parseKeyScope(request.for);
  const key = request.key === null ? null : parsePublisherKey(request.key);
  return { found: pick(pins.scopes, scope, key), next: withoutScope(pins, scope, key) };
}

/** One of the keys that are known for the subject; null: all of them. */
function pick(
  keys: Readonly<Record<string, readonly PublisherKey[]>>,
  subject: string,
  key: PublisherKey | null,
): ForgottenKeys {
  const known = Object.hasOwn(keys, subject) ? (keys[subject] ?? []) : [];
  const forgotten = known.filter((one) => key === null || one === key);
  if (forgotten.length === 0) throw unknown(subject, known);
  return { for: subject, forgotten, remaining: known.filter((one) => !forgotten.includes(one)) };
}

function findCard(pins: Pins, card: string): { found: ForgottenKeys; next: Pins } {
  const pin = pinOf(pins, card);
  if (pin === undefined) throw unknown(card, []);
  const found = { for: card, forgotten: [pin.key, ...pin.former], remaining: [...keysOfScope(pins, card)] };
  return { found, next: withoutPin(pins, card) };
}

function unknown(subject: string, known: readonly PublisherKey[]): Problem {
  return new Problem("DRWN_KEY_UNKNOWN", `this machine has no such key for ${subject}`, {
    details: known.map((key) => `known key: ${key}`),
    hint: "drwn key list",
  });
}
