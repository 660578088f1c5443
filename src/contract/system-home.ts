/**
 * The home for what root wants for every user of the machine. Only root may write to it, and no variable changes it.
 */
export const SYSTEM_HOMES: Readonly<Partial<Record<string, string>>> = {
  darwin: "/Library/Application Support/drwn",
  linux: "/etc/drwn",
};

export function isSystemHome(home: string): boolean {
  return home === SYSTEM_HOMES["linux"] || home === SYSTEM_HOMES["darwin"];
}
