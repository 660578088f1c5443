/** Ordinal comparison of UTF-16 code units: the same order on every machine, whatever its locale. */
export function compareOrdinal(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** A sorted copy. */
export function sortedBy<T>(items: Iterable<T>, keyOf: (item: T) => string): T[] {
  return [...items].sort((left, right) => compareOrdinal(keyOf(left), keyOf(right)));
}
