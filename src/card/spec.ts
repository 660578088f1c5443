import { advise, drwn } from "../kernel/advice.ts";
import { Problem } from "../kernel/problem.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import { type CardName, cardMeant, isCardName } from "./name.ts";
import { parseOriginRequest, REQUEST_FORMS, withoutCredentials } from "./request.ts";
import { isRange } from "./version.ts";

/** What a user types to name a card: `@scope/name`, or `@scope/name@range`. */
export interface CardSpec {
  name: CardName;
  /** null: the highest version there is. */
  range: string | null;
}

export function parseSpec(text: string): CardSpec {
  const at = text.indexOf("@", 1);
  const name = at < 0 ? text : text.slice(0, at);
  const range = at < 0 ? null : text.slice(at + 1);
  if (!isCardName(name)) throw refuse(text, `\`${clean(withoutCredentials(name), 80)}\` isn't a card name`);
  if (range !== null && !isRange(range)) throw refuse(text, `\`${clean(range, 80)}\` isn't a semver range`);
  return { name, range };
}

export function isSpec(text: string): boolean {
  const at = text.indexOf("@", 1);
  return isCardName(at < 0 ? text : text.slice(0, at)) && (at < 0 || isRange(text.slice(at + 1)));
}

/** What a user types where any source is allowed: a name, a name with a request, or just a source. */
export interface TypedCard {
  /** null: the card itself says its name. */
  name: CardName | null;
  /** A range or a source as it was typed; null: the highest version there is. */
  request: string | null;
}

/** Paths may be typed without `file:`. */
export function parseTypedCard(text: string): TypedCard {
  const at = text.indexOf("@", 1);
  const name = at < 0 ? text : text.slice(0, at);
  const request = at < 0 ? null : withScheme(text.slice(at + 1));
  if (isCardName(name)) {
    if (request !== null && !isRange(request) && parseOriginRequest(request) === undefined) {
      throw refuse(text, `\`${clean(withoutCredentials(request), 80)}\` isn't a semver range`);
    }
    return { name, request };
  }
  const source = withScheme(text);
  if (parseOriginRequest(source) !== undefined) return { name: null, request: source };
  const meant = cardMeant(text);
  if (meant === undefined && !/^[\w-]+$/u.test(text))
    throw refuse(text, "it is neither a card name nor a source of a card");
  throw new Problem("DRWN_SPEC_INVALID", `\`${clean(text, 120)}\` isn't a card name`, {
    details: ["expected: @scope/name or @scope/name@range, like @me/backend@^1.0.0"],
    hint: meant === undefined ? advise`drwn search ${text.toLowerCase()}` : drwn("add", shellQuote(meant.word)),
    meant,
  });
}

function withScheme(text: string): string {
  return /^\.{0,2}\//u.test(text) || text === "." || text === ".." ? `file:${text}` : text;
}

export function printSpec({ name, range }: CardSpec): string {
  return range === null ? name : `${name}@${range}`;
}

function refuse(text: string, why: string): Problem {
  return new Problem("DRWN_SPEC_INVALID", `\`${clean(withoutCredentials(text), 120)}\` does not name a card: ${why}`, {
    details: ["expected: @scope/name or @scope/name@range, like @me/backend@^1.0.0", ...REQUEST_FORMS],
  });
}
