import { randomUUID } from "node:crypto";
import path from "node:path";
import { Problem } from "../../kernel/problem.ts";
import { readIfThere } from "../../kernel/read-file.ts";
import { isBelow } from "../http/url.ts";

/** Runs git with settings besides the usual ones; undefined: it failed. */
export type TryGit = (
  args: readonly string[],
  more?: { input?: string; settings?: readonly string[] },
) => Promise<string | undefined>;

/**
 * Whether drwn must keep the user's credential helper from the repository's host, which a project may have named: the
 * helper answers for every host, even one that cannot exist, and the user's settings don't name it for this one.
 */
export async function isHelperForAll(repository: URL, tryGit: TryGit): Promise<boolean> {
  const input = `protocol=https\nhost=${randomUUID()}.invalid\n\n`;
  const answer = await tryGit(["credential", "fill"], { input, settings: ["credential.interactive=false"] });
  if (answer === undefined || !/^password=/mu.test(answer)) return false;
  const keys = (await tryGit(["config", "--name-only", "--get-regexp", KEY_OF_HOST])) ?? "";
  const addresses = keys.split("\n").map((key) => key.slice("credential.".length, -".helper".length));
  return !isBelow(repository, addresses);
}

const KEY_OF_HOST = "^credential\\..+\\.helper$";

/**
 * libcurl gives the `default` of ~/.netrc to any host that asks, whatever git's settings say. It prefers an entry for
 * the host that comes before.
 */
export function refuseDefaultLogin(repository: URL, home: string | undefined): void {
  const file = home === undefined ? undefined : path.join(home, ".netrc");
  const text = file === undefined ? undefined : readIfThere(file)?.toString("utf8").toLowerCase();
  const words = (text ?? "").replaceAll(/^\s*#.*$/gmu, "").split(/\s+/u);
  const end = words.findIndex((word, at) => word === "default" && !TAKES_A_WORD.has(words[at - 1] ?? ""));
  if (end < 0) return;
  const host = repository.hostname;
  const own = words.findIndex((word, at) => word === "machine" && words[at + 1] === host && words[at + 2] === "login");
  if (own >= 0 && own < end) return;
  throw new Problem("DRWN_URL_REFUSED", `\`default\` in ~/.netrc would give your password to ${host}`, {
    details: [`asked for: ${repository.href}`],
    hint: `take \`default\` out of ~/.netrc, or put before it: machine ${host} login <name> password <password>`,
  });
}

const TAKES_A_WORD = new Set(["machine", "login", "password", "account", "macdef"]);
