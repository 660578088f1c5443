import * as z from "../../format/zod.ts";
import { trace } from "../../kernel/trace.ts";

/** The outcome of a policy that was asked. */
export const tracedPolicy = z.object({
  policy: z.string(),
  kind: z.string(),
  mode: z.string().optional(),
  decision: z.string().optional(),
  failure: z.string().optional(),
  carried: z.string().optional(),
  ms: z.number(),
  applied: z.boolean(),
});

/** What the hook process tells a listening command about one event. */
export const tracedCall = z.object({
  /** The digest of the plan; "": there is none, it is damaged or paused. */
  plan: z.string(),
  /** When consents and plan were verified, in milliseconds since the process started. */
  verified: z.number(),
  tool: z.string().nullable(),
  policies: z.array(tracedPolicy),
  verdict: z.string(),
  effective: z.string(),
  rule: z.string().optional(),
  by: z.string().optional(),
  problem: z.string().optional(),
  ms: z.number(),
});

/** Traces what the hook process did: what it verified, which policies it asked, for how long, and what it answered. */
export function traceCall({
  plan,
  verified,
  policies,
  effective,
  rule,
  by,
  problem,
  ms,
}: z.infer<typeof tracedCall>): void {
  const read = plan === "" ? "consents read" : `plan ${plan} verified`;
  trace("decide", () => `hook process, ${verified} ms after it started: ${read}`);
  for (const { policy, decision, failure = "", carried, applied, ms: took } of policies) {
    const became = carried === undefined ? "" : `, carried as ${carried}`;
    const effect = applied ? "" : ", without effect";
    trace("decide", () => `${policy}: ${decision ?? `failed: ${failure}`}, after ${took} ms${became}${effect}`);
  }
  const why = [rule, by].filter((word) => word !== undefined).join(" by ");
  const trouble = problem === undefined ? "" : `: ${problem}`;
  trace(
    "decide",
    () => `hook process, ${ms} ms after it started: ${effective}${why === "" ? "" : ` (${why})`}${trouble}`,
  );
}
