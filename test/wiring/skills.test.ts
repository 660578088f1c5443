import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { applyChanges } from "../../src/wiring/changes.ts";
import { planSkills, type SkillsRecord, skillsRecord } from "../../src/wiring/skills.ts";
import { readTree, type Tree, temporaryFolder, writeTree } from "../support/cards.ts";
import { problemOf } from "../support/problems.ts";

type Skills = Record<string, Record<string, string>>;

const REVIEW: Skills = { "review-style": { "SKILL.md": "# Review\n", "scripts/run.sh": "echo 1\n" } };

/** A project, and what a person who runs drwn again and again keeps of its skills. */
class Project {
  readonly root: string;
  readonly folder: string;
  record: SkillsRecord | undefined;

  constructor(tree: Tree = {}) {
    this.root = writeTree(temporaryFolder(), tree);
    this.folder = path.join(this.root, ".claude", "skills");
  }

  plan(skills: Skills) {
    const wanted = Object.entries(skills).map(([name, files]) => {
      const contents = Object.entries(files).map(([file, text]) => [file, Buffer.from(text)] as const);
      return [name, new Map(contents)] as const;
    });
    return planSkills({ folder: this.folder, root: this.root, skills: new Map(wanted), record: this.record });
  }

  write(skills: Skills) {
    const { changes, record, leftUntouched } = this.plan(skills);
    applyChanges(changes);
    this.record = record === undefined ? undefined : skillsRecord.parse(JSON.parse(JSON.stringify(record)));
    return {
      changes: changes.map(({ action, what }) => `${action} ${what}`),
      leftUntouched: leftUntouched.map((file) => this.name(file)),
    };
  }

  name(file: string): string {
    return path.relative(this.root, file);
  }
}

test("skills are written, found unchanged, updated and taken out again with their folders", () => {
  const project = new Project({ "README.md": "mine" });
  expect(project.write(REVIEW).changes).toEqual(["create skill review-style", "create skill review-style"]);
  expect(readTree(project.root)).toEqual({
    "README.md": "mine",
    ".claude/skills/review-style/SKILL.md": "# Review\n",
    ".claude/skills/review-style/scripts/run.sh": "echo 1\n",
  });
  expect(project.write(REVIEW).changes).toEqual([]);
  expect(project.write({ "review-style": { "SKILL.md": "# Other\n" } }).changes).toEqual([
    "update skill review-style",
    "remove skill review-style",
  ]);
  expect(fs.readdirSync(path.join(project.folder, "review-style"))).toEqual(["SKILL.md"]);
  project.write({});
  expect(fs.readdirSync(project.root)).toEqual(["README.md"]);
  expect(project.record).toBeUndefined();
});

test("folders and files of others stay when a skill goes", () => {
  const project = new Project({ ".claude/settings.json": "{}", ".claude/skills/theirs/SKILL.md": "theirs" });
  project.write(REVIEW);
  writeTree(project.folder, { "review-style/notes.md": "mine" });
  project.write({});
  expect(readTree(project.root)).toEqual({
    ".claude/settings.json": "{}",
    ".claude/skills/theirs/SKILL.md": "theirs",
    ".claude/skills/review-style/notes.md": "mine",
  });
});

test("an empty folder of skills that was there stays", () => {
  const project = new Project();
  fs.mkdirSync(project.folder, { recursive: true });
  project.write(REVIEW);
  project.write({});
  expect(fs.readdirSync(project.folder)).toEqual([]);
});

test("a file that somebody changed is neither written over nor removed, and is named", () => {
  const project = new Project();
  project.write(REVIEW);
  writeTree(project.folder, { "review-style/SKILL.md": "# Mine\n" });
  const leftUntouched = [".claude/skills/review-style/SKILL.md"];
  expect(project.write(REVIEW)).toEqual({ changes: [], leftUntouched });
  expect(project.write({ "review-style": { "SKILL.md": "# Other\n" } })).toEqual({
    changes: ["remove skill review-style"],
    leftUntouched,
  });
  expect(project.write({})).toEqual({ changes: [], leftUntouched });
  expect(readTree(project.root)).toEqual({ ".claude/skills/review-style/SKILL.md": "# Mine\n" });
  expect(project.write({})).toEqual({ changes: [], leftUntouched: [] });
});

test("a file that somebody removed is written again", () => {
  const project = new Project();
  project.write(REVIEW);
  fs.rmSync(path.join(project.folder, "review-style", "SKILL.md"));
  expect(project.write(REVIEW).changes).toEqual(["create skill review-style"]);
});

