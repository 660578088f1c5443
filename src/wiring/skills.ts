import path from "node:path";
import { digestOf } from "../kernel/digest.ts";
import * as z from "../kernel/format/zod.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { type Change, readTarget } from "./changes.ts";
import { foldersAround, isEmptyFolder, isLink, missingFolders, requireInside } from "./file-location.ts";

export const skillsRecord = z.strictObject({
  /** Folders that drwn created, relative to the root. */
  folders: z.array(z.string()),
  /** By path in the folder of all skills. */
  files: z.record(
    z.string(),
    z.strictObject({
      digest: z.string(),
      /** The digest before a change that may not have been made yet. */
      former: z.string().exactOptional(),
      /** It was there before drwn wanted it, so it stays when drwn is done with it. */
      isAdopted: z.boolean(),
    }),
  ),
});

/** Which files of skills `write` put into a folder. */
export type SkillsRecord = z.infer<typeof skillsRecord>;

export interface SkillsRequest {
  /** `.claude/skills` */
  folder: string;
  root: string;
  /** By the skill's name, then by the path in it. */
  skills: ReadonlyMap<string, ReadonlyMap<string, Buffer>>;
  record: SkillsRecord | undefined;
}

export interface PlannedSkills {
  changes: Change[];
  /** undefined: nothing in the folder is drwn's. */
  record: SkillsRecord | undefined;
  /** Files that stay as they are because somebody changed them after drwn wrote them. */
  leftUntouched: string[];
}

/**
 * What has to change for the folder to hold these skills beside those of others. Refuses to overwrite a file that isn't
 * drwn's, unless it is the same. It neither overwrites nor removes a file that somebody changed after drwn wrote it.
 */
export function planSkills({ folder, root, skills, record }: SkillsRequest): PlannedSkills {
  const plan: Planned = {
    root,
    folder,
    changes: [],
    leftUntouched: [],
    folders: new Set(record?.folders ?? []),
    files: {},
  };
  const former = new Map(Object.entries(record?.files ?? {}));
  for (const [skill, files] of skills) {
    for (const [name, after] of files) {
      const relative = `${skill}/${name}`;
      planPresence(plan, { relative, skill, after, written: former.get(relative) });
      former.delete(relative);
    }
  }
  for (const [relative, written] of former) planAbsence(plan, { relative, written });
  const { changes, files, leftUntouched } = plan;
  const isEmpty = Object.keys(files).length === 0;
  return { changes, record: isEmpty ? undefined : { folders: [...plan.folders].sort(), files }, leftUntouched };
}

type Written = SkillsRecord["files"][string];

interface Planned {
  root: string;
  folder: string;
  changes: Change[];
  leftUntouched: string[];
  folders: Set<string>;
  files: SkillsRecord["files"];
}

interface WantedFile {
  relative: string;
  skill: string;
  after: Buffer;
  written: Written | undefined;
}

function planPresence(plan: Planned, { relative, skill, after, written }: WantedFile): void {
  const { root } = plan;
  const file = placeOf(plan, relative);
  const before = readTarget(file);
  const what = describe(skill);
  const digest = digestOf(after);
  if (before === null) {
    for (const missing of missingFolders({ root, file })) plan.folders.add(missing);
    plan.changes.push({ action: "create", path: file, what, before, after, mode: 0o644 });
    plan.files[relative] = { digest, isAdopted: false };
  } else if (before.equals(after)) {
    plan.files[relative] = { digest, isAdopted: written?.isAdopted ?? true };
  } else if (written === undefined) {
    throw occupied(file);
  } else if (isWritten(written, before)) {
    plan.changes.push({ action: "update", path: file, what, before, after });
    plan.files[relative] = { digest, isAdopted: written.isAdopted };
  } else {
    plan.leftUntouched.push(file);
    plan.files[relative] = written;
  }
}

function planAbsence(plan: Planned, { relative, written }: { relative: string; written: Written }): void {
  const { root, folder } = plan;
  if (written.isAdopted) return;
  const before = readOwn(plan, relative);
  const file = path.join(folder, relative);
  if (before === "foreign" || (before !== null && !isWritten(written, before))) {
    plan.leftUntouched.push(file);
    return;
  }
  const what = describe(relative.split("/")[0] ?? relative);
  const folders = foldersAround({ root, file }, [...plan.folders]);
  // A removal that was cut short, or somebody else's, may have left the folders.
  if (before === null && !folders.some(isEmptyFolder)) return;
  plan.changes.push({ action: "remove", path: file, what, before, after: null, folders });
}

function isWritten({ digest, former }: Written, bytes: Buffer): boolean {
  const actual = digestOf(bytes);
  return actual === digest || actual === former;
}

/**
 * What is in the place where drwn once put a file. A link or a folder there is somebody else's, and no reason to stop.
 */
function readOwn(plan: Planned, relative: string): Buffer | null | "foreign" {
  try {
    return readTarget(placeOf(plan, relative));
  } catch (error) {
    if (isProblem(error)) return "foreign";
    throw error;
  }
}

/** Where a file of a skill goes. Neither it nor its skill's folder may be a link: a link's target isn't drwn's. */
function placeOf({ root, folder }: Planned, relative: string): string {
  const file = path.join(folder, ...relative.split("/"));
  requireInside({ root: folder, file });
  requireInside({ root, file });
  for (let around = file; around !== folder; around = path.dirname(around)) {
    if (isLink(around)) throw occupied(around);
  }
  return file;
}

function describe(skill: string): string {
  return `skill ${clean(skill, 80)}`;
}

function occupied(file: string): Problem {
  return new Problem("DRWN_TARGET_OCCUPIED", `${clean(file)} is not drwn's`, {
    hint: "move it away, then run the command again",
  });
}
