import { GLOBAL_KEY, isManagedHome } from "../../contract/scopes.ts";
import type { StateLocation } from "../../hook-base/read-file.ts";

/** The command that a person types for the same scope. */
export function commandInScope({ home, key }: StateLocation, words: string): string {
  if (isManagedHome(home)) return `\`sudo drwn ${words} --system\``;
  return key === GLOBAL_KEY ? `\`drwn ${words} --global\`` : `\`drwn ${words}\``;
}

/** Says which scope something belongs to, to be put after a noun. */
export function scopeSuffix({ home, key }: StateLocation): string {
  if (isManagedHome(home)) return "of this machine";
  return key === GLOBAL_KEY ? "for every folder" : "of this project";
}

/**
 * Turns what is wrong with a file, a word such as `missing` or the end of a sentence, into text that follows its name.
 */
export function faultClause(fault: string): string {
  return fault.includes(" ") ? fault : `is ${fault}`;
}
