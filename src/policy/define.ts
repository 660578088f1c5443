import type { Decision } from "./decision.ts";
import type { ToolPolicyEvent, WithOptions } from "./event.ts";

/**
 * How failures count. `enforcement`: a policy that throws, times out or answers nonsense denies the call.
 * `observer`: its failures are noted and the call proceeds; of its decisions only a deny is applied.
 */
export type PolicyKind = "enforcement" | "observer";

/** One hook policy: what the default export of `hooks/<name>/policy.ts` must be. */
export interface ToolPolicy<Options extends object = never> {
  policyKind: PolicyKind;
  /** A glob on the whole tool name, case-sensitive: `Bash`, `mcp__*`, `{Write,Edit}`, `Write|Edit`; `!Read|Grep` is every tool but these two. Absent: every tool. */
  matcher?: string;
  /** Milliseconds for each callback, 1 to 30000; 5000 when absent. It holds for loops that never yield, too. */
  timeoutMs?: number;
  beforeToolCall?(
    event: WithOptions<ToolPolicyEvent, Options>,
  ): Decision | undefined | void | Promise<Decision | undefined | void>;
  afterToolCall?(event: WithOptions<ToolPolicyEvent, Options>): void | Promise<void>;
}

/**
 * Gives a policy its types, those of its options among them: `defineToolPolicy<HookOptions["my-hook"]>({ … })`. It returns what it was given; the
 * checks are made when the card is packed.
 */
export function defineToolPolicy<Options extends object = never>(policy: ToolPolicy<Options>): ToolPolicy<Options> {
  return policy;
}
