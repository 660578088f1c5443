/** Hand-written checks of files: a library would cost more than the whole hook. */

export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Own fields only, so that `{}` has no `constructor`. */
export function fieldOf(record: Fields, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** For each field of a record, a check of its value. */
export type Checks<T> = Readonly<Record<keyof T, (value: unknown) => boolean>>;

export function hasShape<T>(fields: Fields, checks: Checks<T>): boolean {
  for (const name in checks) if (!checks[name](fieldOf(fields, name))) return false;
  return true;
}

export function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

export function isListOfTexts(value: unknown): value is string[] {
  return isListOf(value, isText);
}

export function isDigest(value: unknown): value is string {
  return typeof value === "string" && /^sha256-[0-9a-f]{64}$/u.test(value);
}
