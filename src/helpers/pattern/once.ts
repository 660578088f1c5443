/**
 * Calls `make` when its value is first needed. V8 parses every regular expression that a policy creates while it loads,
 * and one call uses only a few of them, so long ones, and those in tables, are created when they are needed.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
