import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { changes } from "darwinian-minds/hook-policy/helpers";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash|mcp__*",
  timeoutMs: 2000,
  beforeToolCall(event) {
    const found = changes(event);
    const published = found.find(({ does, isCertain }) => does === "publishes" && isCertain);
    if (published !== undefined)
      return {
        action: "deny",
        reason: `\`${published.what}\` publishes under somebody's name, and what is published stays. Build and check it (--dry-run, pack), and let a person publish`,
      };
    const opened = found.find(({ does }) => does === "publishes");
    if (opened !== undefined)
      return {
        action: "ask",
        reason: `\`${opened.what}\` shows this to everybody. Keep it private (--private), and let a person decide`,
        irreversible: true,
      };
    const deployed = found.find(({ does }) => does === "deploys");
    if (deployed === undefined) return undefined;
    return {
      action: "ask",
      reason: `\`${deployed.what}\` deploys this to where others use it. Build it, or deploy a preview, and let a person decide`,
      irreversible: true,
    };
  },
});
