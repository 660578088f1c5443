import { Problem } from "../../kernel/problem.ts";
import { type Git, isGitFailure } from "./run-git.ts";

const FETCH = [
  "fetch",
  "--quiet",
  "--no-tags",
  "--no-recurse-submodules",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
];

/** Makes sure that the commit is here, whatever its tag or branch means by now. */
export async function fetchCommit(
  git: Git,
  repository: string,
  { commit, ref }: { commit: string; ref: string | undefined },
): Promise<void> {
  if (await hasCommit(git, commit)) return;
  // Not every server hands out a commit by its id. Then drwn asks for the commit's name, and at last for everything.
  const attempts = [
    [...FETCH, "--depth=1", "--", repository, commit],
    ...(ref === undefined ? [] : [[...FETCH, "--depth=1", "--", repository, ref]]),
    [...FETCH, "--", repository, "+refs/heads/*:refs/drwn/heads/*", "+refs/tags/*:refs/drwn/tags/*"],
  ];
  let failure: unknown;
  for (const attempt of attempts) {
    try {
      await git.run(attempt);
      if (await hasCommit(git, commit)) return;
    } catch (error) {
      if (!isGitFailure(error)) throw error;
      failure = error;
    }
  }
  throw new Problem("DRWN_GIT_FAILED", `${repository} does not hand out the commit ${commit}`, {
    details: isGitFailure(failure)
      ? failure.details
      : ["no branch or tag leads to it: the tag in card.lock may have been moved"],
    cause: failure,
  });
}

async function hasCommit(git: Git, commit: string): Promise<boolean> {
  try {
    return (await git.run(["cat-file", "-t", commit])).toString().trim() === "commit";
  } catch (error) {
    if (isGitFailure(error)) return false;
    throw error;
  }
}
