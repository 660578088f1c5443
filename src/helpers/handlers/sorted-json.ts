/** Compact JSON with the keys of every object in order, so that a pattern on it does not depend on who wrote it. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  // Made from entries, so that a key may be called anything.
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
