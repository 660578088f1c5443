import * as z from "../format/zod.ts";

/** What one policy answered. */
const entry = z.object({
  policy: z.string(),
  kind: z.enum(["enforcement", "observer"]),
  bundle: z.string(),
  mode: z.string().optional(),
  /** What it was consented to for, where that isn't the project of the call. */
  scope: z.enum(["global", "system"]).optional(),
  /** What the agent could carry of the decision, where that is less. */
  carried: z.string().optional(),
  decision: z.string().optional(),
  failure: z.string().optional(),
  /** The person's exception by which the call went past it. */
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
  /** By which the agent names the call before it and after, and its session; absent: it sends none. */
  call: z.string().optional(),
  session: z.string().optional(),
  /** The id of the line by which this call was denied, which ran all the same. */
  overruled: z.string().optional(),
  policies: z.array(entry),
  verdict: z.string(),
  effective: z.string(),
  rule: z.string().optional(),
  by: z.string().optional(),
  reason: z.string().optional(),
  context: z.number().optional(),
  /** Redacted JSON text where a person has asked for inputs. */
  rewritten: z.union([z.literal(true), z.string()]).optional(),
  input: z.string().optional(),
  /** What names a call that was denied, where a person can let it through. */
  named: z.object({ digest: z.string(), folder: z.string(), session: z.string() }).optional(),
  problem: z.string().optional(),
  ms: z.number(),
  hash: z.string(),
});

export type PolicyEntry = z.infer<typeof entry>;

/** One call, as the hook process noted it. */
export type JournalLine = z.infer<typeof line>;

/** Digits of a line's hash that name a call. */
const ID_DIGITS = 12;

export function idOf({ hash }: JournalLine): string {
  return hash.slice(0, ID_DIGITS);
}

/** Undefined: it isn't a line of the journal. A torn line is left to `drwn log --verify`. */
export function parseLine(text: string): JournalLine | undefined {
  try {
    return line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** `@scope/name` of `@scope/name@version#hook`. */
export function cardOf(policy: string): string {
  return policy.slice(0, policy.indexOf("@", 1));
}
