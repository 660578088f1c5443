/** A guard of the usual size: it looks at a command with a handful of regular expressions. */
export const shellGuard = guard("Bash");

/** @param {string} matcher */
export function guard(matcher) {
  return `import { defineToolPolicy } from "darwinian-minds/hook-policy";

const RULES: readonly (readonly [RegExp, string])[] = [
  [/\\brm\\s+(-[a-z]*\\s+)*-[a-z]*r[a-z]*f?[a-z]*\\s+\\/(\\s|$)/u, "removes the whole disk"],
  [/\\bmkfs(\\.\\w+)?\\b/u, "formats a disk"],
  [/\\bdd\\s+.*\\bof=\\/dev\\//u, "writes to a device"],
  [/\\bgit\\s+push\\s+.*--force(?!-with-lease)/u, "overwrites the history of others"],
  [/\\bcurl\\b.*\\|\\s*(ba|z)?sh\\b/u, "runs what it downloads"],
  [/\\bchmod\\s+(-R\\s+)?777\\b/u, "opens files to everybody"],
  [/\\bsudo\\b/u, "asks for more rights"],
];

function commandOf(input: unknown): string {
  if (typeof input !== "object" || input === null || !("command" in input)) return "";
  return typeof input.command === "string" ? input.command : "";
}

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "${matcher}",
  beforeToolCall(event) {
    const command = commandOf(event.input);
    for (const [pattern, harm] of RULES) {
      if (pattern.test(command)) return { action: "deny", reason: \`this command \${harm}\` };
    }
  },
});
`;
}

/** A guard of the usual size, asked about prompts. */
export const promptGuard = `import { defineHook } from "darwinian-minds/hook-policy";

const SECRETS: readonly RegExp[] = [/\\bAKIA[0-9A-Z]{16}\\b/u, /\\bghp_[A-Za-z0-9]{36}\\b/u, /-----BEGIN [A-Z ]*PRIVATE KEY-----/u];

export default defineHook({
  event: "prompt.submit",
  onFailure: "block",
  run({ input }) {
    if (SECRETS.some((pattern) => pattern.test(input.prompt))) return { action: "reject", reason: "it has a secret in it" };
  },
});
`;

export const endlessLoop = `import { defineToolPolicy } from "darwinian-minds/hook-policy";

export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  timeoutMs: 500,
  beforeToolCall() {
    while (true) {}
  },
});
`;
