import { Problem } from "../../kernel/problem.ts";
import { msSince, trace } from "../../kernel/trace.ts";
import { type HttpAnswer, readBody } from "./body.ts";
import { describeFailure, refuseStatus } from "./failures.ts";
import { isBelow, parseHttpUrl, showUrl, withoutProxy } from "./url.ts";

/** The only way in which drwn asks servers for something. */
export interface Http {
  /** The body; undefined if there is nothing (404, 410). */
  get(url: string, request: GetRequest): Promise<Buffer | undefined>;
  put(url: string, body: unknown, request: { action: string }): Promise<void>;
}

export interface GetRequest {
  maximumBytes: number;
  accept?: string;
}

export interface HttpSettings {
  /** In the form of npm's libraries: credentials by URL, proxy, certificates. */
  options: Readonly<Record<string, unknown>>;
  /** Credentials only go to URLs below one of these addresses. Absent: to any URL that they are for. */
  registries?: readonly string[];
  /** For a whole request, with redirects, retries and body. */
  deadlineMs?: number;
}

const DEADLINE_MS = 120_000;
const REDIRECTS = 5;
const REPETITIONS = { retries: 2, factor: 4, minTimeout: 250, maxTimeout: 4_000 };

/**
 * Limits time, bytes and redirects. Sends credentials only to the origin that was asked, and follows no redirect away
 * from https.
 */
export function openHttp({ options, registries, deadlineMs = DEADLINE_MS }: HttpSettings): Http {
  const isNamed = (url: URL) => registries === undefined || isBelow(url, registries);
  return {
    get: async (text, { maximumBytes, accept = "*/*" }) => {
      const url = parseHttpUrl(text);
      const controller = new AbortController();
      return withDeadline(url, { controller, deadlineMs }, async () => {
        const answer = await follow(url, { method: "GET", headers: { accept }, options, isNamed, controller });
        if (answer.status === 404 || answer.status === 410) return undefined;
        const { status } = answer;
        if (status !== 200) throw refuseStatus(url, { status, action: "download this", isNamed: isNamed(url) });
        return readBody(answer, { url, maximumBytes, controller });
      });
    },
    put: async (text, body, { action }) => {
      const url = parseHttpUrl(text);
      const controller = new AbortController();
      const headers = { accept: "application/json", "content-type": "application/json" };
      await withDeadline(url, { controller, deadlineMs }, async () => {
        const sent = { method: "PUT", headers, body: JSON.stringify(body), options, isNamed, controller };
        const { status } = await send(url, { ...sent, isOrigin: true });
        if (status < 200 || status > 299) throw refuseStatus(url, { status, action });
      });
    },
  };
}

interface HttpRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  options: Readonly<Record<string, unknown>>;
  /** Whether credentials may go there. */
  isNamed: (url: URL) => boolean;
  controller: AbortController;
}

async function follow(first: URL, request: HttpRequest): Promise<HttpAnswer> {
  let url = first;
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    const answer = await send(url, { ...request, isOrigin: url.origin === first.origin });
    const location = answer.headers.get("location");
    if (answer.status < 300 || answer.status > 399 || location === null) return answer;
    const next = parseHttpUrl(location, url);
    if (url.protocol === "https:" && next.protocol !== "https:") {
      throw new Problem("DRWN_URL_REFUSED", `${showUrl(url)} leads away from https`, {
        details: [`to: ${showUrl(next)}`],
      });
    }
    url = next;
  }
  throw new Problem("DRWN_URL_REFUSED", `${showUrl(first)} redirects too often`, {
    details: [`at most ${REDIRECTS} redirects are followed`],
  });
}

async function send(
  url: URL,
  { isOrigin, isNamed, options, controller, ...request }: HttpRequest & { isOrigin: boolean },
): Promise<HttpAnswer> {
  const { default: fetch } = await import("make-fetch-happen");
  const { default: npm } = await import("npm-registry-fetch");
  const auth = isOrigin && isNamed(url) ? npm.getAuth(url.href, credentialsIn(options)) : NO_CREDENTIALS;
  const authorization = auth.token ? `Bearer ${auth.token}` : auth.auth ? `Basic ${auth.auth}` : undefined;
  const asked = `${request.method} ${showUrl(url)}`;
  const begun = performance.now();
  trace("ask", () => `${asked}${authorization === undefined ? "" : ", with credentials"}`);
  const answer = await fetch(url.href, {
    ...request,
    headers: { ...request.headers, ...(authorization === undefined ? {} : { authorization }) },
    redirect: "manual",
    cache: "no-store",
    retry: request.method === "GET" ? REPETITIONS : { retries: 0 },
    signal: controller.signal,
    ca: options["ca"],
    cert: auth.cert ?? undefined,
    key: auth.key ?? undefined,
    localAddress: options["localAddress"],
    proxy: options["httpsProxy"] ?? options["proxy"],
    noProxy: withoutProxy(url, options["noProxy"]),
    strictSSL: options["strictSSL"] !== false,
    maxSockets: 12,
  });
  trace("ended", () => `${asked}: ${answer.status}, after ${msSince(begun)}`);
  return answer;
}

const NO_CREDENTIALS = { token: null, auth: null, cert: null, key: null };

/** Only credentials for a place. npm's library would also send a registry's to other places on the same host. */
function credentialsIn(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(options).filter(([key]) => key.startsWith("//")));
}

async function withDeadline<T>(
  url: URL,
  { controller, deadlineMs }: { controller: AbortController; deadlineMs: number },
  work: () => Promise<T>,
): Promise<T> {
  const { promise: late, reject } = withRejection();
  const timer = setTimeout(() => {
    reject(new Problem("DRWN_REGISTRY_UNREACHABLE", `${showUrl(url)} did not finish within ${deadlineMs} ms`));
    controller.abort();
  }, deadlineMs);
  try {
    // Otherwise this would wait for retries, which ending the connection starts.
    return await Promise.race([work(), late]);
  } catch (error) {
    throw describeFailure(url, error);
  } finally {
    clearTimeout(timer);
    // A body that nobody reads may never end, and keep the process alive.
    controller.abort();
  }
}

function withRejection(): { promise: Promise<never>; reject: (error: Problem) => void } {
  let reject: (error: Problem) => void = () => {};
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  return { promise, reject };
}
