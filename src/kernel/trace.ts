import { clean, shellQuote } from "./text.ts";

/** What drwn did, in one word. */
export type TraceKind = "read" | "write" | "remove" | "start" | "ended" | "ask" | "wait" | "decide";

/** Gets one line, without a line break. */
export type TraceListener = (line: string) => void;

interface Listening {
  listen: TraceListener;
  /** The values of environment variables whose names say that they are secret. */
  secrets: readonly string[];
}

let listening: Listening | undefined;

/**
 * From now on the listener gets every step, with the milliseconds since this process began, until the returned function
 * is called. The code that touches files, servers, git, processes and locks knows no host, so a process has only one
 * listener.
 */
export function listenToTrace(listen: TraceListener, env: Readonly<Record<string, string | undefined>>): () => void {
  listening = { listen, secrets: secretsOf(env) };
  return () => {
    listening = undefined;
  };
}

/**
 * Reports a step if anybody listens. It says where files, answers and input are and how large, never what they contain.
 */
export function trace(kind: TraceKind, about: () => string): void {
  if (listening === undefined) return;
  const { listen, secrets } = listening;
  const ms = performance.now().toFixed(1).padStart(8);
  listen(`${ms} ms  ${kind.padEnd(6)}  ${clean(hideSecrets(about(), secrets), LONGEST)}`);
}

export function isTracing(): boolean {
  return listening !== undefined;
}

/** Reports that a program starts; call the returned function to report how it ended. */
export function traceProcess(program: string, words: readonly string[] = []): (how: string | number | null) => void {
  const begun = performance.now();
  trace("start", () => [program, ...words].map(shellQuote).join(" "));
  return (how) => trace("ended", () => `${program}: ${how ?? "killed"}, after ${msSince(begun)}`);
}

export function msSince(begun: number): string {
  return `${(performance.now() - begun).toFixed(1)} ms`;
}

const LONGEST = 400;

/** Hides secrets in a text: those in addresses, npm settings and headers, and these values. */
export function hideSecrets(text: string, secrets: readonly string[] = []): string {
  const known = secrets.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text);
  return PATTERNS.reduce((rest, pattern) => rest.replace(pattern, `$1${HIDDEN}`), known);
}

const HIDDEN = "…";

const PATTERNS = [
  // `user:password@`, and everything after the `?` or `#` of an address.
  /\b([a-z][\w+.-]*:\/\/)[^/\s'"@]*(?=@)/giu,
  /\b([a-z][\w+.-]*:\/\/[^\s'"?#]*)[?#][^\s'"]*/giu,
  /((?:_authToken|_auth|_password|authorization|password|passwd|secret|token|api[-_]?key)["']?\s*[=:]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s'",;]+/giu,
  /(\b(?:bearer|basic)\s+)[\w+/=.~-]{8,}/giu,
  // Tokens with a well-known beginning.
  /(\b)(?:npm_|gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-)[\w-]{10,}/gu,
];

const SECRET_NAME = /token|secret|passw|credential|(?:^|_)(?:key|auth|pat)$|api_?key/iu;
/** A shorter value reveals little, and hiding it would tear other words apart. */
const SHORTEST = 6;

function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= SHORTEST && SECRET_NAME.test(name) ? [value] : [],
  );
}
