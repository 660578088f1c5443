import path from "node:path";
import { allAdapters } from "../../agents/adapters.ts";
import { allTargets } from "../../agents/targets.ts";
import { findReturnedActions } from "../../card/compiler/returned-actions.ts";
import { type IndexedHook, summaryOf } from "../../card/hooks/hook-index.ts";
import { MANIFEST_FILE, unusedFieldsOf } from "../../card/manifest.ts";
import { compileMatcher, literalTools } from "../../card/matcher.ts";
import { readTemplate } from "../../card/source/edit-source.ts";
import { type CardSource, readManifestFile } from "../../card/source/source.ts";
import type { Finding, ProblemCode } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { isLifecycleEvent, powersOf } from "../../policy/lifecycle-events.ts";
import { isAboutTools, lintMatcher, wants } from "./check-stack.ts";

/** What an author surely doesn't mean, though the source can be packed all the same. */
export async function lintSource(source: CardSource, hooks: readonly IndexedHook[]): Promise<Finding[]> {
  const findings: Finding[] = findMisreadings(source, hooks);
  for (const hook of hooks) {
    findings.push(...lintTools(source, hook), ...(await lintActions(source, hook)));
  }
  return findings;
}

/** Where people would read something else than the card does: the template's line in a review, and unused fields. */
export function findMisreadings(source: CardSource, hooks: readonly IndexedHook[]): Finding[] {
  return [...lintFields(source), ...hooks.flatMap((hook) => lintSummary(source, hook))];
}

function lintFields({ dir }: CardSource): Finding[] {
  const file = path.join(dir, MANIFEST_FILE);
  const unused = unusedFieldsOf(readManifestFile(dir), { file });
  if (unused.length === 0) return [];
  const message = `drwn keeps these fields of ${MANIFEST_FILE} in the card and doesn't use them: ${unused.join(", ")}`;
  return [warning("DRWN_FIELD_UNUSED", file, clean(message, 2_000))];
}

/** The line that people read before they consent still describes the template, but the policy does something else. */
function lintSummary({ dir, manifest, importable }: CardSource, { name }: IndexedHook): Finding[] {
  const readme = `hooks/${name}/README.md`;
  const summary = summaryOf(name, importable);
  const policy = importable.get(`hooks/${name}/policy.ts`)?.toString("utf8");
  const isLeft = (["hook", "gate"] as const).some((template) => {
    const made = readTemplate(template, { HOOK: name, CARD: manifest.name });
    const of = (file: string) => made.find((one) => one.path === file)?.content ?? "";
    const line = summaryOf(name, new Map([[readme, Buffer.from(of("README.md"))]]));
    return line === summary && of("policy.ts") !== policy;
  });
  if (!isLeft) return [];
  const message = `its first line is still the template's, and doesn't say what this policy does: \`${clean(summary, 200)}\``;
  return [warning("DRWN_SUMMARY_UNWRITTEN", path.join(dir, readme), message)];
}

function lintTools({ dir }: CardSource, { name, kind, matcher, phases }: IndexedHook): Finding[] {
  if (matcher === null || !phases.some(isAboutTools)) return [];
  const tools = new Set(allTargets().flatMap(({ tools: own = {} }) => Object.keys(own)));
  const policy = { matcher, kind, match: compileMatcher(matcher) };
  const found = lintMatcher(policy, { tools, whose: "any agent" }).map(({ message }) => message);
  const own = literalTools(matcher)?.flatMap((tool) => describeOwnName(policy, tool)) ?? [];
  return [...found, ...own].map((message) =>
    warning("DRWN_MATCHER_UNKNOWN", path.join(dir, "hooks", name, "policy.ts"), message),
  );
}

/** A tool's name in some agents only, where drwn has one name for it in all: the other agents' calls don't match it. */
function describeOwnName(policy: { match: string }, tool: string): string[] {
  const having = allAdapters().filter(({ canonicalTools }) => Object.hasOwn(canonicalTools, tool));
  const [canonical] = having.flatMap(({ canonicalTools }) => canonicalTools[tool] ?? []);
  if (canonical === undefined || wants(policy, canonical)) return [];
  const titles = having.map(({ title }) => title).join(", ");
  return [`\`${clean(tool, 200)}\` means \`${canonical}\` only in ${titles}: calls of other agents don't match it`];
}

async function lintActions({ dir, importable }: CardSource, { name, files, phases }: IndexedHook) {
  const known = new Set(phases.flatMap(actionsAt));
  const findings: Finding[] = [];
  for (const file of files) {
    const code = /\.[cm]?[jt]s$/u.test(file) && file.startsWith(`hooks/${name}/`) ? importable.get(file) : undefined;
    for (const { action, line } of code === undefined ? [] : await findReturnedActions(code)) {
      if (known.has(action)) continue;
      const message = `a function returns \`action: ${JSON.stringify(clean(action, 80))}\`: ${name} can answer ${[...known].join(", ")}; anything else is a failure`;
      findings.push(warning("DRWN_DECISION_UNKNOWN", `${path.join(dir, file)}:${line}`, message));
    }
  }
  return findings;
}

function actionsAt(phase: string): string[] {
  if (!isLifecycleEvent(phase)) return ["allow", "deny", "ask", "log-only"];
  const { hold } = powersOf(phase);
  return ["proceed", "log-only", ...(hold === null ? [] : ["ask", hold])];
}

function warning(code: ProblemCode, place: string, message: string): Finding {
  return { code, severity: "warning", subject: place, message, hint: null };
}
