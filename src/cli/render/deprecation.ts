import { clean } from "../../kernel/text.ts";
import type { Console } from "../terminal/console.ts";

interface Deprecable {
  name: string;
  version: string;
  deprecated: string | null;
}

/** One line for each card whose publisher says not to use it; the publisher's words are cleaned and quoted, and stay as they are. */
export function warnOfDeprecation(cards: readonly Deprecable[], console: Console): void {
  const { talk, style } = console;
  for (const { name, version, deprecated } of cards) {
    if (deprecated === null) continue;
    talk(`${style.warn("warning:")} ${clean(name)}@${clean(version)} is deprecated: “${clean(deprecated)}”`);
  }
}
