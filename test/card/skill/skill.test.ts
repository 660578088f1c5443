import { describe, expect, test } from "vitest";
import { toCardFiles } from "../../../src/card/files.ts";
import { checkSkills, readSkill } from "../../../src/card/skill/skill.ts";
import { problemOf } from "../../support/problems.ts";

const FILE = "skills/x/SKILL.md";
const HEAD = "name: x\ndescription: d";
const skill = (frontmatter: string) => `---\n${frontmatter}\n---\n\n# Body\n\nhooks: are fine here\n`;
const read = (text: string | Buffer) => readSkill(Buffer.from(text), { file: FILE });
const HOOKS = "hooks:\n  PreToolUse: []";
const indent = (text: string) => text.replace(/^/gmu, "  ");

describe("a SKILL.md with hooks in its frontmatter is refused", () => {
  test.each<[how: string, text: string, line: number]>([
    ["plain", skill(HOOKS), 2],
    ["after other fields", skill(`${HEAD}\nhooks: {}`), 4],
    ["in another case", skill("Hooks: {}"), 2],
    ["in quotes", skill('"hooks": {}'), 2],
    ["in single quotes", skill("'hooks': {}"), 2],
    ["with an escape", skill('"h\\x6foks": {}'), 2],
    ["with a long escape", skill('"\\U00000068ooks": {}'), 2],
    ["as a complex key", skill("? hooks\n: {}"), 2],
    ["as a complex key that is nested", skill("metadata:\n  ? a\n  : b"), 3],
    ["in a flow mapping", skill("{ hooks: {} }"), 2],
    ["in a flow mapping behind a blank", skill(` {${HEAD.replace("\n", ", ")}, hooks: {}}`), 2],
    ["with all of the frontmatter indented", skill(indent(`${HEAD}\n${HOOKS}`)), 4],
    ["with a tag", skill("!!str hooks: {}"), 2],
    ["with an anchor", skill("&a hooks: {}"), 2],
    ["by a merge", skill("<<: *x"), 2],
    ["by a merge of a mapping", skill("<<: { hooks: {} }"), 2],
    ["with spaces before the colon", skill("hooks : {}"), 2],
    ["after a carriage return", skill("name: x\rhooks: {}"), 2],
    ["after a next-line character", skill("name: x\u0085hooks: {}"), 2],
    ["after a line separator", skill("name: x\u2028hooks: {}"), 2],
    ["after a paragraph separator", skill("name: x\u2029hooks: {}"), 2],
    ["after a form feed", skill("name: x\fhooks: {}"), 2],
    ["with carriage returns at every line", skill("hooks: {}").replaceAll("\n", "\r\n"), 2],
    ["behind a byte order mark", `\ufeff${skill("hooks: {}")}`, 1],
    ["behind blank lines", `\n\n  ${skill("hooks: {}")}`, 3],
    ["behind characters that cannot be seen", `\u200b${skill("hooks: {}")}`, 1],
    ["in frontmatter without an end", "---\nhooks: {}\n", 1],
    ["after a fence with a blank", "--- \nhooks: {}\n---\n", 1],
    ["after a fence with more dashes", "-----\nhooks: {}\n---\n", 1],
    ["of another language", "---js\n{ hooks: {} }\n---\n", 1],
    ["of TOML", "+++\n[hooks]\n+++\n", 1],
    ["of JSON", '{ "hooks": {} }\n', 1],
    ["after a directive", "%YAML 1.1\n---\nhooks: {}\n---\n", 1],
    ["with a character that cannot be seen in the key", skill("ho\u200boks: {}"), 2],
    ["with a soft hyphen in the key", skill("ho\u00adoks: {}"), 2],
    ["in wide letters", skill("ｈｏｏｋｓ: {}"), 2],
    ["below metadata", skill("name: x\nmetadata:\n  hooks: inner"), 4],
    ["in a list", skill("name: x\nmetadata:\n  - hooks: inner"), 4],
    ["in a flow mapping of a value", skill("name: x\nmetadata: { hooks: inner }"), 3],
    ["in folded text", skill("description: >-\n  talks about\n  hooks: and more\nname: x"), 4],
    ["in text that goes on", skill("description: talks about\n  hooks\n  : {}"), 4],
    ["behind a value in quotes over two lines", skill('description: "x\n  hooks: {}"'), 3],
    ["with a dash and dots in between", skill("ho-o_k.s: {}"), 2],
  ])("%s", async (_, text, line) => {
    const problem = await problemOf(() => read(text));
    expect(problem.code).toBe("DRWN_SKILL_INVALID");
    expect(problem.message).toContain(`${FILE}, line ${line}, `);
  });
});

