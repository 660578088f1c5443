import { readSessionFolder } from "../../../helpers/outside/programs.ts";
import { type SessionFacts, sessionFrom } from "./call.ts";
import type { PolytokenHook } from "./run-hook.ts";

/** A Polytoken hook in a card, with a limit for its script. */
export interface PolytokenPolicy extends PolytokenHook {
  /** Milliseconds for the script, at most 30000; 10000 when absent. */
  timeoutMs?: number;
}

/** Several hooks on one event have to end before the agent gives up. Polytoken itself waits longer for each. */
export const SCRIPT_MS = 10_000;

/** The part of Polytoken's globs that drwn's own matchers can express: names, stars, and one level of braces. */
const COMMON_GLOB = /^(?!\.\/)(?:[\w.:/@*?-]|\{[\w.:/@*?-]+(?:,[\w.:/@*?-]+)+\})+$/u;
const MOST_CHARACTERS = 128;
const MOST_STARS = 4;
const MOST_BRACES = 2;

/** A glob that means more to Polytoken than to drwn stays in the hook, which is then asked about everything. */
export function commonMatcher(matcher: string | undefined, others: readonly string[] = []): { matcher?: string } {
  if (matcher === undefined || !COMMON_GLOB.test(matcher)) return {};
  const whole = [matcher, ...others].join("|");
  const isCommon =
    whole.length <= MOST_CHARACTERS &&
    matcher.split("*").length <= MOST_STARS + 1 &&
    matcher.split("{").length <= MOST_BRACES + 1;
  return isCommon ? { matcher: whole } : {};
}

/**
 * What the event says about the session, otherwise what the agent told the process: only Polytoken tells all of it. In
 * other agents, the project is the folder in which the session was started.
 */
export function sessionOf(
  { sessionId, cwd }: { sessionId?: string | undefined; cwd?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): SessionFacts {
  const known = sessionFrom(env);
  return {
    ...known,
    sessionId: sessionId ?? known.sessionId,
    projectDir: known.projectDir ?? cwd,
    projectPath: known.projectPath ?? (known.projectDir === undefined ? readSessionFolder() : undefined),
  };
}
