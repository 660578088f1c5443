import { DEFAULT_TERMS, type Terms } from "../contract/ledger.ts";
import { drwn } from "../kernel/advice.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import type { AgentId } from "../policy/event.ts";

/** The terms that a person names. The others stay as they were; at a first consent they have their defaults. */
export interface RequestedTerms {
  mode?: Terms["mode"];
  /** null: all hooks of the card. */
  hooks?: readonly string[] | null;
  askFallback?: Terms["askFallback"];
  onYank?: Terms["onYank"];
  /** null: all agents that are guarded. */
  runtimes?: readonly AgentId[] | null;
  /** `30d`, `12h`, `2w`, a day like `2027-01-31`, or `never`. */
  expires?: string;
}

interface TermsRequest {
  asked: RequestedTerms;
  /** The terms of the consent that this one replaces. */
  former: Terms | undefined;
  card: string;
  /** The hooks of the version under review. */
  offered: readonly string[];
  now: Date;
}

/**
 * The terms of a consent. A consent that replaces another keeps its terms, so that a review after an upgrade doesn't
 * widen earlier limits. It doesn't keep an end that has passed.
 */
export function decideTerms({ asked, former = DEFAULT_TERMS, card, offered, now }: TermsRequest): Terms {
  return {
    mode: asked.mode ?? former.mode,
    hooks: decideHooks(asked.hooks === undefined ? former.hooks : asked.hooks, card, offered),
    askFallback: asked.askFallback ?? former.askFallback,
    expiresAt: asked.expires === undefined ? stillToCome(former.expiresAt, now) : parseExpiry(asked.expires, now),
    onYank: asked.onYank ?? former.onYank,
    runtimes: asked.runtimes === undefined ? former.runtimes : sortedRuntimes(asked.runtimes),
  };
}

function sortedRuntimes(asked: readonly AgentId[] | null): Terms["runtimes"] {
  return asked === null ? null : [...new Set(asked)].sort();
}

/** In the card's order. Asking for a hook that the card doesn't have is a mistake, and must not weaken the guard. */
function decideHooks(asked: readonly string[] | null, card: string, offered: readonly string[]): Terms["hooks"] {
  if (asked === null) return null;
  const missing = asked.find((hook) => !offered.includes(hook));
  if (missing !== undefined || asked.length === 0) {
    throw new Problem("DRWN_HOOK_MISSING", `${card} has no hook \`${clean(missing ?? "", 80)}\``, {
      details: [`it has: ${offered.join(", ")}`],
      hint: drwn("card trust", card, "--hooks", "--all-hooks"),
    });
  }
  return offered.filter((hook) => asked.includes(hook));
}

function stillToCome(instant: string | null, now: Date): string | null {
  return instant !== null && Date.parse(instant) > now.getTime() ? instant : null;
}

const HOURS = { h: 1, d: 24, w: 7 * 24 } as const;
const HOUR_MS = 60 * 60 * 1000;
const MOST_HOURS = 10 * 366 * 24;

/** When a consent ends; null: it doesn't end by itself. */
export function parseExpiry(text: string, now: Date): string | null {
  if (text === "never") return null;
  const end = readDuration(text, now) ?? readDay(text);
  const hours = end === undefined ? Number.NaN : (end.getTime() - now.getTime()) / HOUR_MS;
  if (end !== undefined && hours > 0 && hours <= MOST_HOURS) return end.toISOString();
  throw new Problem("DRWN_EXPIRY_INVALID", `\`${clean(text, 80)}\` doesn't say when a consent ends`, {
    details: ["expected: a time like 12h, 30d or 2w, a future day like 2027-01-31, or never; at most ten years"],
  });
}

function readDuration(text: string, now: Date): Date | undefined {
  const [, count = "", unit] = /^(\d{1,6})([hdw])$/u.exec(text) ?? [];
  if (unit !== "h" && unit !== "d" && unit !== "w") return undefined;
  return new Date(now.getTime() + Number(count) * HOURS[unit] * HOUR_MS);
}

/** The beginning of that day, UTC. */
function readDay(text: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00.000Z`);
  return Number.isNaN(day.getTime()) || !day.toISOString().startsWith(text) ? undefined : day;
}
