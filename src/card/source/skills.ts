import fs from "node:fs";
import path from "node:path";
import { appendItem, removeIfEmpty, removeValue } from "../../format/set-value.ts";
import { Problem } from "../../kernel/problem.ts";
import { type Manifest, skillsOf } from "../manifest.ts";
import { parseSkillName } from "../name.ts";
import { SKILL_FILE } from "../skill/skill.ts";
import {
  type ChangeOptions,
  carryOut,
  type PlannedChange,
  planFolderRemoval,
  planManifestEdit,
  type SourceChange,
} from "./change.ts";
import { readManifest, refuseLinksOnTheWay } from "./source.ts";
import { placeTemplate, readTemplate } from "./template.ts";

/** Adds a skill: a SKILL.md to start from, or an existing folder, which it adopts unchanged. */
export function addSkill(dir: string, skill: string, options: ChangeOptions = {}): SourceChange[] {
  const name = parseSkillName(skill);
  const manifest = readManifest(dir);
  if (skillsOf(manifest).includes(name)) {
    throw new Problem("DRWN_SKILL_EXISTS", `${manifest.name} has the skill \`${name}\` already`);
  }
  const edit = planManifestEdit(dir, (text) => appendItem(text, ["skills", "include"], name));
  return carryOut([planSkillFiles(dir, name, manifest), ...edit], options);
}

interface RemoveOptions extends ChangeOptions {
  keepFiles?: boolean;
}

export function removeSkill(
  dir: string,
  skill: string,
  { keepFiles = false, ...options }: RemoveOptions = {},
): SourceChange[] {
  const name = parseSkillName(skill);
  const manifest = readManifest(dir);
  const at = skillsOf(manifest).indexOf(name);
  if (at < 0) {
    throw new Problem("DRWN_SKILL_MISSING", `${manifest.name} has no skill \`${name}\``, {
      details: [`it has: ${skillsOf(manifest).join(", ") || "none"}`],
    });
  }
  const edit = planManifestEdit(dir, (text) =>
    removeIfEmpty(removeValue(text, ["skills", "include", at]), ["skills", "include"]),
  );
  if (keepFiles) return carryOut(edit, options);
  refuseLinksOnTheWay(dir, "skills");
  return carryOut([...edit, ...planFolderRemoval("remove-skill-files", path.join(dir, "skills", name))], options);
}

function planSkillFiles(dir: string, skill: string, manifest: Manifest): PlannedChange {
  refuseLinksOnTheWay(dir, `skills/${skill}/${SKILL_FILE}`);
  const folder = path.join(dir, "skills", skill);
  if (fs.existsSync(path.join(folder, SKILL_FILE))) return { action: "adopt-skill", path: folder, carryOut: () => {} };
  const files = readTemplate("skill", { SKILL: skill, CARD: manifest.name });
  return { action: "add-skill", path: folder, carryOut: () => placeTemplate(files, folder) };
}