describe("a SKILL.md that two readers could read differently is refused", () => {
  test.each<[how: string, text: string | Buffer, line: number]>([
    ["three dashes inside of a value", skill("name: x --- y"), 2],
    ["three dashes inside of a comment", skill("name: x # ---"), 2],
    ["three dashes with a blank at the end", "---\nname: x\n--- \n---\n", 3],
    ["dots at the end", "---\nname: x\n...\nhooks: {}\n---\n", 3],
    ["empty frontmatter", "---\n---\nname: x\n---\n", 1],
    ["frontmatter of blank lines", "---\n\n\n---\n", 1],
    ["a second block of frontmatter", "---\nname: x\n---\n\n---\nname: y\n---\n", 5],
    ["a key twice", skill("name: x\nname: y"), 3],
    ["a nested key twice", skill("name: x\nmetadata:\n  a: b\n  a: c"), 5],
    ["a tab", skill("name:\tx"), 2],
    ["a tab at the start", skill("name: x\n\tdescription: y"), 3],
    ["a list", skill("- name: x"), 2],
    ["a text", skill("name"), 2],
    ["an anchor", skill("name: &a x"), 2],
    ["an alias", skill("name: &a x\ndescription: *a"), 2],
    ["a tag", skill("name: !!binary eA=="), 2],
    ["a tag of its own", skill("name: !x y"), 2],
    ["one key in a deeper column", skill("name: x\n description: y"), 2],
    ["a value in quotes over two lines", skill('name: x\ndescription: "a\n  b"'), 3],
    ["brackets over two lines", skill("name: x\ntags: [a,\n  b]"), 3],
    ["brackets that are not closed", skill("name: x\ntags: [a"), 3],
    ["a colon in a plain value", skill("name: x\ndescription: Use this: always"), 3],
    ["a key that is no word", skill("name: x\n1 + 1: y"), 3],
    ["an explicit document", skill("%TAG ! x\nname: x"), 2],
    ["depth", skill(`name: ${"[".repeat(20)}${"]".repeat(20)}`), 2],
    ["more depth than a reader has room for", skill(`name: ${"[".repeat(7_000)}${"]".repeat(7_000)}`), 2],
    ["more depth of lists than a reader has room for", skill(`name:\n  ${"- ".repeat(7_000)}x`), 3],
    ["more than 16384 characters", skill(`name: ${"x".repeat(17_000)}`), 1],
    ["a NUL", skill("name: x\0"), 2],
    ["a NUL in its body", `${skill("name: x")}\0`, 8],
    ["bytes that are no UTF-8", Buffer.concat([Buffer.from(skill("name: x")), Buffer.from([0xff])]), 1],
    ["UTF-16", Buffer.from(skill("hooks: {}"), "utf16le"), 1],
    ["UTF-16 with its mark", Buffer.from(`\ufeff${skill("hooks: {}")}`, "utf16le"), 1],
    ["more than a mebibyte", skill("name: x") + "x".repeat(1024 * 1024), 1],
  ])("%s", async (_, text, line) => {
    const problem = await problemOf(() => read(text));
    expect(problem.code).toBe("DRWN_SKILL_INVALID");
    expect(problem.message).toContain(`${FILE}, line ${line}, `);
  });
});

describe("a SKILL.md", () => {
  test.each([
    ["without frontmatter", "# Title\n\nhooks: no frontmatter"],
    ["that is empty", ""],
    ["with the usual fields", skill("name: review\ndescription: Reviews code\nallowed-tools: Read, Grep")],
    ["with folded text", skill("description: >-\n  talks about\n  hooks and more\nname: x")],
    ["with text that goes on in the next line", skill("description: talks about\n  this and that\nname: x")],
    ["with a literal text", skill("description: |\n  one\n\n  two\nname: x")],
    ["with values in quotes", skill(`name: "x"\ndescription: 'it''s: fine'`)],
    ["with Windows line ends", skill(`${HEAD}\nmetadata:\n  a: b`).replaceAll("\n", "\r\n")],
    ["with rules in its body", `${skill(HEAD)}\ntext\n\n---\n\nmore\n`],
    ["with emoji", skill("name: x\ndescription: ✔️ fine 👩‍💻")],
    [
      "with lists, comments and nested fields",
      skill("# a comment\ntags:\n- hooks\n- b\nmore: [a, b]\nmetadata:\n  hook: inner\n\nname: x"),
    ],
  ])("%s is fine", (_, text) => {
    expect(() => read(text)).not.toThrow();
  });

  test("is known by its keys, with the lines that they stand in", () => {
    expect(read(skill("name: x\nmetadata:\n  a: b")).keys).toEqual([
      { name: "name", line: 2, depth: 0 },
      { name: "metadata", line: 3, depth: 0 },
      { name: "a", line: 4, depth: 1 },
    ]);
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
