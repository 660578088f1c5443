import path from "node:path";
import type { ProjectIdentity } from "../contract/ledger.ts";
import { readIfThere } from "../kernel/read-file.ts";

/**
 * The repositories that this clone says it comes from, in one spelling each (`github.com/acme/app`), `origin` first.
 * The user's git wrote them down when it cloned; nothing that is committed can.
 */
export function repositoriesOf({ gitCommonDir }: ProjectIdentity): string[] {
  if (gitCommonDir === null) return [];
  const config = readIfThere(path.join(gitCommonDir, "config"))?.toString("utf8") ?? "";
  const remotes: { name: string; repository: string }[] = [];
  let remote: string | undefined;
  for (const line of config.split("\n")) {
    const section = /^\s*\[(?<kind>[^\s\]"]+)(?:\s+"(?<name>.*)")?\]/u.exec(line)?.groups;
    if (section !== undefined) remote = section["kind"]?.toLowerCase() === "remote" ? section["name"] : undefined;
    const url = /^\s*url\s*=\s*(.+?)\s*$/iu.exec(line)?.[1];
    if (remote !== undefined && url !== undefined) remotes.push({ name: remote, repository: normalRepository(url) });
  }
  const ordered = [
    ...remotes.filter(({ name }) => name === "origin"),
    ...remotes.filter(({ name }) => name !== "origin"),
  ];
  return [...new Set(ordered.map(({ repository }) => repository))];
}

/** Only host and path: the protocol and the user don't distinguish repositories. */
export function normalRepository(url: string): string {
  const text = url.replaceAll('"', "");
  const [, host, place] =
    /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/+(.+)$/iu.exec(text) ??
    /^(?:[^@/]+@)?([^/:]+):(?!\/\/)(.+)$/u.exec(text) ??
    [];
  if (host === undefined || place === undefined) return `file:${trimmed(text.replace(/^file:\/\//iu, ""))}`;
  return `${host.toLowerCase()}/${trimmed(place).replace(/^\/+/u, "")}`;
}

function trimmed(place: string): string {
  return place.replace(/\/+$/u, "").replace(/\.git$/u, "");
}
