import fs from "node:fs";
import path from "node:path";
import { CARD_LIMITS } from "../../card/files.ts";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { type Git, isGitFailure } from "./run-git.ts";

const MAXIMUM_ENTRIES = 20_000;
const MAXIMUM_BYTES = 256 * 1024 * 1024;
const ENTRY = /^(\d{6}) (blob|commit|tree) ([0-9a-f]{40,64}) +(\d+|-)\t(.+)$/su;

interface Entry {
  mode: string;
  object: string;
  size: number;
  path: string;
}

/**
 * Writes the regular files of a commit's folder unchanged: git's own checkout would run filters and follow settings of
 * the repository. A link becomes one that leads nowhere, so that packing refuses it; submodules are left out.
 */
export async function checkOut(git: Git, treeish: string, folder: string): Promise<void> {
  const entries = await listEntries(git, treeish);
  const files = entries.filter(({ mode }) => mode === "100644" || mode === "100755");
  const kept = files.filter(({ size }) => size <= CARD_LIMITS.fileBytes);
  const contents = await readObjects(git, kept);
  for (const file of files) {
    const place = placeOf(folder, file.path);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, contents.get(file.object) ?? "", { flag: "wx", mode: 0o600 });
    // Too large for a card: packing refuses it by its size, so only that matters.
    if (file.size > CARD_LIMITS.fileBytes) fs.truncateSync(place, CARD_LIMITS.fileBytes + 1);
  }
  for (const { path: link } of entries.filter(({ mode }) => mode === "120000")) {
    const place = placeOf(folder, link);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.symlinkSync("/nonexistent/link-of-a-repository", place);
  }
}

async function listEntries(git: Git, treeish: string): Promise<Entry[]> {
  const printed = await git.run(["ls-tree", "-r", "-l", "-z", "--full-tree", treeish]);
  const entries = printed
    .toString("utf8")
    .split("\0")
    .flatMap((line): Entry[] => {
      const [, mode = "", , object = "", size = "", name = ""] = ENTRY.exec(line) ?? [];
      return name === "" || isForeign(name) ? [] : [{ mode, object, size: Number(size) || 0, path: name }];
    });
  const bytes = entries.reduce((total, { size }) => total + size, 0);
  if (entries.length <= MAXIMUM_ENTRIES && bytes <= MAXIMUM_BYTES) return entries;
  throw new Problem("DRWN_PACK_REFUSED", `the repository has ${entries.length} files with ${bytes} bytes`, {
    details: [`at most: ${MAXIMUM_ENTRIES} files, ${MAXIMUM_BYTES} bytes`],
    hint: "name the card's folder: #path:<folder>",
  });
}

/** Cards never use these. */
function isForeign(name: string): boolean {
  return name.split("/").some((part) => part === "node_modules") || /^\.[^/]*\//u.test(name);
}

/** git itself refuses such names; here they would lead out of the folder. */
function placeOf(folder: string, name: string): string {
  const isPlain = name.split("/").every((part) => part !== "" && part !== "." && part !== ".." && part !== ".git");
  if (isPlain) return path.join(folder, name);
  throw new Problem("DRWN_PACK_REFUSED", `the repository has a file \`${clean(name, 120)}\``);
}

async function readObjects(git: Git, files: readonly Entry[]): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  if (files.length === 0) return contents;
  const objects = [...new Set(files.map(({ object }) => object))];
  const printed = await git.run(["cat-file", "--batch"], { input: `${objects.join("\n")}\n` });
  let at = 0;
  for (const object of objects) {
    const end = printed.indexOf(10, at);
    const [name, kind, size] = printed.toString("latin1", at, end).split(" ");
    if (name !== object || kind !== "blob") throw new Problem("DRWN_GIT_FAILED", `git has no content of ${object}`);
    contents.set(object, printed.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return contents;
}

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
