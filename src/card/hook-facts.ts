import { CAPABILITIES, DEADLINES } from "../contract/plan.ts";
import { z } from "../format/schema.ts";

/** Schema of what an index, a lock and a grant say of one hook. */
export const hookFactsShape = {
  kind: z.enum(["enforcement", "observer"]),
  matcher: z.string().nullable(),
  phases: z.array(z.enum(["pre-tool", "post-tool"])).min(1),
  timeoutMs: z.int().min(1).max(DEADLINES.maximum),
  capabilities: z.array(z.enum(CAPABILITIES)),
};
