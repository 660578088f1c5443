import type { HookFacts } from "../../contract/ledger.ts";
import type { Capability } from "../../contract/plan.ts";
import { leaksOf } from "../../kernel/isolation.ts";
import { clean } from "../../kernel/text.ts";

/** One line about one hook: `guard: enforcement on Bash, pre-tool, 5000 ms`. */
export function describeHook({
  name,
  kind,
  matcher,
  phases,
  timeoutMs,
  capabilities,
}: HookFacts & { name: string }): string {
  const uses = capabilities.length === 0 ? "" : `, may use ${capabilities.join(", ")}`;
  return `${clean(name)}: ${kind} on ${matcher === null ? "every tool" : clean(matcher)}, ${phases.join(" and ")}, ${timeoutMs} ms${uses}`;
}

/** What this Node does not hold such a policy to, one line for each. */
export function describeLeaks(capabilities: readonly Capability[]): string[] {
  return leaksOf(capabilities, process.versions.node).map(describeLeak);
}

export function describeLeak(leak: string): string {
  return `Node ${process.versions.node.split(".")[0]} does not keep it from ${leak}`;
}