test("a file that is there and the same is adopted: it is updated, and stays when the skill goes", () => {
  const project = new Project({ ".claude/skills/review-style/SKILL.md": "# Review\n" });
  expect(project.write(REVIEW).changes).toEqual(["create skill review-style"]);
  project.write({ "review-style": { "SKILL.md": "# Other\n" } });
  project.write({});
  expect(readTree(project.root)).toEqual({ ".claude/skills/review-style/SKILL.md": "# Other\n" });
});

test.each<[string, Tree]>([
  ["another file", { ".claude/skills/review-style/SKILL.md": "# Mine\n" }],
  ["a folder", { ".claude/skills/review-style/SKILL.md/file": "" }],
  ["a file in the place of a folder of the skill", { ".claude/skills/review-style/scripts": "" }],
  ["a file in the place of the skill", { ".claude/skills/review-style": "" }],
  ["a file in the place of the folder of skills", { ".claude/skills": "" }],
])("%s of somebody else is refused, and nothing is planned", async (_, tree) => {
  const project = new Project(tree);
  const problem = await problemOf(() => project.plan(REVIEW));
  expect(problem.code).toBe("DRWN_TARGET_OCCUPIED");
  expect(problem.message).toContain(path.join(project.root, Object.keys(tree)[0] ?? "").replace(/\/file$/u, ""));
});

test.each([
  ["the folder of skills, out of the project", ".claude/skills", "outside", "DRWN_SETTINGS_UNSAFE"],
  ["the agent's folder, out of the project", ".claude", "outside", "DRWN_SETTINGS_UNSAFE"],
  ["the skill, out of the project", ".claude/skills/review-style", "outside", "DRWN_SETTINGS_UNSAFE"],
  ["a file, out of the project", ".claude/skills/review-style/SKILL.md", "outside/file", "DRWN_SETTINGS_UNSAFE"],
  ["a file, to nowhere", ".claude/skills/review-style/SKILL.md", "nowhere", "DRWN_SETTINGS_UNSAFE"],
  ["the skill, out of the folder of skills", ".claude/skills/review-style", "inside", "DRWN_SETTINGS_UNSAFE"],
  ["the skill, to another one", ".claude/skills/review-style", ".claude/skills/other", "DRWN_TARGET_OCCUPIED"],
])("a link is not followed: %s", async (_, link, to, code) => {
  const project = new Project({ "inside/file": "", ".claude/skills/other/file": "" });
  const outside = writeTree(temporaryFolder(), { "outside/file": "" });
  const target = path.join(/^(inside|\.claude)/u.test(to) ? project.root : outside, to);
  fs.rmSync(path.join(project.root, link), { recursive: true, force: true });
  fs.mkdirSync(path.dirname(path.join(project.root, link)), { recursive: true });
  fs.symlinkSync(target, path.join(project.root, link));
  const problem = await problemOf(() => project.plan(REVIEW));
  expect(problem.code).toBe(code);
  expect(readTree(outside)).toEqual({ "outside/file": "" });
});

test("a folder of skills that links to another place in the project is used", () => {
  const project = new Project({ "shared/theirs/SKILL.md": "theirs", ".claude/settings.json": "{}" });
  fs.symlinkSync("../shared", project.folder);
  project.write(REVIEW);
  expect(readTree(path.join(project.root, "shared"))["review-style/SKILL.md"]).toBe("# Review\n");
  project.write({});
  expect(readTree(project.root)).toEqual({ "shared/theirs/SKILL.md": "theirs", ".claude/settings.json": "{}" });
  expect(fs.lstatSync(project.folder).isSymbolicLink()).toBe(true);
});

test("a link that took the place of a file of ours stays when the skill goes", () => {
  const project = new Project({ mine: "# Review\n" });
  project.write({ review: { "SKILL.md": "# Review\n" } });
  const file = path.join(project.folder, "review", "SKILL.md");
  fs.rmSync(file);
  fs.symlinkSync("../../../mine", file);
  expect(project.write({})).toEqual({ changes: [], leftUntouched: [".claude/skills/review/SKILL.md"] });
  expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
});

test.each(["../escape", "../../../../escape", "a/../../../escape"])(
  "a path that leaves the skills is refused: %s",
  async (name) => {
    const project = new Project();
    const problem = await problemOf(() => project.plan({ review: { [`../${name}`]: "x" } }));
    expect(problem.code).toBe("DRWN_SETTINGS_UNSAFE");
  },
);
