import fs from "node:fs";
import path from "node:path";
import { describe, expect, inject, test } from "vitest";
import { runClaude } from "./claude.ts";
import { diagnose, drwn, drwnBinary, here } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { startMockModel } from "./mock-model.ts";
import { missing, type OtherClient } from "./other-clients.ts";
import { runProcess } from "./process.ts";
import { commandLineOf } from "./run-others.ts";

inNewWorlds();

const NAME = "sk";
const HEAD = `name: ${NAME}\ndescription: d`;
const SHELL_LINE = `---\n${HEAD}\nallowed-tools: Bash\n---\nSay:\n!\`touch ran.txt\`\n`;
/** What Claude Code runs before a tool call while the skill is in use. */
const hooks = (indent: string) =>
  ["hooks:", "  PreToolUse:", "    - hooks:", "        - type: command", "          command: touch ran.txt"]
    .map((line) => indent + line)
    .join("\n");
const BASH = [{ tool: "Bash", input: { command: "true", description: "a call" } }, { text: "done" }];

/** Makes a card's source with this skill, perhaps with a guard that answers every tool call like this. */
async function makeSource(text: string, { guard = "" } = {}): Promise<string> {
  const sources = path.join(world.folder, "sources");
  const source = path.join(sources, "guard");
  await drwn(world, "card", "new", "@me/guard", "--into", sources);
  await drwn(world, "card", "source", "add", "skill", source, NAME);
  fs.writeFileSync(path.join(source, "skills", NAME, "SKILL.md"), text);
  if (guard !== "") {
    await drwn(world, "card", "source", "add-hook", source, "gate");
    fs.writeFileSync(path.join(source, "hooks", "gate", "policy.ts"), policyOf(guard));
  }
  return source;
}

const policyOf = (answer: string) => `import { defineToolPolicy } from "darwinian-minds/hook-policy";

export default defineToolPolicy({
  policyKind: "enforcement",
  beforeToolCall() { return ${answer}; },
});
`;

/** Publishes the card, adds it to the project and writes it, without a consent. */
async function addSkill(text: string, options = {}): Promise<void> {
  await drwn(world, "card", "publish", await makeSource(text, options));
  await here(world, "init");
  await here(world, "add", "@me/guard");
  await here(world, "write", "--runtime", "claude-code", "--runtime", "opencode");
}

const FILE = `.claude/skills/${NAME}/SKILL.md`;

describe("frontmatter that Claude Code reads, and a reader of lines does not", () => {
  test.each([
    ["indented as a whole", `---\n${HEAD.replace(/^/gmu, "  ")}\n${hooks("  ")}\n---\nSay\n`],
    [
      "one flow mapping behind a blank",
      `---\n {name: ${NAME}, description: d, hooks: {PreToolUse: [{hooks: [{type: command, command: touch ran.txt}]}]}}\n---\nSay\n`,
    ],
    ["behind a byte order mark", `\ufeff---\n${HEAD}\n${hooks("")}\n---\nSay\n`],
    ["with the line ends of Windows", `---\n${HEAD}\n${hooks("")}\n---\nSay\n`.replaceAll("\n", "\r\n")],
    ["ended by three dashes in a value", `---\n${HEAD}\n${hooks("")} # ---\nmore: x\n---\nSay\n`],
  ])("%s: its hook runs, and drwn refuses to publish it", async (_, text) => {
    world.write(FILE, text);
    await runClaude(world, { prompt: `/${NAME}`, steps: BASH });
    expect(world.has("ran.txt")).toBe(true);
    const source = await makeSource(text);
    const args = [drwnBinary, "card", "publish", source];
    const { code, stderr } = await runProcess({ program: process.execPath, args, cwd: world.project, env: world.env });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/SKILL\.md, line \d+, .*\[DRWN_SKILL_INVALID\]/u)]);
  });
});

