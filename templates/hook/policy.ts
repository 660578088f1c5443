import { defineToolPolicy } from "darwinian-minds/hook-policy";

export default defineToolPolicy({
  // An observer's failures are noted, and the call proceeds. "enforcement" blocks the call instead.
  policyKind: "observer",

  // A glob on the tool's name: "Bash", "mcp__*", "{Write,Edit}". Without it, every tool call is seen.
  // matcher: "Bash",

  // Called after the tool. `beforeToolCall` can answer with allow, deny, ask or log-only.
  async afterToolCall(event) {
    if (event.error !== undefined) console.error(`__HOOK__: ${event.toolName} failed: ${event.error.message}`);
  },
});
