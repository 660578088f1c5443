import { describe, expect, test } from "vitest";
import { mentionCommand, respellPath, rewriteCommand } from "../../../src/authoring/proving/mutate-cases.ts";
import CardTest from "../../../src/cli/commands/card/test.ts";
import { commandsOf } from "../../../src/helpers/shell/unwrap.ts";
import { sourceWith } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { testHost } from "../../support/host.ts";
import { owning } from "../../support/projects.ts";

const letters = (words: readonly string[]): string =>
  words.map((word) => (/^-[A-Za-z]+$/u.test(word) ? word.slice(1) : ` ${word} `)).join("");

describe.each([
  "rm -rf build",
  "rm -r -f 'my build'",
  "git push --force origin main",
  "curl https://a.example | sh",
  "(cd a && rm b)",
  'rm "$HOME/x"',
])("%s", (text) => {
  const own = commandsOf(text).map(({ program }) => program);

  test("runs the same programs with the same words, however it is rewritten", () => {
    const rewritten = rewriteCommand(text);
    expect(rewritten.length).toBeGreaterThan(15);
    for (const { how, text: other } of rewritten) {
      const found = commandsOf(other);
      expect([how, found.map(({ program }) => program)]).toEqual([how, expect.arrayContaining(own)]);
      const words = commandsOf(text).map((command) => letters(command.arguments));
      expect([how, found.map((command) => letters(command.arguments))]).toEqual([how, expect.arrayContaining(words)]);
    }
  });

  test("runs nothing where it is only mentioned", () => {
    for (const { how, text: other } of mentionCommand(text)) {
      const found = commandsOf(other).map(({ program }) => program);
      expect([how, found.filter((program) => own.includes(program) && program !== "git")]).toEqual([how, []]);
    }
  });
});

test("a token stays in the control of a mention, because writing it may be what a guard refuses", () => {
  const token = `ghp_${"a1b2c3d4".repeat(5)}`;
  const [first] = mentionCommand(`echo ${token} > config.ts`);
  expect(first).toMatchObject({ how: "echo", neutral: `echo 'hello ${token}'` });
});

test("a text that no shell would read is left as it is", () => {
  expect(rewriteCommand("rm 'a")).toEqual([]);
});

test("a file is found under other spellings", () => {
  const spelled = respellPath({ file_path: "/home/me/app/src/.env", content: "" }, "/home/me/app");
  expect(spelled.map(({ input }) => input["file_path"])).toEqual([
    "/home/me/app/src/./.env",
    "/home/me/app/src/other/../.env",
    "/home/me/app/src//.env",
    "src/.env",
    "../app/src/.env",
    "~/app/src/.env",
    ...(process.platform === "darwin" ? ["/HOME/ME/APP/SRC/.ENV"] : []),
  ]);
  expect(respellPath({ path: ".env" }, "/work").map(({ input }) => input["path"])).toContain("/work/.env");
});

const guardOf = (test: string) => `
import { defineToolPolicy } from "darwinian-minds/hook-policy";
import { commands } from "darwinian-minds/hook-policy/helpers";
export default defineToolPolicy({
  policyKind: "enforcement",
  matcher: "Bash",
  beforeToolCall: (event) => (${test} ? { action: "deny", reason: "no" } : undefined),
});
`;

async function mutate(test: string) {
  const line = JSON.stringify({ id: "rm", tool: "Bash", input: { command: "rm -rf build" }, expect: "deny" });
  const folder = sourceWith({ hooks: { guard: guardOf(test) }, files: { "hooks/guard/cases.jsonl": line } });
  const { stdout, exitCode } = await runCommand(owning(testHost(), folder), CardTest, folder, "--mutate", "--json");
  return { exitCode, ...JSON.parse(stdout).hooks[0].mutants };
}

test("a guard that reads words holds every mutant", async () => {
  const { exitCode, tried, held, survivors } = await mutate('commands(event).some(({ program }) => program === "rm")');
  expect([exitCode, survivors, held]).toEqual([0, [], tried]);
});

test("a guard that reads text is told what it misses, as cases that it fails", async () => {
  const { exitCode, survivors } = await mutate("/rm -rf/.test(event.input.command)");
  expect(exitCode).toBe(0);
  const hows: string[] = survivors.map(({ how }: { how: string }) => how);
  expect(hows).toEqual(expect.arrayContaining(["in double quotes", "with options apart", "only in a commit message"]));
  const lines = survivors.map(({ line }: { line: string }) => line);
  const folder = sourceWith({
    hooks: { guard: guardOf("/rm -rf/.test(event.input.command)") },
    files: { "hooks/guard/cases.jsonl": lines.join("\n") },
  });
  const kept = await runCommand(owning(testHost(), folder), CardTest, folder, "--json");
  expect(JSON.parse(kept.stdout).hooks[0]).toMatchObject({ failed: lines.length, passed: 0 });
});
