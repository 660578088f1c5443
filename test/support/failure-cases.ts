import { type ArmedHome, armHome, type HookResult, type LiteralPolicy, reasonOf, verdictOf } from "./armed-home.ts";
import { BAD_POLICIES, type BadPolicy, TIMEOUT_MS } from "./bad-policies.ts";

const good = (card: string): LiteralPolicy => ({
  hook: "good",
  card,
  policy: `{ beforeToolCall: () => ({ action: "deny", reason: "good deny" }) }`,
});

type Kind = "enforcement" | "observer";

/** Where a bad policy stands, and what else is asked. Its card is `@me/guards`. */
const PLACES = {
  alone: (bad: LiteralPolicy) => [bad],
  "before a good deny": (bad: LiteralPolicy) => [bad, good("@me/guards")],
  "after a good deny": (bad: LiteralPolicy) => [good("@me/guards"), bad],
  "beside another publisher's good deny": (bad: LiteralPolicy) => [bad, good("@you/good")],
} as const;
export type Place = keyof typeof PLACES;

export interface FailureCase {
  bad: BadPolicy;
  kind: Kind;
  place: Place;
}

/** The whole product. */
export const FAILURE_CASES: readonly FailureCase[] = BAD_POLICIES.flatMap((bad) =>
  (["enforcement", "observer"] as const).flatMap((kind) =>
    (Object.keys(PLACES) as Place[]).map((place) => ({ bad, kind, place })),
  ),
);

export function titleOf({ bad: [name], kind, place }: FailureCase): string {
  return `a policy that ${name} (${kind}, ${place})`;
}

/** Runs the case through the real hook: what it came to, and what was to be expected. */
export function runFailureCase({ bad, kind, place }: FailureCase): { got: unknown; expected: unknown } {
  const [, literal, says] = bad;
  const armed = armHome(PLACES[place]({ hook: "bad", kind, timeoutMs: TIMEOUT_MS, ...literal }));
  const result = armed.call();
  const isAsked = place !== "after a good deny";
  return {
    got: { ...saidBy(result), failures: failuresOf(armed) },
    expected: {
      ...expectedOf({ bad, kind, place }),
      failures: isAsked ? [`@me/guards@1.2.3#bad ${says}`] : [],
    },
  };

  function saidBy(of: HookResult): { verdict: string; reason: string } {
    const reason = reasonOf(of);
    // The whole wording is the business of other tests.
    const isOwn = reason.startsWith("[@me/guards#bad] the policy ") && reason.includes(says);
    return { verdict: verdictOf(of), reason: isOwn ? "its own failure" : reason.startsWith("[") ? reason : "" };
  }

  function failuresOf(of: ArmedHome): string[] {
    const [line] = of.journal() as { policies: { policy: string; failure?: string }[] }[];
    return (line?.policies ?? []).flatMap(({ policy, failure }) =>
      failure === undefined ? [] : [`${policy} ${failure.includes(says) ? says : failure}`],
    );
  }
}

function expectedOf({ kind, place }: FailureCase): { verdict: string; reason: string } {
  if (place === "after a good deny") return { verdict: "deny", reason: "[@me/guards#good] good deny" };
  if (kind === "enforcement") return { verdict: "deny", reason: "its own failure" };
  if (place === "alone") return { verdict: "silence", reason: "" };
  const card = place === "before a good deny" ? "@me/guards" : "@you/good";
  return { verdict: "deny", reason: `[${card}#good] good deny` };
}
