import type { Decision } from "./decision.ts";
import type { ToolPolicyEvent, WithOptions } from "./event.ts";

/**
 * How failures count. `enforcement`: if the policy throws, times out or returns nonsense, the call is denied.
 * `observer`: its failures are noted and the call proceeds; only a deny of it is applied.
 */
export type PolicyKind = "enforcement" | "observer";

/** One hook policy: the default export of `hooks/<name>/policy.ts`. */
export interface ToolPolicy<Options extends object = never> {
  policyKind: PolicyKind;
  /**
   * A case-sensitive glob for the whole tool name: `Bash`, `mcp__*`, `{Write,Edit}`, `Write|Edit`; `!Read|Grep` is
   * every tool except these two. Absent: every tool.
   */
  matcher?: string;
  /**
   * The time limit of each callback in milliseconds, 1 to 30000; absent: 5000. It also stops loops that never yield.
   */
  timeoutMs?: number;
  beforeToolCall?(
    event: WithOptions<ToolPolicyEvent, Options>,
  ): Decision | undefined | void | Promise<Decision | undefined | void>;
  afterToolCall?(event: WithOptions<ToolPolicyEvent, Options>): void | Promise<void>;
}

/**
 * Gives a policy its types, and those of its options: `defineToolPolicy<HookOptions["my-hook"]>({ … })`. It returns the
 * policy unchanged; drwn checks it when it packs the card.
 */
export function defineToolPolicy<Options extends object = never>(policy: ToolPolicy<Options>): ToolPolicy<Options> {
  return policy;
}
