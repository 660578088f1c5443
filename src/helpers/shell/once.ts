/**
 * What `make` makes, when it is first asked for. V8 reads every regular expression that a policy makes as it is loaded, and one call asks few
 * of them: those of a table, or long ones, are made by whoever needs them.
 */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
