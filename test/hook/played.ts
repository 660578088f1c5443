import fc from "fast-check";
import {
  nextQuestion,
  type Role,
  recordAnswer,
  startComposition,
  type Verdict,
} from "../../src/hook/answer/compose.ts";
import { failure, NO_OPINION, type PolicyAnswer } from "../../src/hook/run/policy-answer.ts";

/** A policy as a function of the input it is asked about. */
export interface Scripted {
  enforces: boolean;
  /** In place of what `enforces` says. */
  role?: Role;
  answers: Readonly<Record<string, PolicyAnswer>>;
}

/** What policies can be asked about. */
export const inputs = ["0", "1", "2", "3"];
export const ORIGINAL = "0";

export const allow = (fields: Partial<PolicyAnswer> = {}): PolicyAnswer => ({
  ...NO_OPINION,
  action: "allow",
  ...fields,
});
export const deny = (reason: string): PolicyAnswer => ({ ...NO_OPINION, action: "deny", reason });
export const ask = (reason: string): PolicyAnswer => ({ ...NO_OPINION, action: "ask", reason });

const anAnswer: fc.Arbitrary<PolicyAnswer> = fc.oneof(
  fc.constant(NO_OPINION),
  fc.constant<PolicyAnswer>({ ...NO_OPINION, action: "log-only" }),
  fc.constant(allow()),
  fc.constantFrom("c1", "c2").map((context) => allow({ context })),
  fc.constantFrom(...inputs).map((updatedInput) => allow({ updatedInput })),
  fc.constantFrom("why", "what").map(ask),
  { arbitrary: fc.constantFrom("no", "never").map(deny), weight: 1 },
  fc.constant(failure("broke")),
);

export const aPolicy: fc.Arbitrary<Scripted> = fc.record({
  enforces: fc.boolean(),
  answers: fc.record(Object.fromEntries(inputs.map((input) => [input, anAnswer]))) as fc.Arbitrary<
    Record<string, PolicyAnswer>
  >,
});

/** Policies of any kind that answer anything, and the same to the same input. */
export const policies = fc.array(aPolicy, { maxLength: 5 });

interface Played {
  verdict: Verdict;
  asked: { policy: number; input: string; answer: PolicyAnswer }[];
}

/** Asks until there is a verdict. */
export function play(scripted: readonly Scripted[]): Played {
  const composition = startComposition(
    scripted.map(({ enforces, role }) => role ?? (enforces ? "enforce" : "observe")),
    ORIGINAL,
  );
  const asked: Played["asked"] = [];
  for (let question = nextQuestion(composition); question !== null; question = nextQuestion(composition)) {
    const answer = scripted[question.policy]?.answers[question.input] ?? NO_OPINION;
    asked.push({ policy: question.policy, input: question.input, answer });
    recordAnswer(composition, question, answer);
    if (asked.length > 100) throw new Error("the questions do not end");
  }
  if (composition.verdict === null) throw new Error("there is no verdict");
  return { verdict: composition.verdict, asked };
}

/** Whether the answer of this policy ends the call. */
export const halts = ({ enforces }: Scripted, { action }: PolicyAnswer) =>
  action === "deny" || (enforces && action === "failure");
/** A policy that says the same whatever the input is. */
export const always = (enforces: boolean, answer: PolicyAnswer): Scripted => ({
  enforces,
  answers: Object.fromEntries(inputs.map((input) => [input, answer])),
});
