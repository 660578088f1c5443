import { describe, expect, test } from "vitest";
import { toCardFiles } from "../../../src/card/files.ts";
import { codeDigest, describeSkill } from "../../../src/card/skill/skill-code.ts";
import { problemOf } from "../../support/problems.ts";

const HEAD = "name: x\ndescription: d";
const skill = (body: string, frontmatter = HEAD) => `---\n${frontmatter}\n---\n${body}\n`;

function describeOne(text: string, others: Record<string, string> = {}) {
  const files = { "skills/x/SKILL.md": text, ...others };
  return describeSkill(toCardFiles(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)])), "x");
}

const linesOf = (text: string, others: Record<string, string> = {}) =>
  describeOne(text, others).code.map(({ file, line, why }) => `${file.slice("skills/x/".length)}:${line} ${why}`);

describe("what an agent would do by itself is code", () => {
  test.each<[how: string, text: string, lines: string[]]>([
    ["a shell line", skill("a\n!`touch x`"), ["SKILL.md:6 shell"]],
    ["a shell line behind a word", skill("Run x`!`touch x`"), ["SKILL.md:5 shell"]],
    [
      "the end of a code span that an agent takes for the start of a command",
      skill("`vec!` or `touch x`"),
      ["SKILL.md:5 shell"],
    ],
    [
      "a command over several lines",
      skill("!`touch \\\n x \\\n y` z\nend"),
      ["SKILL.md:5 shell", "SKILL.md:6 shell", "SKILL.md:7 shell"],
    ],
    ["a fence", skill("```!\ntouch x\n```\nend"), ["SKILL.md:5 shell", "SKILL.md:6 shell", "SKILL.md:7 shell"]],
    [
      "a fence with a blank",
      skill("``` !\ntouch x\n```"),
      ["SKILL.md:5 shell", "SKILL.md:6 shell", "SKILL.md:7 shell"],
    ],
    ["a fence of tildes", skill("~~~!\ntouch x\n~~~"), ["SKILL.md:5 shell", "SKILL.md:6 shell", "SKILL.md:7 shell"]],
    [
      "a fence that is in a list",
      skill("- ```!\n  touch x\n  ```"),
      ["SKILL.md:5 shell", "SKILL.md:6 shell", "SKILL.md:7 shell"],
    ],
    ["a fence without an end", skill("```!\ntouch x"), ["SKILL.md:5 shell", "SKILL.md:6 shell", "SKILL.md:7 shell"]],
    ["a command that arguments bring", skill("!$ARGUMENTS"), ["SKILL.md:5 shell", "SKILL.md:6 shell"]],
    ["a mark that arguments bring", skill("$1`touch x`"), ["SKILL.md:5 shell"]],
    [
      "a mark of a fence that arguments bring",
      skill("```$ARGUMENTS\ntouch x\n```"),
      ["SKILL.md:5 shell", "SKILL.md:6 shell", "SKILL.md:7 shell"],
    ],
    ["a shell line with wide marks", skill("！｀touch x｀"), ["SKILL.md:5 shell"]],
    ["a shell line with a character that cannot be seen", skill("!\u200b`touch x`"), ["SKILL.md:5 shell"]],
    ["a shell line in a comment", skill("<!-- !`touch x` -->"), ["SKILL.md:5 shell"]],
    ["a shell line without frontmatter", "!`touch x`\n", ["SKILL.md:1 shell"]],
    ["a shell line with Windows line ends", skill("a\n!`touch x`").replaceAll("\n", "\r\n"), ["SKILL.md:6 shell"]],
    ["a file that is put in", skill("see @secret.txt"), ["SKILL.md:5 reference"]],
    ["a file that is put in, in a fence", skill("```\n@~/.ssh/id_rsa\n```"), ["SKILL.md:6 reference"]],
    ["a file that is put in, in quotes", skill('see @"a b"'), ["SKILL.md:5 reference"]],
    ["a file that is put in, behind a sign", skill("x=@config/key.pem"), ["SKILL.md:5 reference"]],
    ["a file that arguments name", skill("see @$1"), ["SKILL.md:5 reference"]],
    ...["config+prod.json", "a(1).txt", "(auth)/page.tsx", "[slug].tsx", "a=b.pem", "keys@prod.pem", "a@1.pem"].map(
      (name): [string, string, string[]] => [
        `a file of an odd name, @${name}`,
        skill(`see @${name}.`),
        ["SKILL.md:5 reference"],
      ],
    ),
    ["permitted tools", skill("", `${HEAD}\nallowed-tools: Bash`), ["SKILL.md:4 frontmatter"]],
    [
      "permitted tools, in a list",
      skill("", `allowed-tools:\n  - Bash\n\n  - Read\n${HEAD}`),
      ["SKILL.md:2 frontmatter", "SKILL.md:3 frontmatter", "SKILL.md:5 frontmatter"],
    ],
    [
      "permitted tools, below another field",
      skill("", `${HEAD}\nmetadata:\n  allowed_tools: Bash`),
      ["SKILL.md:5 frontmatter"],
    ],
    [
      "permitted tools, in a text",
      skill("", "name: x\ndescription: |\n  a\n  allowed-tools: Bash"),
      ["SKILL.md:5 frontmatter"],
    ],
    ["a field in another case", skill("", `${HEAD}\nAllowedTools: Bash`), ["SKILL.md:4 frontmatter"]],
    ["a server", skill("", `${HEAD}\nmcp: {}`), ["SKILL.md:4 frontmatter"]],
    ["a first prompt", skill("", `${HEAD}\ninitialPrompt: run it`), ["SKILL.md:4 frontmatter"]],
    ["another model", skill("", `${HEAD}\nmodel: opus`), ["SKILL.md:4 frontmatter"]],
    ["a subagent", skill("", `${HEAD}\ncontext: fork\nagent: x`), ["SKILL.md:4 frontmatter", "SKILL.md:5 frontmatter"]],
    ["a field of tomorrow", skill("", `${HEAD}\nauto-approve-commands: 1`), ["SKILL.md:4 frontmatter"]],
  ])("%s", (_, text, lines) => {
    expect(linesOf(text)).toEqual(lines);
  });

  test.each([
    ["agents/openai.yaml", "dependencies: {}"],
    ["plugin.json", "{}"],
    ["settings.json", "{}"],
    ["hooks/hooks.json", "{}"],
    ["commands/run.md", "text"],
    ["CLAUDE.md", "@secret"],
    ["references/AGENTS.md", "text"],
    ["references/gemini.local.md", "text"],
    ["Agents/openai.yaml", "text"],
    // Claude Code takes both, with the files that they name, when it reads a file beside them.
    ["references/.claude/rules/rule.md", "@../../secret"],
    ["references/.claude/CLAUDE.md", "@../../secret"],
    ["scripts/.git/hooks/pre-commit", "text"],
  ])("a file at %s", (path, content) => {
    expect(linesOf(skill("text"), { [`skills/x/${path}`]: content })).toEqual([`${path}:1 file`]);
  });

  test("a skill inside of a skill, with what it holds", () => {
    const inner = skill("!`touch x`");
    expect(linesOf(skill("text"), { "skills/x/references/y/SKILL.md": inner })).toEqual([
      ...[1, 2, 3, 4, 5].map((line) => `references/y/SKILL.md:${line} file`),
      "references/y/SKILL.md:5 shell",
    ]);
  });

  test.each([
    ["a shell line", skill("!`sh scripts/run.sh`")],
    ["a permission", skill("text", `${HEAD}\nallowed-tools: Bash(scripts/run.sh)`)],
    ["a pattern of a permission", skill("text", `${HEAD}\nallowed-tools: Bash(sh \${CLAUDE_SKILL_DIR}/*)`)],
  ])("%s, with the files that it may reach", (_, text) => {
    const described = (script: string) => describeOne(text, { "skills/x/scripts/run.sh": script });
    const [, ...reached] = described("one\ntwo").code;
    expect(reached.map(({ file, line, why }) => `${file}:${line} ${why}`)).toEqual([
      "skills/x/scripts/run.sh:1 reached",
      "skills/x/scripts/run.sh:2 reached",
    ]);
    expect(codeDigest(described("other").code)).not.toBe(codeDigest(described("one").code));
  });

  test("a file for an agent in a folder that some systems take for the skill's", () => {
    expect(linesOf(skill("text"), { "skills/X/settings.json": "{}" })).toEqual(["settings.json:1 file"]);
  });

  test("a plugin's manifest, with all files, since it may name any of them", () => {
    const others = { "skills/x/.claude-plugin/plugin.json": "{}", "skills/x/data/a.json": "{}" };
    expect(linesOf(skill("text"), others)).toEqual([".claude-plugin/plugin.json:1 file", "data/a.json:1 reached"]);
  });

  test("a permission without the files that it doesn't name", () => {
    const text = skill("text", `${HEAD}\nallowed-tools: Read, Bash(npx:*)`);
    expect(linesOf(text, { "skills/x/docs/a.md": "text" })).toEqual(["SKILL.md:4 frontmatter"]);
  });

  test("a long file is known by its digest", () => {
    const [only] = describeOne(skill("text"), { "skills/x/settings.json": "1\n".repeat(500) }).code;
    expect(only?.text).toMatch(/^1000 bytes, sha256-/u);
  });
});

