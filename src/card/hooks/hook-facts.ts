import { CAPABILITIES, DEADLINES } from "../../contract/plan.ts";
import * as z from "../../format/zod.ts";
import { EVENTS, OTHER_EVENT } from "../../policy/taxonomy.ts";
import { declarationsSchema } from "../options.ts";

const canonical = z.enum(Object.keys(EVENTS) as (keyof typeof EVENTS)[]).exclude(["tool.before"]);

/** When a hook is asked, in every file that says so. */
export const phaseSchema = z.union([
  z.enum(["pre-tool", "post-tool"]),
  canonical,
  z.templateLiteral(["other.", z.string().regex(OTHER_EVENT)]),
]);

/** A hook is a tool policy or a lifecycle hook of one event: a review would not show all of a list that mixes them. */
function areOfOneHook(phases: readonly string[]): boolean {
  const [first, second] = phases;
  if (phases.length === 1) return true;
  return phases.length === 2 && first === "pre-tool" && second === "post-tool";
}

/** Schema of what an index, a lock and a grant say about one hook. */
export const hookFactsShape = {
  kind: z.enum(["enforcement", "observer"]),
  matcher: z.string().nullable(),
  phases: z.array(phaseSchema).refine(areOfOneHook, "before the call, after it, both in this order, or one event"),
  timeoutMs: z.int().min(1).max(DEADLINES.maximum),
  capabilities: z.array(z.enum(CAPABILITIES)),
  options: declarationsSchema.exactOptional(),
};
