/** A whole `policy.ts` around the object for `defineToolPolicy`. */
function policy(fields: string): string {
  return `import { defineToolPolicy } from "darwinian-minds/hook-policy";\n\nexport default defineToolPolicy({\n${fields}\n});\n`;
}

/** A pre-tool policy on Bash whose callback has this body. */
function onBash(kind: "enforcement" | "observer", body: string): string {
  return policy(
    `  policyKind: "${kind}",\n  matcher: "Bash",\n  timeoutMs: 2000,\n  beforeToolCall(event) {\n    ${body}\n  },`,
  );
}

export const REASON = "touching files is not allowed here";

export const denyTouch = onBash(
  "enforcement",
  `if (JSON.stringify(event.input).includes("touch")) return { action: "deny", reason: "${REASON}" };`,
);

export const askAlways = onBash("enforcement", `return { action: "ask", reason: "${REASON}" };`);

export const askIrreversible = onBash(
  "enforcement",
  `return { action: "ask", reason: "${REASON}", irreversible: true };`,
);

export const addContext = onBash(
  "enforcement",
  `return { action: "allow", additionalContext: "CONTEXT-OF-THE-GUARD" };`,
);

export function rewriteTo(input: Record<string, unknown>): string {
  return onBash("enforcement", `return { action: "allow", updatedInput: ${JSON.stringify(input)} };`);
}

export const rewrite = rewriteTo({ command: "echo rewritten > ran.txt", description: "rewritten" });

/** Denies writing or editing a file of this name. */
export function denyFile(name: string): string {
  const from = `import { inputOf } from "darwinian-minds/hook-policy";\n`;
  return (
    from +
    policy(
      `  policyKind: "enforcement",
  matcher: "{Write,Edit}",
  beforeToolCall(event) {
    const { file_path } = inputOf(event, "Write") ?? inputOf(event, "Edit");
    if (file_path === \`\${event.cwd}/${name}\`) return { action: "deny", reason: "${REASON}" };
  },`,
    )
  );
}

const throws = `throw new Error("the policy is broken");`;

/** Ways in which a policy fails to do its work, by what happens. */
export const failures: Record<string, string> = {
  throws,
  "loops forever": "while (true) {}",
  "never settles": "return new Promise(() => {});",
  "ends the process": "process.exit(0);",
  "aborts the process": "process.abort();",
};

/** Writes what it is told about a call into the journal, as an observer's failure. */
export const tellAfter = policy(`  policyKind: "observer",
  afterToolCall(event) {
    throw new Error(\`\${event.toolName}: \${event.error?.message ?? "no error"} \${JSON.stringify(event.output)}\`);
  },`);

export const failingObserver = onBash("observer", throws);

export function failingEnforcement(body: string): string {
  return onBash("enforcement", body);
}

/** A lifecycle hook whose `run` has this body. */
export function hookAt(event: string, body: string): string {
  return `import { defineHook } from "darwinian-minds/hook-policy";\n\nexport default defineHook({ event: "${event}", run(event) { ${body} } });\n`;
}
