import * as z from "../format/zod.ts";

/** What one policy answered. */
const entry = z.object({
  policy: z.string(),
  kind: z.enum(["enforcement", "observer"]),
  bundle: z.string(),
  mode: z.string().optional(),
  /** The scope it was consented to for, unless that is the project of the call. */
  scope: z.enum(["around", "global", "system"]).optional(),
  /** What the agent could carry, if that is less than the decision. */
  carried: z.string().optional(),
  decision: z.string().optional(),
  failure: z.string().optional(),
  /** The person's exception that let the call past it. */
  exception: z.string().optional(),
  rewrote: z.boolean().optional(),
  ms: z.number(),
  applied: z.boolean(),
});

const line = z.object({
  time: z.string(),
  runtime: z.string(),
  phase: z.string(),
  tool: z.string().nullable(),
  /** The agent's id for the call, the same before and after it, and its session; absent: the agent sends none. */
  call: z.string().optional(),
  session: z.string().optional(),
  policies: z.array(entry),
  verdict: z.string(),
  effective: z.string(),
  rule: z.string().optional(),
  by: z.string().optional(),
  reason: z.string().optional(),
  context: z.number().optional(),
  /** Redacted JSON text if the journal keeps it. */
  rewritten: z.union([z.literal(true), z.string()]).optional(),
  input: z.string().optional(),
  /** The input is all of it: only words that look like secrets were replaced. */
  isWhole: z.literal(true).optional(),
  /** Identifies a denied call that a person can let through. */
  named: z.object({ digest: z.string(), folder: z.string(), session: z.string() }).optional(),
  problem: z.string().optional(),
  ms: z.number(),
  hash: z.string(),
});

/** One call, as the hook process noted it. */
export type JournalLine = z.infer<typeof line>;

/** How many digits of a line's hash are a call's id. */
const ID_DIGITS = 12;

export function idOf({ hash }: JournalLine): string {
  return hash.slice(0, ID_DIGITS);
}

/** Undefined: it isn't a line of the journal. `drwn log --verify` reports torn lines. */
export function parseLine(text: string): JournalLine | undefined {
  try {
    return line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** `@scope/name`, from `@scope/name@version#hook`. */
export function cardOf(policy: string): string {
  return policy.slice(0, policy.indexOf("@", 1));
}
