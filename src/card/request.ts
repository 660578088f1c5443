import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { type GitRequest, parseGitRequest } from "./git-request.ts";
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
