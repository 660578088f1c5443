import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/**
 * A URL that drwn may ask: https, or http only on this machine, and without credentials. Those belong into .npmrc; in
 * the URL they would be written down with it.
 */
export function parseHttpUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (url === undefined) throw refuse(clean(text, 120), "isn't a URL");
  if (url.username !== "" || url.password !== "") {
    throw refuse(
      showUrl(url),
      "carries credentials",
      "put them into ~/.npmrc, or leave them to git's credential helper",
    );
  }
  if (isDisguised(url.pathname)) throw refuse(showUrl(url), "has an encoded `..` in its path");
  if (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname))) return url;
  throw refuse(showUrl(url), "is not https");
}

/** Servers differ in where `..%2f` leads: perhaps out of the folder that a token is for. */
function isDisguised(pathname: string): boolean {
  return /(?:^|[\\/]|%2f|%5c)(?:\.|%2e){1,2}(?:[\\/]|%2f|%5c|$)/iu.test(pathname);
}

/** Whether the URL is in a folder that one of these addresses names. */
export function isBelow(url: URL, addresses: readonly string[]): boolean {
  return addresses.some((address) => {
    const base = URL.canParse(address) ? new URL(address) : undefined;
    return base?.origin === url.origin && url.pathname.startsWith(base.pathname.replace(/\/?$/u, "/"));
  });
}

/** The hosts to ask without a proxy. A proxy could read what drwn sends to this machine over http, even tokens. */
export function withoutProxy(url: URL, configured: unknown): unknown {
  return url.protocol === "http:" ? url.hostname : configured;
}

/** Without credentials and query, either of which may hold a secret. */
export function showUrl(url: URL): string {
  return clean(`${url.protocol}//${url.host}${url.pathname}`, 200);
}

/** The URL of a folder: it ends with a slash. */
export function parseBaseUrl(text: string): string {
  const url = parseHttpUrl(text);
  if (url.search !== "" || url.hash !== "") throw refuse(showUrl(url), "has a query or a fragment");
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url.href;
}

function refuse(shown: string, why: string, hint?: string): Problem {
  return new Problem("DRWN_URL_REFUSED", `${shown} ${why}`, hint === undefined ? {} : { hint });
}
