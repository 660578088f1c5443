/**
 * Rewrites the input of a call in place, since Mastra runs the tool with the object that it has. False: it cannot be
 * done.
 */
export function rewriteInPlace(input: unknown, next: Readonly<Record<string, unknown>>): boolean {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return false;
  try {
    for (const key of Object.keys(input)) delete (input as Record<string, unknown>)[key];
    for (const [key, value] of Object.entries(next)) {
      // Defines fields of any name, even names with a special meaning.
      Object.defineProperty(input, key, { value, configurable: true, enumerable: true, writable: true });
    }
    return JSON.stringify(input) === JSON.stringify(next);
  } catch {
    return false;
  }
}
