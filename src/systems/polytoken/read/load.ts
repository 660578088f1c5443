import { compilePolytokenGlob } from "../words/glob.ts";
import type { PolytokenHook } from "../words/run-hook.ts";
import { type HooksFile, readHooksFile, refuse } from "./hooks-file.ts";

export interface PolytokenHookFiles {
  /** Null: there are no global hooks. */
  globalFile: string | null;
  projectFile: string | null;
}

/** A hook in force, ready to be asked. */
export interface LoadedPolytokenHook extends PolytokenHook {
  file: string;
  line: number;
  matches: (subject: string) => boolean;
}

/**
 * The hooks in force, in the order in which they run: the global ones that the project leaves on, then the project's
 * own. An absent file has none; a file with any fault is refused as a whole.
 */
export function loadPolytokenHooks({ globalFile, projectFile }: PolytokenHookFiles): LoadedPolytokenHook[] {
  const everywhere = globalFile === null ? undefined : readHooksFile(globalFile);
  const project = projectFile === null || projectFile === globalFile ? undefined : readHooksFile(projectFile);
  const inherited = hooksOf(everywhere);
  const off = new Set(negationsOf(project, inherited));
  negationsOf(everywhere, []);
  return [...inherited.filter(({ name }) => !off.has(name)), ...hooksOf(project)];
}

function hooksOf(from: HooksFile | undefined): LoadedPolytokenHook[] {
  return (from?.entries ?? []).flatMap(({ line, entry }) => {
    if ("off" in entry) return [];
    const matches = entry.matcher === undefined ? () => true : compilePolytokenGlob(entry.matcher);
    return [{ ...entry, file: from?.file ?? "", line, matches }];
  });
}

/** The names that a file turns off; each must belong to a hook that the file inherits. */
function negationsOf(from: HooksFile | undefined, inherited: readonly LoadedPolytokenHook[]): string[] {
  return (from?.entries ?? []).flatMap(({ line, entry }, at) => {
    if (!("off" in entry)) return [];
    if (inherited.some(({ name }) => name === entry.off)) return [entry.off];
    throw refuse(
      from?.file ?? "",
      line,
      `entry ${at + 1} turns off ${JSON.stringify(entry.off)}, and there is no global hook of that name`,
    );
  });
}