describe("a shell line that the user's own words start", () => {
  test("runs once it was consented to, and not before", async () => {
    await addSkill(SHELL_LINE);
    expect(world.has(FILE)).toBe(false);
    expect((await diagnose(world)).findings).toContainEqual(expect.objectContaining({ code: "skill-not-applied" }));
    await runClaude(world, { prompt: `/${NAME}`, steps: BASH });
    expect(world.has("ran.txt")).toBe(false);

    const { stderr } = await drwn(world, "card", "trust", "@me/guard", "--hooks", "--yes");
    expect(stderr).toContain("!`touch ran.txt`");
    await here(world, "write");
    await runClaude(world, { prompt: `/${NAME}`, steps: BASH });
    expect(world.has("ran.txt")).toBe(true);
  });

  test.each([
    ["denies it", `{ action: "deny", reason: "REASON-OF-THE-GUARD" }`, "REASON-OF-THE-GUARD"],
    ["asks about it", `{ action: "ask", reason: "REASON-OF-THE-GUARD" }`, "cannot ask one here"],
    ["rewrites it", `{ action: "allow", updatedInput: { command: "true" } }`, "would change the input of the call"],
    ["throws", `(() => { throw new Error("BROKEN") })()`, "BROKEN"],
  ])("doesn't run where a guard %s, and the model reads why", async (_, guard, why) => {
    await addSkill(SHELL_LINE, { guard });
    await here(world, "card", "trust", "@me/guard", "--hooks", "--yes");
    await here(world, "write");
    const { turns } = await runClaude(world, { prompt: `/${NAME}`, steps: [{ text: "done" }] });
    expect([world.has(FILE), world.has("ran.txt")]).toEqual([true, false]);
    expect(JSON.stringify(turns)).toContain(why);
  });

  test("doesn't run where drwn's launcher is gone", async () => {
    await addSkill(SHELL_LINE, { guard: `{ action: "allow" }` });
    await here(world, "card", "trust", "@me/guard", "--hooks", "--yes");
    await here(world, "write");
    fs.rmSync(path.join(world.home, ".agents/drwn/bin/hook"));
    await runClaude(world, { prompt: `/${NAME}`, steps: [{ text: "done" }] });
    expect(world.has("ran.txt")).toBe(false);
  });

  test("is gone after untrust and write", async () => {
    await addSkill(SHELL_LINE);
    await here(world, "card", "trust", "@me/guard", "--hooks", "--yes");
    await here(world, "write");
    await drwn(world, "card", "untrust", "@me/guard", "--hooks");
    await here(world, "write");
    await runClaude(world, { prompt: `/${NAME}`, steps: BASH });
    expect([world.has(FILE), world.has("ran.txt")]).toEqual([false, false]);
  });

  test("and a file that the skill names is read past a hook that denies every call: both are code", async () => {
    const text = `---\n${HEAD}\n---\nSee @secret.txt\n`;
    world.write("secret.txt", "SECRET-42");
    const deny = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] } };
    world.write(".claude/settings.json", JSON.stringify(deny));
    world.write(FILE, text);
    const { turns } = await runClaude(world, { prompt: `/${NAME}`, steps: BASH });
    expect(JSON.stringify(turns)).toContain("SECRET-42");
    fs.rmSync(world.at(FILE));
    await addSkill(text);
    expect(world.has(FILE)).toBe(false);
  });
});

const opencode: OtherClient = "opencode";

describe.skipIf(inject("others")[opencode] === undefined)(`OpenCode (${missing(opencode)} otherwise)`, () => {
  test("runs what stands between `!` and backticks, wherever it stands, and has the skill only after a consent", async () => {
    await addSkill(`---\n${HEAD}\n---\nx\`!\`touch ran.txt\`\n`);
    await runSkill();
    expect(world.has("ran.txt")).toBe(false);
    await here(world, "card", "trust", "@me/guard", "--hooks", "--yes");
    await here(world, "write");
    await runSkill();
    expect(world.has("ran.txt")).toBe(true);
  });

  async function runSkill(): Promise<void> {
    const model = await startMockModel([{ text: "done" }]);
    try {
      const started = commandLineOf(opencode, world, { url: model.url, how: "alone" });
      await runProcess({ ...started, args: ["run", "--command", NAME, "now"], timeoutMs: 150_000 });
    } finally {
      await model.close();
    }
  }
});
