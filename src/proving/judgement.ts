import { lazily } from "../format/schema.ts";
import * as z from "../format/zod.ts";

/** What a policy says about one call, in an agent that can carry out all of it. */
export interface Judgement {
  verdict: "allow" | "ask" | "deny";
  /** False: its matcher or its phases leave this call out. */
  isAsked: boolean;
  /** For a deny or an ask; for a failure, what went wrong. */
  reason: string;
  /** It could not do its work, whatever the verdict is. */
  isFailure: boolean;
  /** The input that replaces the call's; null: it stays. */
  updatedInput: unknown;
  /** What the model also gets to read. */
  context: string | null;
}

/** What the process that ran the policy says. Since a policy ran in it, all of this is only a claim. */
const schema = lazily(() =>
  z.object({
    verdict: z.enum(["allow", "ask", "deny"]).default("allow"),
    policies: z
      .array(z.object({ failure: z.string().optional(), answer: z.object({ context: z.string().optional() }) }))
      .default([]),
    reason: z.string().default(""),
    updatedInput: z.unknown().optional(),
  }),
);

/** Undefined: it isn't an answer. */
export function readJudgement(text: string): Judgement | undefined {
  const parsed = schema().safeParse(parse(text));
  if (!parsed.success) return undefined;
  const { verdict, policies, reason, updatedInput } = parsed.data;
  const failure = policies.find((policy) => policy.failure !== undefined)?.failure;
  return {
    verdict,
    isAsked: policies.length > 0,
    reason: reason === "" ? (failure ?? "") : reason,
    isFailure: failure !== undefined,
    updatedInput: updatedInput ?? null,
    context: policies.find(({ answer }) => answer.context !== undefined)?.answer.context ?? null,
  };
}

/** If its policy gives no answer, a call is blocked. */
export function unanswered(why: string): Judgement {
  return { verdict: "deny", isAsked: true, reason: why, isFailure: true, updatedInput: null, context: null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
