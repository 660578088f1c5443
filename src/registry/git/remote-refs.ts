import { compareVersions, isVersion } from "../../card/version.ts";
import type { Git } from "./run-git.ts";

/** What a repository's names mean right now. */
export interface RemoteRefs {
  head: string | undefined;
  /** Tag to commit; for an annotated tag, the commit that it points to. */
  tags: ReadonlyMap<string, string>;
  branches: ReadonlyMap<string, string>;
}

const LINE = /^([0-9a-f]{40}|[0-9a-f]{64})\t(HEAD|refs\/(heads|tags)\/(.+?))(\^\{\})?$/u;

export async function readRemoteRefs(git: Git, repository: string): Promise<RemoteRefs> {
  const printed = await git.run(["ls-remote", "--", repository, "HEAD", "refs/heads/*", "refs/tags/*"]);
  const tags = new Map<string, string>();
  const branches = new Map<string, string>();
  let head: string | undefined;
  for (const line of printed.toString("utf8").split("\n")) {
    const [, commit = "", ref, kind, name = ""] = LINE.exec(line) ?? [];
    if (ref === "HEAD") head = commit;
    else if (kind === "heads") branches.set(name, commit);
    // The line with the commit follows the one with the tag itself.
    else if (kind === "tags") tags.set(name, commit);
  }
  return { head, tags, branches };
}

/** The versions that the tags `v1.2.3` name, the lowest first, with their commits. */
export function versionTags({ tags }: RemoteRefs): { version: string; tag: string; commit: string }[] {
  return [...tags]
    .flatMap(([tag, commit]) => {
      const version = tag.replace(/^v/u, "");
      return version !== tag && isVersion(version) ? [{ version, tag, commit }] : [];
    })
    .sort((left, right) => compareVersions(left.version, right.version));
}
