import { isProblem, Problem } from "../../kernel/problem.ts";
import { clean, shellQuote } from "../../kernel/text.ts";
import { msSince, trace } from "../../kernel/trace.ts";
import { isBelow, parseHttpUrl, showUrl, withoutProxy } from "./url.ts";

/** The only way in which drwn asks servers for something. */
export interface Http {
  /** The body; undefined if there is nothing (404, 410). */
  get(url: string, request: GetRequest): Promise<Buffer | undefined>;
  put(url: string, body: unknown, request: PutRequest): Promise<void>;
}

interface PutRequest {
  action: string;
  /** Instead of the usual one. */
  deadlineMs?: number;
}

interface GetRequest {
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
    put: async (text, body, { action, deadlineMs: own = deadlineMs }) => {
      const url = parseHttpUrl(text);
      const controller = new AbortController();
      const headers = { accept: "application/json", "content-type": "application/json" };
      await withDeadline(url, { controller, deadlineMs: own }, async () => {
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
    const answer = await send(url, { ...request, isOrigin: url.origin === first.origin }).catch((error: unknown) => {
      throw url === first ? error : describeRedirected(first, describeFailure(url, error));
    });
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

/** The host that fails isn't the one that somebody named. */
function describeRedirected(first: URL, failure: unknown): unknown {
  if (!isProblem(failure)) return failure;
  const { code, message, details, hint, cause } = failure;
  const chain = [`redirected from: ${showUrl(first)}`, ...details];
  return new Problem(code, message, { details: chain, cause, ...(hint === undefined ? {} : { hint }) });
}

async function send(
  url: URL,
  { isOrigin, isNamed, options, controller, ...request }: HttpRequest & { isOrigin: boolean },
): Promise<HttpAnswer> {
  const { default: fetch } = await import("make-fetch-happen");
  const { default: getAuth } = await import("npm-registry-fetch/lib/auth.js");
  const auth = isOrigin && isNamed(url) ? getAuth(url.href, credentialsIn(options)) : NO_CREDENTIALS;
  const [, unset] = /\$\{([^}]+)\}/u.exec(auth.token ?? "") ?? [];
  if (unset !== undefined) {
    throw new Problem(
      "DRWN_REGISTRY_REFUSED",
      `your .npmrc takes the token for ${url.host} from ${clean(unset, 80)}, which isn't set`,
      {
        hint: `export ${clean(unset, 80)}=…`,
      },
    );
  }
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

interface HttpAnswer {
  status: number;
  headers: { get(name: string): string | null };
  body: AsyncIterable<Uint8Array>;
}

interface Bounds {
  url: URL;
  maximumBytes: number;
  /** Ends the connection when too much arrives. */
  controller: AbortController;
}

/** The whole body, decompressed. Refuses one as soon as it is too large, or if it isn't as long as announced. */
async function readBody({ headers, body }: HttpAnswer, { url, maximumBytes, controller }: Bounds): Promise<Buffer> {
  const announced = headers.get("content-encoding") === null ? headers.get("content-length") : null;
  const tooLarge = (bytes: string) => {
    controller.abort();
    return new Problem("DRWN_DOWNLOAD_TOO_LARGE", `${showUrl(url)} sends ${bytes} bytes`, {
      details: [`at most ${maximumBytes} are read`],
    });
  };
  if (announced !== null && Number(announced) > maximumBytes) throw tooLarge(String(Number(announced)));
  const chunks: Uint8Array[] = [];
  let received = 0;
  for await (const chunk of body) {
    received += chunk.length;
    if (received > maximumBytes) throw tooLarge(`more than ${maximumBytes}`);
    chunks.push(chunk);
  }
  if (announced !== null && Number(announced) !== received) {
    throw new Problem(
      "DRWN_REGISTRY_INVALID",
      `${showUrl(url)} announces ${Number(announced)} bytes and sends ${received}`,
    );
  }
  return Buffer.concat(chunks);
}

interface Refused {
  status: number;
  /** What drwn wanted to do. */
  action: string;
  /** Whether drwn may send the user's credentials there. */
  isNamed?: boolean;
}

/** Why a server says no, and what the user can do about it. */
function refuseStatus(url: URL, { status, action, isNamed = true }: Refused): Problem {
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
  if (status === 407) {
    return new Problem("DRWN_REGISTRY_REFUSED", `the proxy on the way to ${url.host} asks who you are: 407`, {
      details: [shown],
      hint: "put a user and a password into ~/.npmrc: https-proxy=http://user:password@host:port",
    });
  }
  if (status === 429 || status >= 500) {
    return new Problem("DRWN_REGISTRY_UNREACHABLE", `${url.host} asks to come back later: ${status}`, {
      details: [shown],
    });
  }
  return new Problem("DRWN_REGISTRY_INVALID", `${url.host} answers with ${status}`, { details: [shown] });
}

/** Node's codes for a certificate that nobody whom it knows has signed. */
const CERTIFICATE = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)/u;

/**
 * The failure of a request as a problem. A library's own message may hold the whole URL, so this shows only its code.
 */
function describeFailure(url: URL, error: unknown): unknown {
  if (isProblem(error) || !(error instanceof Error)) return error;
  const code = "code" in error ? error.code : undefined;
  if (typeof code !== "string" || error instanceof TypeError) return error;
  if (/^Proxy connection .*\(407 /u.test(error.message)) return refuseStatus(url, { status: 407, action: "" });
  return new Problem("DRWN_REGISTRY_UNREACHABLE", `${url.host} cannot be reached: ${clean(code, 60)}`, {
    details: [showUrl(url)],
    ...(CERTIFICATE.test(code)
      ? { hint: "if its certificate is of your own authority, name the file of that in ~/.npmrc: cafile=…" }
      : {}),
    cause: error,
  });
}

function folderOf(url: URL): string {
  return url.pathname.slice(0, url.pathname.lastIndexOf("/") + 1);
}
