/** The calls of one stretch of time. */
export interface Span {
  from: string;
  allowed: number;
  asked: number;
  denied: number;
  failed: number;
}

export interface Spans {
  /** The length of each. */
  minutes: number;
  counts: Span[];
}

export const MINUTE = 60_000;
/** How long a stretch may be, in minutes. */
const LENGTHS = [1, 5, 15, 60, 3 * 60, 6 * 60, 12 * 60, 24 * 60, 7 * 24 * 60, 28 * 24 * 60] as const;
const LONGEST = 364 * 24 * 60;
const MOST_SPANS = 60;

export function emptySpan(minute: number): Span {
  return { from: new Date(minute * MINUTE).toISOString(), allowed: 0, asked: 0, denied: 0, failed: 0 };
}

/** As many stretches as a chart shows well, including those without calls. */
export function joinSpans(minutes: readonly (readonly [number, Span])[]): Spans {
  const [first, last] = [minutes[0]?.[0] ?? 0, minutes.at(-1)?.[0] ?? 0];
  const length = LENGTHS.find((one) => (last - first) / one < MOST_SPANS - 1) ?? LONGEST;
  if (minutes.length === 0) return { minutes: length, counts: [] };
  const begin = Math.floor(first / length);
  const most = Math.min(MOST_SPANS, Math.floor(last / length) - begin + 1);
  const counts = Array.from({ length: most }, (_, at) => emptySpan((begin + at) * length));
  for (const [minute, { allowed, asked, denied, failed }] of minutes) {
    // A clock that was wrong by years must not stretch the chart over them.
    const span = counts[Math.min(most - 1, Math.floor(minute / length) - begin)];
    if (span === undefined) continue;
    span.allowed += allowed;
    span.asked += asked;
    span.denied += denied;
    span.failed += failed;
  }
  return { minutes: length, counts };
}
