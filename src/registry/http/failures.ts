import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { showUrl } from "./url.ts";

/** Why a server says no, in terms of what its user can do about it. */
export function refuseStatus(url: URL, status: number, action: string): Problem {
  const shown = showUrl(url);
  if (status === 401 || status === 403) {
    return new Problem("DRWN_REGISTRY_REFUSED", `${url.host} does not let you ${action}: ${status}`, {
      details: [shown],
      hint: `put a token that may into ~/.npmrc: //${url.host}${folderOf(url)}:_authToken=…`,
    });
  }
  if (status === 429 || status >= 500) {
    return new Problem("DRWN_REGISTRY_UNREACHABLE", `${url.host} asks to come back later: ${status}`, {
      details: [shown],
    });
  }
  return new Problem("DRWN_REGISTRY_INVALID", `${url.host} answers with ${status}`, { details: [shown] });
}

/** The failure of a request as a problem. A library's own message may hold the whole URL, so only its code is shown. */
export function describeFailure(url: URL, error: unknown): unknown {
  if (isProblem(error) || !(error instanceof Error)) return error;
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (typeof status === "number") return refuseStatus(url, status, "do this");
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
