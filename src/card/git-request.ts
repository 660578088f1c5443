import { Problem } from "../kernel/problem.ts";
import { isRange } from "./version.ts";

/** A card in a git repository. */
export interface GitRequest {
  kind: "git";
  /** As git gets it: https://…, ssh://… or file:///…; without credentials. */
  repository: string;
  /** Where in the repository the card is; null: at its top. */
  subfolder: string | null;
  pick: GitPick;
}

/** Which commit of the repository. */
export type GitPick =
  /** The highest tag vX.Y.Z in the range. */
  | { by: "range"; range: string }
  /** A tag, a branch, or a full commit id. */
  | { by: "ref"; ref: string }
  /** The tip of the repository's default branch. */
  | { by: "head" };

// These patterns allow everything that may reach git's command line: nothing begins with a dash, and there is no way to
// write a transport helper (`ext::`), an scp address or an option.
const HOST = "[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?";
const SEGMENT = "[A-Za-z0-9_.~+@%](?:[A-Za-z0-9_.~+@%-])*";
const PATH = `(?:/${SEGMENT})+/?`;
const REPOSITORIES: readonly RegExp[] = [
  new RegExp(`^https://${HOST}${PATH}$`, "u"),
  new RegExp(`^ssh://(?:[A-Za-z0-9_][A-Za-z0-9_.-]*@)?${HOST}${PATH}$`, "u"),
  new RegExp(`^file://${PATH}$`, "u"),
];
const HOSTED: Readonly<Record<string, { base: string; path: RegExp }>> = {
  github: { base: "https://github.com/", path: new RegExp(`^${SEGMENT}/${SEGMENT}$`, "u") },
  gitlab: { base: "https://gitlab.com/", path: new RegExp(`^${SEGMENT}(?:/${SEGMENT})+$`, "u") },
};
const REF = /^[A-Za-z0-9_](?:[A-Za-z0-9_.+/-]{0,198}[A-Za-z0-9_+-])?$/u;
const MAXIMUM_LENGTH = 500;

/** Undefined if the text doesn't look like git; a problem if it does, but drwn can't accept it. */
export function parseGitRequest(text: string): GitRequest | undefined {
  const scheme = /^(git\+[a-z]+|git|ssh|github|gitlab|ext|bitbucket|gist|[a-z-]+::)/iu.exec(text)?.[1];
  if (scheme === undefined || !/^[a-z+-]+:/iu.test(text)) return undefined;
  const hash = text.indexOf("#");
  const address = hash < 0 ? text : text.slice(0, hash);
  const repository = repositoryOf(address);
  const isDotted = /(?:^|\/)\.{1,2}(?:\/|$)/u.test(repository ?? "");
  if (repository === undefined || !URL.canParse(repository) || isDotted || text.length > MAXIMUM_LENGTH) {
    throw refuse("this isn't an address of a git repository that drwn can use");
  }
  return { kind: "git", repository, ...parseFragment(hash < 0 ? "" : text.slice(hash + 1)) };
}

function repositoryOf(address: string): string | undefined {
  if (address.startsWith("git+")) {
    const url = address.slice("git+".length);
    return REPOSITORIES.some((form) => form.test(url)) ? url.replace(/\/$/u, "") : undefined;
  }
  const colon = address.indexOf(":");
  const host = address.slice(0, colon);
  const known = Object.hasOwn(HOSTED, host) ? HOSTED[host] : undefined;
  const path = address.slice(colon + 1).replace(/\.git$/u, "");
  return known?.path.test(path) ? `${known.base}${path}.git` : undefined;
}

/** `#v1.2.0`, `#semver:^1`, `#path:cards/backend`, `#semver:^1::path:cards/backend`, as in npm. */
function parseFragment(fragment: string): Pick<GitRequest, "pick" | "subfolder"> {
  let pick: GitPick = { by: "head" };
  let subfolder: string | null = null;
  const parts = fragment === "" ? [] : fragment.split("::");
  for (const [at, part] of parts.entries()) {
    if (part.startsWith("path:") && subfolder === null) subfolder = parseSubfolder(part.slice("path:".length));
    else if (part.startsWith("semver:") && at === 0) pick = { by: "range", range: parseGitRange(part) };
    else if (REF.test(part) && !part.includes("..") && !part.includes("//") && at === 0)
      pick = { by: "ref", ref: part };
    else throw refuse("the part after # isn't a tag, branch, commit, semver:<range> or path:<folder>");
  }
  return { pick, subfolder };
}

function parseGitRange(part: string): string {
  const text = part.slice("semver:".length);
  const range = /%[0-9a-f]{2}/iu.test(text) ? decodeURIComponent(text) : text;
  if (isRange(range)) return range;
  throw refuse("the part after #semver: isn't a range");
}

function parseSubfolder(text: string): string {
  const folder = text.replace(/^\//u, "").replace(/\/$/u, "");
  const isPlain = folder.split("/").every((part) => /^[A-Za-z0-9_@][\w.@+-]*$/u.test(part));
  if (isPlain) return folder;
  throw refuse("the part after path: isn't a folder of a repository");
}

function refuse(why: string): Problem {
  // The message doesn't repeat the text: it may contain a password.
  return new Problem("DRWN_SPEC_INVALID", `drwn cannot get a card from there: ${why}`, {
    details: [
      "expected: github:owner/name, gitlab:owner/name, git+https://host/path.git or git+ssh://git@host/path.git",
      "followed by nothing, #v1.2.0, #semver:^1.2.0 or #path:folder, and never with a password",
    ],
  });
}
