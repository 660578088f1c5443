import { describe, expect, test } from "vitest";
import { toCardFiles } from "../../src/card/files.ts";
import { checkSkill, checkSkills } from "../../src/card/skill.ts";
import { problemOf } from "../support/problems.ts";

const skill = (frontmatter: string) => `---\n${frontmatter}\n---\n\n# Body\n\nhooks: are fine here\n`;

describe("a SKILL.md", () => {
  test.each([
    ["plain", skill("hooks:\n  PreToolUse: []")],
    ["after other fields", skill("name: x\nhooks: {}")],
    ["in another case", skill("Hooks: {}")],
    ["in quotes", skill('"hooks": {}')],
    ["in single quotes", skill("'hooks': {}")],
    ["with an escape", skill('"h\\x6foks": {}')],
    ["as a complex key", skill("? hooks\n: {}")],
    ["in a flow mapping", skill("{ hooks: {} }")],
    ["with a tag", skill("!!str hooks: {}")],
    ["with an anchor", skill("&a hooks: {}")],
    ["by a merge", skill("<<: *x")],
    ["with spaces before the colon", skill("hooks : {}")],
    ["after a carriage return", skill("name: x\rhooks: {}")],
    ["after a next-line character", skill("name: x\u0085hooks: {}")],
    ["after a line separator", skill("name: x\u2028hooks: {}")],
    ["with carriage returns at every line", skill("hooks: {}").replaceAll("\n", "\r\n")],
    ["behind a byte order mark", `\ufeff${skill("hooks: {}")}`],
    ["behind blank lines", `\n\n  ${skill("hooks: {}")}`],
    ["in frontmatter without an end", "---\nhooks: {}\n"],
    ["after a second document's start", skill("--- \nhooks: {}")],
  ])("with hooks in its frontmatter, %s, is refused", async (_, text) => {
    const problem = await problemOf(() => checkSkill(text, { file: "skills/x/SKILL.md" }));
    expect(problem.code).toBe("DRWN_SKILL_INVALID");
    expect(problem.message).toContain("skills/x/SKILL.md");
  });

  test.each([
    ["without frontmatter", "# Title\n\nhooks: no frontmatter"],
    ["that is empty", ""],
    ["with the usual fields", skill("name: review\ndescription: Reviews code\nallowed-tools: Read, Grep")],
    ["with folded text", skill("description: >-\n  talks about\n  hooks: and more\nname: x")],
    [
      "with lists, comments and nested fields",
      skill("# a comment\ntags:\n- hooks\n- b\nmetadata:\n  hooks: inner\n\nname: x"),
    ],
  ])("%s is fine", (_, text) => {
    expect(() => checkSkill(text, { file: "f" })).not.toThrow();
  });
});

describe("the skills of a card", () => {
  const files = (tree: Record<string, string>) =>
    toCardFiles(Object.entries(tree).map(([path, text]) => [path, Buffer.from(text)]));

  test("need a SKILL.md each", async () => {
    const problem = await problemOf(() => checkSkills(files({ "skills/x/README.md": "" }), ["x"]));
    expect(problem.message).toContain("skills/x/SKILL.md");
  });

  test("are checked in whatever case and depth a SKILL.md lies", async () => {
    for (const path of ["skills/x/skill.md", "skills/x/deep/Skill.MD", "skills/undeclared/SKILL.md"]) {
      const tree = files({ "skills/x/SKILL.md": skill("name: x"), [path]: skill("hooks: {}") });
      expect((await problemOf(() => checkSkills(tree, ["x"]))).code).toBe("DRWN_SKILL_INVALID");
    }
  });
});
