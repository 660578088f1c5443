import type { Message } from "esbuild";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";

/** The namespace of a card's files. */
export const CARD = "card";
export const COMPUTED_NAME = "a policy must name what it imports in a literal string";
const MAXIMUM_DETAILS = 20;

/** Says in terms of policies what the compiler says in terms of bundling. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  "unsupported-dynamic-import": COMPUTED_NAME,
  "unsupported-require-call": "a policy must name what it requires in a literal string",
  "indirect-require": "a policy can only call `require` with a literal string",
  "direct-eval": "a policy cannot use eval",
  "empty-import-meta": "a policy has no import.meta: at run time it isn't a file",
  "require-resolve-not-external": "a policy cannot use require.resolve",
};

interface NamedHook {
  /** The card's name. */
  card?: string;
  hook: string;
}

/** How the message of every problem with one hook begins. */
export function nameHook({ card, hook }: NamedHook): string {
  return card === undefined ? `hook \`${hook}\`` : `${card}: hook \`${hook}\``;
}

/** Says why a hook does not compile, in terms of policies. */
export function refusal(
  source: NamedHook,
  messages: readonly Message[],
  { hint, cause }: { hint: string | undefined; cause: unknown },
): Problem {
  const details = messages.map(describeMessage);
  const why = cause instanceof Error ? `: ${clean(cause.message, 100)}` : "";
  const [first = `the compiler gave up on it${why}`] = details;
  return new Problem("DRWN_POLICY_INVALID", `${nameHook(source)} does not compile: ${first}`, {
    details: details.slice(0, MAXIMUM_DETAILS),
    cause,
    ...(hint === undefined ? {} : { hint }),
  });
}

function describeMessage({ id, text, location }: Message): string {
  const words = OWN_WORDS[id] ?? clean(text.replaceAll(`"${CARD}:`, '"'));
  if (location === null) return words;
  return `${clean(stripNamespace(location.file))}:${location.line}:${location.column + 1}: ${words}`;
}

/** A path in the card, from the name that the compiler and its source maps have for it. */
export function stripNamespace(file: string): string {
  return file.startsWith(`${CARD}:`) ? file.slice(CARD.length + 1) : file;
}
