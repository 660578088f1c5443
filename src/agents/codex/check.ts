import { advise, drwn, type Text } from "../../kernel/advice.ts";
import type { Finding } from "../../kernel/finding.ts";
import { clean } from "../../kernel/text.ts";
import { isHookCommand } from "../../wiring/launcher.ts";
import type { AgentAnswer, CheckRequest } from "../../wiring/target.ts";
import { type CodexHooks, listCodexHooks } from "./app-server.ts";
import { checkCodexEnvironment, checkCodexFiles, REVIEW } from "./check-files.ts";
import { withCopiedHome } from "./copied-home.ts";

/**
 * Finds what keeps Codex from running the hook. It runs only hooks that its user trusts, and doesn't say which it
 * leaves out.
 */
export async function checkCodex({ host, root, file }: CheckRequest): Promise<AgentAnswer> {
  const { answer, uncopied } = await withCopiedHome(host, async ({ env, uncopied }) => ({
    answer: await listCodexHooks({ env, cwd: root }),
    uncopied,
  }));
  if (answer === "not-installed" || answer === "no-answer") {
    const why = answer === "no-answer" ? "did not say whether it trusts the hook" : "is not on PATH";
    const unheard = `Codex ${why}: drwn read Codex's files instead`;
    const read = checkCodexFiles({ host, root, file });
    return { findings: [...read, warning(file, "codex-not-asked", unheard, REVIEW)], isAnswered: false };
  }
  const findings = [
    ...findUntrusted(answer, host.drwnHome, file).map((one) => ({ ...one, message: uncopied(one.message) })),
    ...checkCodexEnvironment(host),
  ];
  return { findings, isAnswered: true };
}

function findUntrusted({ hooks, warnings = [], errors = [] }: CodexHooks, home: string, file: string): Finding[] {
  const ours = hooks.filter(({ command }) => typeof command === "string" && isHookCommand(command, home));
  const findings = [...errors, ...warnings].map((text) =>
    warning(
      file,
      "codex-says",
      `Codex says: ${clean(typeof text === "string" ? text : JSON.stringify(text), 500)}`,
      null,
    ),
  );
  if (ours.length === 0) {
    return [...findings, error(file, "codex-hook-missing", "Codex does not see drwn's hook", missing(file))];
  }
  // Codex lists the machine owner's hooks beside the user's.
  const events = [...new Set(ours.map(({ eventName }) => eventName))];
  const refused = events.flatMap((event) => {
    const ofEvent = ours.filter(({ eventName }) => eventName === event);
    return ofEvent.some((hook) => TRUSTED.has(hook.trustStatus) && hook.enabled !== false) ? [] : ofEvent;
  });
  if (refused.length === 0) return findings;
  const [first] = refused;
  const state =
    first?.enabled === false ? "is disabled in Codex" : `is ${clean(first?.trustStatus ?? "", 40)} to Codex`;
  return [
    ...findings,
    error(file, "codex-hook-untrusted", `drwn's hook ${state}, which therefore does not run it`, REVIEW),
  ];
}

/** If somebody has switched hooks off, Codex lists none. */
function missing(file: string): Text {
  return advise`correct ${file}, then: ${drwn("write")}; or hooks are off: by [features] in your or the project's config.toml, or by the machine's owner in /etc/codex`;
}

const TRUSTED = new Set(["trusted", "managed"]);

function error(subject: string, code: string, message: string, hint: Text | null): Finding {
  return { code, severity: "error", subject, message, hint };
}

function warning(subject: string, code: string, message: string, hint: Text | null): Finding {
  return { code, severity: "warning", subject, message, hint };
}
