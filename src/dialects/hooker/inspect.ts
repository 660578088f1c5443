import { type DeclaredPolicy, RUBY_CONSTANTS } from "./read/declared.ts";
import { HookerRefusal } from "./read/parse.ts";
import { compilePattern } from "./read/pattern.ts";
import { readPoliciesRb, rubyOf } from "./read/read.ts";

/** What can be known about a policies.rb before an event meets it. */
export interface InspectedFile {
  /** Why none of it is in force; null: it is. */
  error: string | null;
  policies: number;
  findings: { policy: string; line: number; level: "error" | "warning"; what: string }[];
  /** Programs that it starts. */
  programs: string[];
}

export function inspectPolicies(bytes: Uint8Array): InspectedFile {
  try {
    const declared = readPoliciesRb(bytes);
    return {
      error: null,
      policies: declared.length,
      findings: declared.flatMap((policy) => {
        const place = { policy: policy.name, line: policy.line };
        const errors = errorsOf(policy).map((what) => ({ ...place, level: "error" as const, what }));
        return [...errors, ...surprisesOf(policy).map((what) => ({ ...place, level: "warning" as const, what }))];
      }),
      programs: [...new Set(declared.flatMap(programsOf))],
    };
  } catch (error) {
    if (!(error instanceof HookerRefusal)) throw error;
    return { error: error.message, policies: 0, findings: [], programs: [] };
  }
}

/** What keeps the policy from ever doing anything. */
function errorsOf({ tool, match, action, event }: DeclaredPolicy): string[] {
  const said: string[] = [];
  for (const ruby of [tool?.ruby ?? null, rubyOf(match)]) {
    const pattern = ruby === null ? null : compilePattern(ruby);
    if (pattern !== null && "error" in pattern) said.push(`its regular expression cannot be used: ${pattern.error}`);
  }
  if (match !== null && "constant" in match && !RUBY_CONSTANTS.has(match.constant)) {
    said.push(`there is no match constant :${match.constant}`);
  }
  if (action === null) said.push("it has neither gate nor transform nor inject");
  if (event === "UserPromptSubmit" && tool !== null)
    said.push("a prompt comes without a tool, so `tool:` never matches");
  return said;
}

/** Where the policy probably means something else than its author intended. */
function surprisesOf({ match, tool, matchField }: DeclaredPolicy): string[] {
  const said: string[] = [];
  if (match !== null && "constant" in match && RUBY_CONSTANTS.has(match.constant)) {
    said.push(
      `:${match.constant} looks at text: it misses \`git -C dir …\` with a plain name and quoted words, and finds texts that only talk about git`,
    );
  }
  if (match === null || !("ruby" in match)) return said;
  const { ruby, lostFlags } = match;
  if (lostFlags !== "")
    said.push(`the flags \`${lostFlags}\` behind its regular expression are left out; write (?${lostFlags}) inside`);
  const code = ruby.replace(/\\[\s\S]|\[(?:\\[\s\S]|[^\]])*\]/gu, "");
  if (/[$^]/u.test(code))
    said.push("`^` and `$` stand for every line of the text; its beginning and end are \\A and \\z");
  if (matchField === "file_path" && tool !== null && /^(?:.*\|)?Bash(?:\|.*)?$/u.test(tool.text)) {
    said.push("a Bash call has no file_path, so the whole input is matched as JSON");
  }
  return said;
}

function programsOf({ when, action }: DeclaredPolicy): string[] {
  const programs = when === null ? [] : ["the classifier ($SCREEN_HOME/bin/classify, or ollama)"];
  if (action?.kind === "transform") programs.push(action.command ?? "claude -p");
  if (action?.kind === "inject" && action.command !== null) programs.push(action.command);
  return programs;
}
