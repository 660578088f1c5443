import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long an exception for one call waits for it. */
const ONCE_MS = 10 * MINUTE_MS;
const LONGEST_MS = 30 * DAY_MS;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };

/** How long it holds. `session`: until the session of the call ends, and no longer than a day. */
export type ExceptionDuration = "once" | "session" | "always" | { for: string };

/** When an exception ends, ISO 8601; null: not by itself. */
export function expiryOf(lasting: ExceptionDuration, now: Date): string | null {
  if (lasting === "always") return null;
  return new Date(now.getTime() + durationOf(lasting)).toISOString();
}

function durationOf(lasting: Exclude<ExceptionDuration, "always">): number {
  if (lasting === "once") return ONCE_MS;
  if (lasting === "session") return DAY_MS;
  const [, count = "", unit = ""] = /^(\d{1,5})([mhd])$/u.exec(lasting.for) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (milliseconds > 0 && milliseconds <= LONGEST_MS) return milliseconds;
  throw notAllowable(`\`${clean(lasting.for, 40)}\` isn't a time`, ["expected: 15m, 2h or 3d; at most 30d"]);
}

/** Why a person cannot let a call through, or not like this. */
export function notAllowable(what: string, details: readonly string[] = [], hint = "drwn log"): Problem {
  return new Problem("DRWN_EXCEPTION_INVALID", what, { details, hint });
}
