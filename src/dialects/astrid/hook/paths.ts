import path from "node:path";

/** Where Astrid looks for a user's hooks in every workspace. */
export function userHooks({ env, home }: { env: Readonly<Record<string, string | undefined>>; home: string }): string {
  return path.join(env["ASTRID_HOME"] || path.join(home, ".astrid"), "hooks");
}

export function workspaceHooks(root: string): string {
  return path.join(root, ".astrid", "hooks");
}
