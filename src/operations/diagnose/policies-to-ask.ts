import { compileMatcher } from "../../card/matcher.ts";
import type { Host } from "../../kernel/host.ts";
import { worktreeFoldersOf } from "../../project/worktrees.ts";
import { approvedHooks } from "../../trust/activation.ts";
import { findMarkedKey } from "../../trust/project-key.ts";
import type { OpenProject } from "../../workspace/open-project.ts";
import type { PolicyToAsk } from "./read-transcript-calls.ts";

/** The policies of this project that are asked before calls. */
export function policiesToAsk({ ledger }: OpenProject): PolicyToAsk[] {
  return (ledger?.grants ?? []).flatMap(({ revokedAt, runtimes, approved, grantedAt }) => {
    if (revokedAt !== null) return [];
    return approved.flatMap((approval) =>
      approvedHooks(approval).flatMap(({ facts: { phases, matcher } }): PolicyToAsk[] => {
        if (!phases.includes("pre-tool")) return [];
        const since = Math.max(Date.parse(grantedAt), Date.parse(approval.at));
        return [{ runtimes, match: matcher === null ? null : new RegExp(compileMatcher(matcher), "u"), since }];
      }),
    );
  });
}

/** The project's folder, and those of its worktrees; of what holds in every folder, only this one is looked at. */
export function foldersOfProject(host: Host, { identity, root, isGlobal }: OpenProject): string[] {
  if (isGlobal) return [host.cwd];
  return [...new Set([root, ...worktreeFoldersOf(identity)])];
}

/** Whether this project's consents apply to a session started in the folder: those of the nearest project do. */
export function projectFolderFilter(
  host: Host,
  { key, isGlobal }: OpenProject,
  folders: readonly string[],
): (folder: string) => boolean {
  const known = new Map<string, boolean>();
  const find = (folder: string): boolean => {
    const marked = isGlobal ? undefined : findMarkedKey(host.drwnHome, folder);
    if (marked !== undefined) return marked === key;
    return folders.some((one) => folder === one || folder.startsWith(`${one}/`));
  };
  return (folder) => {
    const answer = known.get(folder) ?? find(folder);
    known.set(folder, answer);
    return answer;
  };
}
