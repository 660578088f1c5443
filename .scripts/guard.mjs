/** The guard of the README: what the demo publishes, and what its picture shows. */
export const GUARD = `import { defineToolPolicy } from "darwinian-minds/hook-policy";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  beforeToolCall(event) {
    const { command } = event.input as { command: string };
    if (/\\brm\\s+-[a-z]*r/.test(command)) return { action: "deny", reason: "removing folders is for people" };
  },
});
`;