describe("what an agent shows to a model, or a model asks for, is text", () => {
  test.each([
    ["no frontmatter", "# Title\n\nText\n"],
    ["the usual fields", skill("text", `${HEAD}\nlicense: MIT\nmetadata:\n  author: me\n  version: "1"`)],
    ["marks of a sentence", skill("Stop! `rm` is not for you, me@example.com.")],
    ["a fence", skill("```sh\nrm x\n```\n\n$ARGUMENTS and `x`")],
    ["a name in a code span", skill("import `@me/backend`")],
    ["names of packages", skill("npm i @me/backend @me/two@1.0.6\nimport { x } from '@/lib/x';\n\"@context\": 1")],
    ["a tag", skill(" * @param {number} x\n@Injectable({ in: a.b })\n@media print")],
    ["fields that only say something", skill("text", `${HEAD}\nrequires: git\ncreated: 2026\norigin: x\ntype: y`)],
    ["who may start it", skill("text", `${HEAD}\ndisable-model-invocation: true\nargument-hint: "[file]"`)],
  ])("%s", (_, text) => {
    expect(describeOne(text).code).toEqual([]);
  });

  test.each([
    "other/run.sh",
    "package.json",
    "canvas-fonts/a.ttf",
    "evaluations/a.json",
    "scripts/run.sh",
    "references/deep/a.md",
    "assets/logo.bin",
    "LICENSE",
    "guide.md",
    "run.py",
  ])("a file at %s", (path) => {
    expect(describeOne(skill("text"), { [`skills/x/${path}`]: "!`touch x`" }).code).toEqual([]);
  });
});

test("the same code has the same digest, wherever in a text it stands", () => {
  const digest = (text: string) => codeDigest(describeOne(text).code);
  expect(digest(skill("a\n\nb\n!`touch x`\nc"))).toBe(digest(skill("!`touch x`")));
  expect(digest(skill("!`touch y`"))).not.toBe(digest(skill("!`touch x`")));
  expect(digest(skill("!`touch x`\n!`touch x`"))).not.toBe(digest(skill("!`touch x`")));
});

test("the digest of a skill is one of all of its files", () => {
  const { digest } = describeOne(skill("a"));
  expect(describeOne(skill("b")).digest).not.toBe(digest);
  expect(describeOne(skill("a"), { "skills/x/scripts/a.sh": "" }).digest).not.toBe(digest);
  expect(describeOne(skill("a"), { "skills/y/SKILL.md": "" }).digest).toBe(digest);
});

test("a skill that could be read in two ways is not described", async () => {
  expect((await problemOf(() => describeOne(skill("", " name: x\nhooks: {}")))).code).toBe("DRWN_SKILL_INVALID");
});
