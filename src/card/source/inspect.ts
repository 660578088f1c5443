import fs from "node:fs";
import path from "node:path";
import { type Finding, isProblem, type Problem } from "../../kernel/problem.ts";
import { handlerFileOf } from "../compiler/handler-module.ts";
import { casesFileOf } from "../hooks/cases.ts";
import { type HookIndex, INDEX_FILE } from "../hooks/hook-index.ts";
import { hooksOf, MANIFEST_FILE, type Manifest, skillsOf } from "../manifest.ts";
import { readSkill, SKILL_FILE } from "../skill/skill.ts";
import { describeHooks, type IndexingOutcome, printIndex, toIndex } from "./build-index.ts";
import { packLoaded } from "./pack.ts";
import { type CardSource, loadSource, readManifest } from "./source.ts";

interface SourceInspection {
  /** Undefined if card.json isn't valid. */
  manifest: Manifest | undefined;
  /** What `writeIndex` would write; undefined if there is any error. */
  index: HookIndex | undefined;
  /** Each is about a file, by its absolute path. A source with warnings can still be packed. */
  findings: Finding[];
}

/** Everything that keeps a source from being packed, or that its author should know; throws no faults of the card. */
export async function inspectSource(dir: string): Promise<SourceInspection> {
  const findings: Finding[] = [];
  const note = (file: string, problem: Problem) => findings.push(toFinding(path.join(dir, file), problem));
  const manifest = attempt(
    () => readManifest(dir),
    (problem) => note(MANIFEST_FILE, problem),
  );
  if (manifest === undefined) return { manifest, index: undefined, findings };
  findings.push(...orphans(dir, "hooks", hooksOf(manifest)), ...orphans(dir, "skills", skillsOf(manifest)));
  const source = attempt(
    () => loadSource(dir),
    (problem) => note("", problem),
  );
  if (source === undefined) return { manifest, index: undefined, findings };
  findings.push(...skillFindings(source));
  const outcomes = await describeHooks(source);
  findings.push(...hookFindings(source, outcomes));
  if (findings.some(({ severity }) => severity === "error")) return { manifest, index: undefined, findings };
  const index = toIndex(source, outcomes);
  findings.push(...staleIndex(source, index));
  try {
    await packLoaded(source, index);
  } catch (error) {
    if (!isProblem(error)) throw error;
    note("", error);
  }
  return { manifest, index, findings };
}

function orphans(dir: string, folder: "hooks" | "skills", declared: readonly string[]): Finding[] {
  return listOrphans(dir, folder, declared).map((name) => ({
    code: "DRWN_SOURCE_ORPHAN",
    severity: "warning",
    message: `${folder}/${name} is not in \`${folder}.include\` of card.json, so it is not packed`,
    subject: path.join(dir, folder, name),
    hint: null,
  }));
}

function skillFindings({ dir, manifest, named }: CardSource): Finding[] {
  return skillsOf(manifest).flatMap((skill): Finding[] => {
    const file = `skills/${skill}/${SKILL_FILE}`;
    const bytes = named.get(file);
    if (bytes === undefined) {
      const hasFolder = fs.existsSync(path.join(dir, "skills", skill));
      const code = hasFolder ? "DRWN_SKILL_INVALID" : "DRWN_SKILL_MISSING";
      const message = `${manifest.name} lists the skill \`${skill}\` but has no ${file}`;
      return [{ code, severity: "error", message, subject: path.join(dir, file), hint: null }];
    }
    const findings: Finding[] = [];
    attempt(
      () => readSkill(bytes, { file }),
      (problem) => findings.push(toFinding(path.join(dir, file), problem)),
    );
    return findings;
  });
}

function hookFindings({ dir }: CardSource, outcomes: readonly IndexingOutcome[]): Finding[] {
  return outcomes.flatMap((outcome) => {
    if ("indexed" in outcome) return [];
    const policy = path.join(dir, "hooks", outcome.hook, "policy.ts");
    const handler = path.join(dir, handlerFileOf(outcome.hook));
    return [toFinding(fs.existsSync(policy) || !fs.existsSync(handler) ? policy : handler, outcome.problem)];
  });
}

function staleIndex({ dir, index: written }: CardSource, index: HookIndex): Finding[] {
  const expected = index.hooks.length === 0 ? undefined : printIndex(index);
  if (written?.toString() === expected) return [];
  return [
    {
      code: "DRWN_INDEX_STALE",
      severity: "warning",
      message: `${INDEX_FILE} ${written === undefined ? "is missing" : "does not match the hooks"}`,
      subject: path.join(dir, INDEX_FILE),
      hint: null,
    },
  ];
}

function attempt<T>(work: () => T, onProblem: (problem: Problem) => void): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!isProblem(error)) throw error;
    onProblem(error);
    return undefined;
  }
}

function toFinding(file: string, { code, message, details, hint }: Problem): Finding {
  return { code, severity: "error", subject: file, message, details, hint: hint ?? null };
}

/** The folders in `hooks` or `skills` of a source that its card.json doesn't list. */
function listOrphans(dir: string, folder: "hooks" | "skills", declared: readonly string[]): string[] {
  const parent = path.join(dir, folder);
  if (!fs.existsSync(parent)) return [];
  return fs
    .readdirSync(parent, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !declared.includes(entry.name))
    .map(({ name }) => name)
    .sort();
}

/** Only those that are hooks, or have cases: code that hooks share may be there, too. */
export function listUnlistedHooks(dir: string, manifest: Manifest): string[] {
  return listOrphans(dir, "hooks", hooksOf(manifest)).filter((name) =>
    [`hooks/${name}/policy.ts`, handlerFileOf(name), casesFileOf(name)].some((file) =>
      fs.existsSync(path.join(dir, file)),
    ),
  );
}
