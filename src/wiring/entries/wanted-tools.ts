import { literalTools } from "../../card/matcher.ts";
import type { Adapter } from "../../hot/adapter/adapter.ts";
import type { Phase } from "../../policy/event.ts";
import type { WantingPolicy } from "../wanted.ts";

// Names that can go unescaped into an agent's expression.
const PLAIN_NAME = /^[\w-]+$/u;

/**
 * The agent's own names for the tools about which some policy wants to be asked in this phase; null: all tools, or more
 * than can be listed. Undefined: none. It is a superset, since a policy's matcher decides.
 */
export function wantedTools(
  policies: readonly WantingPolicy[],
  phase: Phase,
  { canonicalTools }: Pick<Adapter, "canonicalTools">,
): string[] | null | undefined {
  const wanting = policies.filter(({ phases }) => phases.includes(phase));
  if (wanting.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matcher } of wanting) {
    const tools = matcher === null ? null : literalTools(matcher);
    // Each agent names the tools of MCP servers in its own way.
    if (tools === null || !tools.every((tool) => PLAIN_NAME.test(tool) && !tool.startsWith("mcp"))) return null;
    for (const tool of tools) {
      names.add(tool);
      for (const [own, canonical] of Object.entries(canonicalTools)) if (canonical === tool) names.add(own);
    }
  }
  return [...names].sort();
}
