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

/** Denies every call of these tools. */
export function denyTools(...tools: readonly string[]): string {
  return policy(
    `  policyKind: "enforcement",\n  matcher: "${tools.join("|")}",\n  beforeToolCall: () => ({ action: "deny", reason: "${REASON}" }),`,
  );
}

/** Denies what these tools do with a file of this name. */
export function denyFile(name: string, tools: readonly string[] = ["Write", "Edit"]): string {
  const from = `import { inputOf } from "darwinian-minds/hook-policy";\n`;
  return (
    from +
    policy(
      `  policyKind: "enforcement",
  matcher: "${tools.join("|")}",
  beforeToolCall(event) {
    const { file_path } = ${tools.map((tool) => `inputOf(event, "${tool}")`).join(" ?? ")};
    if (file_path === \`\${event.cwd}/${name}\`) return { action: "deny", reason: "${REASON}" };
  },`,
    )
  );
}

/** Ways in which a policy never answers; `conformance.test.ts` has the others. */
export const DEATHS = ["return new Promise(() => {});", "process.exit(0);", "process.abort();"];

/** Dies in each of the `DEATHS` when it is asked about the file of its number. */
export function deaths(): string {
  const bodies = DEATHS.map((death, at) => `if (text.includes("${at}.txt")) { ${death} }`);
  return onBash("enforcement", `const text = JSON.stringify(event.input);\n${bodies.join("\n")}`);
}

/** Writes what it is told about a call into the journal, as an observer's failure. */
export const tellAfter = policy(`  policyKind: "observer",
  afterToolCall(event) {
    throw new Error(\`\${event.toolName}: \${event.error?.message ?? "no error"} \${JSON.stringify(event.output)}\`);
  },`);

/** A lifecycle hook whose `run` has this body. */
export function hookAt(event: string, body: string): string {
  return `import { defineHook } from "darwinian-minds/hook-policy";\n\nexport default defineHook({ event: "${event}", run(event) { ${body} } });\n`;
}
