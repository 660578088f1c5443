import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { type GitRequest, originIdOf } from "../../card/request.ts";
import { type PackedCard, packCommitted } from "../../card/source/pack.ts";
import { compareVersions, isVersion, satisfies } from "../../card/version.ts";
import { layout } from "../../contract/layout.ts";
import { sayIn } from "../../kernel/advice.ts";
import { sweepTemporaries, temporaryName } from "../../kernel/files.ts";
import type { Environment } from "../../kernel/host.ts";
import { withLock } from "../../kernel/mutex.ts";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { type CardOrigin, describePacked, type PublishedVersion } from "../registry.ts";
import { checkOut, fetchCommit } from "./fetch-commit.ts";
import { type Git, openGit } from "./run-git.ts";

interface GitMachine {
  /** DRWN_HOME */
  home: string;
  env: Environment;
}

/** A commit of the repository, with the name that led to it. */
interface PickedVersion {
  commit: string;
  /** The version that the tag promises; undefined if a branch or commit was named. */
  version?: string;
  ref?: string;
}

/**
 * A card in a git repository: its versions are the tags `vX.Y.Z`. drwn packs it here, only from the committed files;
 * the committed index is data, and drwn evaluates nothing.
 */
export function openGitOrigin(request: GitRequest, machine: GitMachine): CardOrigin {
  const { repository } = request;
  const gitDir = path.join(layout.git(machine.home), createHash("sha256").update(repository).digest("hex"));
  const git = openGit({ gitDir, env: machine.env, repository });
  const id = originIdOf(request) ?? "";
  const packed = new Map<string, PackedCard>();
  let refs: RemoteRefs | undefined;

  const inRepository = <T>(work: () => Promise<T>) =>
    withLock(layout.lock(machine.home, `git-${path.basename(gitDir)}`), () => prepare(git, gitDir).then(work));
  const readRefs = async () => (refs ??= await inRepository(() => readRemoteRefs(git, repository)));
  const pack = async (picked: PickedVersion): Promise<{ card: PackedCard; published: PublishedVersion }> => {
    const known = packed.get(picked.commit);
    const card = known ?? (await inRepository(() => packCommit({ git, gitDir, request }, picked)));
    packed.set(picked.commit, card);
    requirePromised(picked, card, id);
    return { card, published: describePacked(card, { commit: picked.commit }) };
  };
  const findVersion = async (name: string, version: string) => {
    const known = [...packed.values()].find(({ manifest }) => manifest.name === name && manifest.version === version);
    if (known !== undefined) return known;
    const tag = versionTags(await readRefs()).find((one) => one.version === version);
    if (tag === undefined) throw new Problem("DRWN_VERSION_NOT_FOUND", `${id} has no tag v${clean(version, 80)}`);
    return (await pack({ ...tag, ref: `refs/tags/${tag.tag}` })).card;
  };

  return {
    registry: {
      id,
      versions: async (name) => listVersions(await readRefs(), name, pack),
      fetch: async (name, version) => (await findVersion(name, version)).tarball,
      publish: () => Promise.reject(unableToPublish()),
    },
    resolve: async () => (await pack(pickCommit(request, await readRefs(), id))).published,
    fetchLocked: async ({ commit }) => {
      if (commit === undefined) throw new Problem("DRWN_LOCK_OUTDATED", `card.lock names no commit of ${id}`);
      return (await pack({ commit })).card;
    },
  };
}

function unableToPublish(): Problem {
  return new Problem("DRWN_REGISTRY_UNABLE", "drwn cannot publish to a git repository", {
    hint: "commit hooks/index.json, then: git tag v<version> && git push --tags",
  });
}

async function prepare(git: Git, gitDir: string): Promise<void> {
  sweepTemporaries(gitDir);
  if (fs.existsSync(path.join(gitDir, "HEAD"))) return;
  fs.mkdirSync(gitDir, { recursive: true, mode: 0o700 });
  await git.run(["init", "--quiet", "--bare", "--template="]);
}

