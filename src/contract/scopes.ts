/**
 * The key of what a user consented to for every folder. It is a project like any other, except that the launcher finds
 * it in another way: its consents hold in each session, beside those of the session's project.
 */
export const GLOBAL_KEY = "0000000000000000000000000000000000000000000000000000000000000000";

/**
 * The home for what root wants for every user of the machine. Only root may write to it, and no variable changes it.
 */
export const MANAGED_HOMES: Readonly<Partial<Record<string, string>>> = {
  darwin: "/Library/Application Support/drwn",
  linux: "/etc/drwn",
};

export function isManagedHome(home: string): boolean {
  return home === MANAGED_HOMES["linux"] || home === MANAGED_HOMES["darwin"];
}

/** State belongs to what a key names below a home. */
interface Scoped {
  home: string;
  key: string;
}

/** The command that a person types for the same scope. */
export function commandInScope({ home, key }: Scoped, words: string): string {
  if (isManagedHome(home)) return `\`sudo drwn ${words} --system\``;
  return key === GLOBAL_KEY ? `\`drwn ${words} --global\`` : `\`drwn ${words}\``;
}

/** Says which scope something belongs to, to be put after a noun. */
export function scopeSuffix({ home, key }: Scoped): string {
  if (isManagedHome(home)) return "of this machine";
  return key === GLOBAL_KEY ? "for every folder" : "of this project";
}

/**
 * Turns what is wrong with a file, a word such as `missing` or the end of a sentence, into text that follows its name.
 */
export function faultClause(fault: string): string {
  return fault.includes(" ") ? fault : `is ${fault}`;
}
