import type { Wire } from "../../../hot/adapter/adapter.ts";

export const CURSOR_TOOLS: Readonly<Record<string, string>> = { Shell: "Bash" };

/** The folder that an event names, otherwise the first folder of the workspace. */
export function folderOf({ cwd, workspace_roots: roots }: Wire): string | undefined {
  const folder: unknown = typeof cwd === "string" || !Array.isArray(roots) ? cwd : roots[0];
  return typeof folder === "string" ? folder : undefined;
}