async function packCommit(
  { git, gitDir, request }: { git: Git; gitDir: string; request: GitRequest },
  { commit, ref }: PickedVersion,
): Promise<PackedCard> {
  await fetchCommit(git, request.repository, { commit, ref });
  const folder = temporaryName(path.join(gitDir, "checkout"));
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
    await checkOut(git, `${commit}:${request.subfolder ?? ""}`, folder);
    return await packCommitted(folder);
  } catch (error) {
    throw inRepositoryTerms(error, folder, `${originIdOf(request)} at ${commit.slice(0, 12)}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** The checkout's folder means nothing to a user, and is gone by then. */
function inRepositoryTerms(error: unknown, folder: string, place: string): unknown {
  if (!isProblem(error)) return error;
  const { code, message, details } = error;
  // What it may say here is about a source of one's own.
  const hint = error.hint === undefined ? undefined : sayIn("project", error.hint);
  const rename = (text: string) => text.replaceAll(`${folder}/`, "").replaceAll(folder, place);
  return new Problem(code, `${place}: ${rename(message)}`, {
    details: details.map(rename),
    ...(hint === undefined || hint.startsWith("drwn card new") ? {} : { hint: rename(hint) }),
    cause: error,
  });
}

function pickCommit({ pick }: GitRequest, refs: RemoteRefs, id: string): PickedVersion {
  if (pick.by === "head") {
    if (refs.head !== undefined) return { commit: refs.head, ref: "HEAD" };
    throw new Problem("DRWN_VERSION_NOT_FOUND", `${id} has no default branch`);
  }
  if (pick.by === "range") {
    const tags = versionTags(refs);
    const found = tags.filter(({ version }) => satisfies(version, pick.range)).at(-1);
    if (found !== undefined) return { ...found, ref: `refs/tags/${found.tag}` };
    const there = tags.map(({ tag }) => tag).reverse();
    throw new Problem("DRWN_VERSION_NOT_FOUND", `${id} has no tag in ${clean(pick.range)}`, {
      details: [`it has: ${there.slice(0, 20).join(", ") || "no tag vX.Y.Z"}`],
    });
  }
  const tag = refs.tags.get(pick.ref);
  if (tag !== undefined) return { commit: tag, ref: `refs/tags/${pick.ref}` };
  const branch = refs.branches.get(pick.ref);
  if (branch !== undefined) return { commit: branch, ref: `refs/heads/${pick.ref}` };
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u.test(pick.ref)) return { commit: pick.ref };
  throw new Problem("DRWN_VERSION_NOT_FOUND", `${id} has no tag or branch ${clean(pick.ref, 80)}`, {
    details: ["a commit is named by its full id"],
  });
}

/** Leaves out tags that hold no card, or another version than they say; a request for one fails with the reason. */
async function listVersions(
  refs: RemoteRefs,
  name: string,
  pack: (picked: PickedVersion) => Promise<{ published: PublishedVersion }>,
): Promise<PublishedVersion[]> {
  const found: PublishedVersion[] = [];
  for (const tag of versionTags(refs)) {
    try {
      const { published } = await pack({ ...tag, ref: `refs/tags/${tag.tag}` });
      if (published.name === name) found.push(published);
    } catch (error) {
      if (!isProblem(error) || error.code === "DRWN_GIT_FAILED") throw error;
    }
  }
  return found;
}

function requirePromised({ version, commit }: PickedVersion, { manifest }: PackedCard, id: string): void {
  if (version === undefined || manifest.version === version) return;
  throw new Problem(
    "DRWN_REGISTRY_INVALID",
    `the tag v${version} of ${id} holds ${manifest.name}@${manifest.version}`,
    {
      details: [`commit: ${commit}`],
    },
  );
}

/** What a repository's names mean right now. */
interface RemoteRefs {
  head: string | undefined;
  /** Tag to commit; for an annotated tag, the commit that it points to. */
  tags: ReadonlyMap<string, string>;
  branches: ReadonlyMap<string, string>;
}

const LINE = /^([0-9a-f]{40}|[0-9a-f]{64})\t(HEAD|refs\/(heads|tags)\/(.+?))(\^\{\})?$/u;

async function readRemoteRefs(git: Git, repository: string): Promise<RemoteRefs> {
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
function versionTags({ tags }: RemoteRefs): { version: string; tag: string; commit: string }[] {
  return [...tags]
    .flatMap(([tag, commit]) => {
      const version = tag.replace(/^v/u, "");
      return version !== tag && isVersion(version) ? [{ version, tag, commit }] : [];
    })
    .sort((left, right) => compareVersions(left.version, right.version));
}
