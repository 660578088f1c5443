import { GLOBAL_KEY } from "../../contract/scope.ts";
import { isSystemHome } from "../../contract/system-home.ts";
import type { StatePlace } from "../../hot/read-file.ts";

/** What a person types about the same scope. */
export function commandAbout({ home, key }: StatePlace, words: string): string {
  if (isSystemHome(home)) return `\`sudo drwn ${words} --system\``;
  return key === GLOBAL_KEY ? `\`drwn ${words} --global\`` : `\`drwn ${words}\``;
}

/** Whose a scope is, as the end of a name. */
export function whoseIs({ home, key }: StatePlace): string {
  if (isSystemHome(home)) return "of this machine";
  return key === GLOBAL_KEY ? "for every folder" : "of this project";
}

/** What is wrong with a file, behind its name: a word such as `missing`, or the end of a sentence. */
export function inSentence(fault: string): string {
  return fault.includes(" ") ? fault : `is ${fault}`;
}
