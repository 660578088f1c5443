import type { EventView } from "./adapter.ts";

/** A call as one of this tool for each of the values that is a text. */
export function textViews(toolName: string, field: string, values: readonly unknown[]): EventView[] {
  return values.flatMap((value) =>
    typeof value === "string" ? [{ toolName, aliases: [], input: { [field]: value } }] : [],
  );
}

const FILE_URL = /^file:\/\/(?:localhost)?(?=\/)/iu;

/** The file that an address of a resource names, as a server may read it. Undefined: it names none. */
export function fileOfUri(uri: unknown): string | undefined {
  if (typeof uri !== "string" || !FILE_URL.test(uri)) return undefined;
  const path = uri.replace(FILE_URL, "").replace(/[?#].*$/su, "");
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
