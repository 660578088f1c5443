import type { HookFacts } from "../../contract/ledger.ts";
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
