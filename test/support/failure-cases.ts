import { type ArmedHome, armHome, type LiteralPolicy } from "./armed-home.ts";
import { atMoment, BAD_POLICIES, type BadPolicy, TIMEOUT_MS } from "./bad-policies.ts";
import { type HookResult, reasonOf, verdictOf } from "./hook-calls.ts";

const good = (card: string): LiteralPolicy => ({
  hook: "good",
  card,
  policy: `{ beforeToolCall: () => ({ action: "deny", reason: "good deny" }), run: () => ({ action: "reject", reason: "good deny" }) }`,
});

type Kind = "enforcement" | "observer";

/** Where a bad policy is, and which other policies are asked. Its card is `@me/guards`. */
const PLACES = {
  alone: (bad: LiteralPolicy) => [bad],
  "before a good deny": (bad: LiteralPolicy) => [bad, good("@me/guards")],
  "after a good deny": (bad: LiteralPolicy) => [good("@me/guards"), bad],
  "beside another publisher's good deny": (bad: LiteralPolicy) => [bad, good("@you/good")],
} as const;
export type Place = keyof typeof PLACES;

/** Before a tool call, or as a lifecycle hook on a prompt. */
const PHASES = ["pre-tool", "prompt.submit"] as const;
type Phase = (typeof PHASES)[number];

export interface FailureCase {
  bad: BadPolicy;
  kind: Kind;
  place: Place;
  phase: Phase;
}

/** The whole product: first every case of one phase, eight for each bad policy, then every case of the other. */
export const FAILURE_CASES: readonly FailureCase[] = PHASES.flatMap((phase) =>
  BAD_POLICIES.flatMap((bad) =>
    (["enforcement", "observer"] as const).flatMap((kind) =>
      (Object.keys(PLACES) as Place[]).map((place) => ({ bad, kind, place, phase })),
    ),
  ),
);

export function titleOf({ bad: [name], kind, place, phase }: FailureCase): string {
  return `a ${phase === "pre-tool" ? "policy" : "lifecycle hook"} that ${name} (${kind}, ${place})`;
}

/** Runs the case through the real hook: what happened, and what should have. */
export function runFailureCase({ bad, kind, place, phase }: FailureCase): { got: unknown; expected: unknown } {
  const [, literal, says] = phase === "pre-tool" ? bad : atMoment(bad);
  // A policy that must not be late has all the time that a busy machine may need.
  const timeoutMs = says.endsWith(` ${TIMEOUT_MS} ms`) ? TIMEOUT_MS : 20_000;
  const policies = PLACES[place]({ hook: "bad", kind, timeoutMs, ...literal });
  const armed = armHome(policies.map((policy) => ({ ...policy, phases: [phase] })));
  const result = phase === "pre-tool" ? armed.call() : armed.call(PROMPT, { phase });
  const isAsked = place !== "after a good deny";
  return {
    got: { ...saidBy(result), failures: failuresOf(armed) },
    expected: {
      ...expectedOf({ kind, place }),
      failures: isAsked ? [`@me/guards@1.2.3#bad ${says}`] : [],
    },
  };

  function saidBy(of: HookResult): { verdict: string; reason: string } {
    const reason = of.said?.reason ?? reasonOf(of);
    // Other tests check the whole wording.
    const isOwn = /^\[@me\/guards#bad\] (?:the policy|guards) /u.test(reason) && reason.includes(says);
    const verdict = of.said?.decision === "block" && of.status === 0 ? "deny" : verdictOf(of);
    return { verdict, reason: isOwn ? "its own failure" : reason.startsWith("[") ? reason : "" };
  }

  function failuresOf(of: ArmedHome): string[] {
    const [line] = of.journal() as { policies: { policy: string; failure?: string }[] }[];
    return (line?.policies ?? []).flatMap(({ policy, failure }) =>
      failure === undefined ? [] : [`${policy} ${failure.includes(says) ? says : failure}`],
    );
  }
}

const PROMPT = { hook_event_name: "UserPromptSubmit", prompt: "hello" };

function expectedOf({ kind, place }: Pick<FailureCase, "kind" | "place">): { verdict: string; reason: string } {
  if (place === "after a good deny") return { verdict: "deny", reason: "[@me/guards#good] good deny" };
  if (kind === "enforcement") return { verdict: "deny", reason: "its own failure" };
  if (place === "alone") return { verdict: "silence", reason: "" };
  const card = place === "before a good deny" ? "@me/guards" : "@you/good";
  return { verdict: "deny", reason: `[${card}#good] good deny` };
}
