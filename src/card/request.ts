import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { isRange, satisfies } from "./version.ts";

/** What a project asks for a card: the value in config.json. */
export type CardRequest =
  /** A version from the registry of the card's scope. */
  | { kind: "range"; range: string }
  | GitRequest
  /** One packed card: an https URL, or a path that is absolute or relative to the project. */
  | { kind: "tarball"; location: string }
  /** A source on this machine, which every `write` looks at again. */
  | { kind: "folder"; path: string };

const MAXIMUM_LENGTH = 1_000;
const TARBALL = /\.(?:tgz|tar\.gz)$/u;

export function parseRequest(text: string): CardRequest {
  if (isRange(text)) return { kind: "range", range: text };
  const source = parseOriginRequest(text);
  if (source !== undefined) return source;
  throw new Problem(
    "DRWN_RANGE_INVALID",
    `\`${clean(withoutCredentials(text), 120)}\` is neither a semver range nor a source of a card`,
    {
      details: REQUEST_FORMS,
    },
  );
}

/** What somebody typed, without secrets, so that messages may repeat it. */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/[^/@\s]*@/gu, "//").replace(/\?.*$/su, "");
}

export function isRequest(text: string): boolean {
  try {
    parseRequest(text);
    return true;
  } catch (error) {
    if (isProblem(error)) return false;
    throw error;
  }
}

/** False if the request says which versions it means and this isn't one of them. */
export function isVersionOf(version: string, request: CardRequest): boolean {
  if (request.kind === "range") return satisfies(version, request.range);
  return request.kind !== "git" || request.pick.by !== "range" || satisfies(version, request.pick.range);
}

/** Undefined if the text names no source: then it may be a range or the name of a card. */
export function parseOriginRequest(text: string): Exclude<CardRequest, { kind: "range" }> | undefined {
  if (text.length > MAXIMUM_LENGTH || /[\u0000-\u001f\u007f-\u009f]/u.test(text)) return undefined;
  if (text.startsWith("file:")) return parsePath(text.slice("file:".length), text);
  if (/^https?:\/\//u.test(text)) return parseTarballUrl(text);
  return parseGitRequest(text);
}

/** The name of the source in locks and grants; undefined for a range, whose registry depends on the machine. */
export function originIdOf(request: CardRequest): string | undefined {
  switch (request.kind) {
    case "range":
      return undefined;
    case "git":
      return `git:${request.repository}${request.subfolder === null ? "" : `#path:${request.subfolder}`}`;
    case "tarball":
      return `tarball:${request.location}`;
    case "folder":
      return `file:${request.path}`;
  }
}

export const REQUEST_FORMS = [
  "a range: ^1.2.0, ~1.2.0, 1.x, 1.2.3",
  "git: github:owner/name, gitlab:owner/name, git+https://host/path.git, git+ssh://git@host/path.git; followed by #v1.2.0, #semver:^1.2.0, ::path:folder",
  "a packed card: https://host/card.tgz, file:../card.tgz",
  "a folder: file:../card",
];

function parsePath(path: string, text: string): CardRequest & { kind: "tarball" | "folder" } {
  const isPlain = path !== "" && !path.startsWith("//") && !path.startsWith("-") && !path.startsWith("~");
  if (!isPlain) {
    throw new Problem("DRWN_SPEC_INVALID", `\`${clean(text, 120)}\` isn't a path`, {
      details: ["expected: file:../folder, file:/folder or file:../card.tgz"],
    });
  }
  return TARBALL.test(path) ? { kind: "tarball", location: path } : { kind: "folder", path };
}

function parseTarballUrl(text: string): CardRequest & { kind: "tarball" } {
  const url = URL.canParse(text) && !text.includes(" ") ? new URL(text) : undefined;
  // Whatever isn't part of the address may be a secret, but config.json and card.lock are committed.
  if (url !== undefined && [url.username, url.password, url.search, url.hash].some((part) => part !== "")) {
    throw new Problem("DRWN_SPEC_INVALID", `a URL of a packed card has no credentials, query or fragment`, {
      details: [`at: ${clean(url.host, 120)}`],
      hint: "put credentials into ~/.npmrc, and name the registry: drwn registry add <name> <url>",
    });
  }
  if (url !== undefined && TARBALL.test(url.pathname)) return { kind: "tarball", location: text };
  throw new Problem("DRWN_SPEC_INVALID", "a URL of a packed card ends with .tgz or .tar.gz", {
    hint: "a git repository is written as git+https://…, a registry is set up with: drwn registry add <name> <url>",
  });
}

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
type GitPick =
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
const LONGEST_GIT_REQUEST = 500;

/** Undefined if the text doesn't look like git; a problem if it does, but drwn can't accept it. */
export function parseGitRequest(text: string): GitRequest | undefined {
  const scheme = /^(git\+[a-z]+|git|ssh|github|gitlab|ext|bitbucket|gist|[a-z-]+::)/iu.exec(text)?.[1];
  if (scheme === undefined || !/^[a-z+-]+:/iu.test(text)) return undefined;
  const hash = text.indexOf("#");
  const address = hash < 0 ? text : text.slice(0, hash);
  const repository = repositoryOf(address);
  const isDotted = /(?:^|\/)\.{1,2}(?:\/|$)/u.test(repository ?? "");
  if (repository === undefined || !URL.canParse(repository) || isDotted || text.length > LONGEST_GIT_REQUEST) {
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
