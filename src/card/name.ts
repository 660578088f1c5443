import fs from "node:fs";
import { packageFile } from "../kernel/files.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";

/** `@scope/name`: what names a card here and in an npm registry. */
export type CardName = `@${string}/${string}` & { readonly __brand: "CardName" };

export const CARD_NAME = /^@[a-z0-9][a-z0-9-]{0,38}\/[a-z0-9][a-z0-9._-]{0,100}$/u;
// As keys of a JSON object these two names reach a prototype, so strict reading refuses them everywhere.
export const HOOK_NAME = /^(?!(?:constructor|prototype)$)[a-z0-9][a-z0-9-]{0,63}$/u;
export const SERVER_NAME = /^[A-Za-z0-9][\w-]{0,63}$/u;

export const CARD_NAME_FORM =
  "@scope/name: lower-case letters, digits and dashes; the name may have dots and underscores";
export const HOOK_NAME_FORM = "at most 64 lower-case letters, digits and dashes, not beginning with a dash";
export const SERVER_NAME_FORM = "at most 64 letters, digits, dashes and underscores, beginning with a letter or digit";

export function parseCardName(text: string): CardName {
  if (isCardName(text)) return text;
  throw new Problem("DRWN_NAME_INVALID", `\`${clean(text, 80)}\` isn't a card name`, {
    details: [`expected: ${CARD_NAME_FORM}`],
    meant: cardMeant(text),
  });
}

export function cardScopeOf(card: string): string {
  return parseCardName(card).slice(0, card.indexOf("/"));
}

export function parseHookName(text: string): string {
  return parseName(text, "hook");
}

export function parseSkillName(text: string): string {
  return parseName(text, "skill");
}

export function parseServerName(text: string): string {
  if (SERVER_NAME.test(text)) return text;
  throw new Problem("DRWN_NAME_INVALID", `\`${clean(text, 80)}\` isn't a server name`, {
    details: [`expected: ${SERVER_NAME_FORM}`],
  });
}

/** A name with `..` in it is refused: some file system, shell or reader could take it for something else. */
export function isCardName(text: string): text is CardName {
  return CARD_NAME.test(text) && !text.includes("..") && !text.endsWith(".");
}

/**
 * The card that was probably meant by a name with other capitals, without its `@`, or, for a card of the catalogue, without
 * its scope, each also with a range; undefined: it isn't like a name.
 */
export function cardMeant(typed: string): Problem["meant"] {
  const [, scope, name = "", range = ""] = /^@?(?:([\w-]+)\/)?([\w.-]+)(@[^@\s]+)?$/u.exec(typed.toLowerCase()) ?? [];
  const isOurs = scope === undefined && fs.existsSync(packageFile(`templates/cards/${name}/card.json`));
  const meant = `@${scope ?? (isOurs ? "drwn" : "")}/${name}`;
  return isCardName(meant) ? { typed, word: `${meant}${range}` } : undefined;
}

function parseName(text: string, what: string): string {
  if (HOOK_NAME.test(text)) return text;
  throw new Problem("DRWN_NAME_INVALID", `\`${clean(text, 80)}\` isn't a ${what} name`, {
    details: [`expected: ${HOOK_NAME_FORM}`],
  });
}
