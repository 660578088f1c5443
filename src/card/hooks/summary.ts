import type { CardFiles } from "../files.ts";

/** The first line of `hooks/<name>/README.md` that isn't empty, without its `#`; "" if there is none. */
export function summaryOf(hook: string, files: CardFiles): string {
  const lines = files.get(`hooks/${hook}/README.md`)?.toString("utf8").split("\n") ?? [];
  return lines.map((line) => line.replace(/^#+\s*/u, "").trim()).find((line) => line !== "") ?? "";
}
