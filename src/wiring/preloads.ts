import type { Finding } from "../kernel/finding.ts";
import { clean } from "../kernel/text.ts";

/** Variables whose code the system's loader runs in every program, before the program's first word. */
const PRELOADS = ["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"];

/**
 * Measured with Claude Code 2.1.329 and Codex 0.169.0: a library named there can end the shell that should start the
 * hook.
 */
export function checkPreloads(place: string, read: (name: string) => unknown): Finding[] {
  return PRELOADS.flatMap((name): Finding[] => {
    const value = read(name);
    if (typeof value !== "string" || value.trim() === "") return [];
    const message = `${name} makes code of ${clean(value, 80)} run in every hook, before drwn is asked`;
    const hint = `take ${name} out of ${place}`;
    return [{ code: "hooks-prefixed", severity: "warning", subject: place, message, hint }];
  });
}
