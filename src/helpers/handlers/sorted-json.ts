/** Compact JSON with sorted keys, so that a pattern doesn't depend on the order in which an agent writes them. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? "null";
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  // Made from entries, so that a key may have any name.
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
