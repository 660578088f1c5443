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
