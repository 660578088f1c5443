import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { showUrl } from "./url.ts";

interface Refused {
  status: number;
  /** What drwn wanted to do. */
  action: string;
  /** Whether drwn may send the user's credentials there. */
  isNamed?: boolean;
}

/** Why a server says no, and what the user can do about it. */
export function refuseStatus(url: URL, { status, action, isNamed = true }: Refused): Problem {
  const shown = showUrl(url);
  if (status === 401 || status === 403) {
    const place = `${url.host}${folderOf(url)}`;
    return new Problem("DRWN_REGISTRY_REFUSED", `${url.host} does not let you ${action}: ${status}`, {
      details: [
        shown,
        ...(isNamed ? [] : ["drwn sends your credentials for a tarball only below a registry that you have named"]),
      ],
      hint: isNamed
        ? `put a token with that permission into ~/.npmrc: //${place}:_authToken=…`
        : `if your credentials are for it: drwn registry add <name> ${shellQuote(`${url.protocol}//${place}`)}`,
    });
  }
  if (status === 429 || status >= 500) {
    return new Problem("DRWN_REGISTRY_UNREACHABLE", `${url.host} asks to come back later: ${status}`, {
      details: [shown],
    });
  }
  return new Problem("DRWN_REGISTRY_INVALID", `${url.host} answers with ${status}`, { details: [shown] });
}

/**
 * The failure of a request as a problem. A library's own message may hold the whole URL, so this shows only its code.
 */
export function describeFailure(url: URL, error: unknown): unknown {
  if (isProblem(error) || !(error instanceof Error)) return error;
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (typeof status === "number") return refuseStatus(url, { status, action: "do this" });
  const code = "code" in error ? error.code : undefined;
  if (typeof code !== "string" || error instanceof TypeError) return error;
  return new Problem("DRWN_REGISTRY_UNREACHABLE", `${url.host} cannot be reached: ${clean(code, 60)}`, {
    details: [showUrl(url)],
    cause: error,
  });
}

function folderOf(url: URL): string {
  return url.pathname.slice(0, url.pathname.lastIndexOf("/") + 1);
}
