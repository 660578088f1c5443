import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Doctor from "../../../../src/cli/commands/doctor.ts";
import { IN_ANY_CARD } from "../../../../src/dialects/importing/imported.ts";
import { importPolicies } from "../../../../src/operations/author/import-policies.ts";
import { doctorSource } from "../../../../src/operations/author/inspect-source.ts";
import { inspectHooker } from "../../../../src/operations/diagnose/diagnose.ts";
import { readTree, sourceWith, writeTree } from "../../../support/cards.ts";
import { runCommand } from "../../../support/cli.ts";
import { testHost } from "../../../support/host.ts";
import { policy } from "../world.ts";

const BASH = 'on :PreToolUse, tool: "Bash"';
const RULES = [
  policy("Say where", BASH, 'inject "A.md", command: "git status"'),
  policy("No force push", `${BASH}, match: :git_push_force`, 'gate "no"'),
  policy("No force push", `${BASH}, match: /rm -rf|curl/i`, "gate"),
  policy(
    "Secrets",
    'on :PreToolUse, tool: /write/i, match: "^-+BEGIN", match_field: :content',
    'when_prompt "c"',
    "gate",
  ),
  policy("Style", `${BASH}, file: ".env"`, 'transform context: "S.md", prompt: "p", model: "m"'),
  policy("Prompt", 'on :UserPromptSubmit, match: "design"', 'inject "A.md"'),
  policy("Rewritten", "on :UserPromptSubmit", 'transform prompt: "p"'),
  policy("Never", 'on :UserPromptSubmit, tool: "Bash"', "gate"),
  policy("Other", `${BASH}, match: :git_clone`, "gate"),
].join("");

function importing(rules: string) {
  const host = testHost();
  const card = sourceWith();
  writeTree(host.cwd, { ".claude/policies.rb": rules });
  return { host, card, request: { file: ".claude/policies.rb", from: undefined, dryRun: false } };
}

describe("card source import", () => {
  test("makes hooks that compile, gates first, with what they use declared", async () => {
    const { host, card, request } = importing(RULES);
    const report = await importPolicies(host, card, request);
    expect(report.hooks).toEqual([
      { name: "no-force-push", capabilities: [] },
      { name: "no-force-push-2", capabilities: [] },
      { name: "secrets", capabilities: ["env", "exec"] },
      { name: "say-where", capabilities: ["exec", "fs-read"] },
      { name: "style", capabilities: ["env", "exec", "fs-read"] },
      { name: "prompt", capabilities: ["fs-read"] },
    ]);
    expect(readTree(card)["hooks/prompt/policy.ts"]).toContain('event: "UserPromptSubmit", match: "design"');
    expect(readTree(card)["hooks/no-force-push/policy.ts"]).toContain("match: [matchConstants.git_push_force, /");
    const inspected = await doctorSource(host, card);
    expect(inspected).toMatchObject({ ok: true });
  });

  const differences: [policy: string, what: RegExp][] = [
    ["No force push", /reads words besides the text: it finds more/u],
    ["No force push", /cannot search in time/u],
    ["No force push", /leaves out the flags `i`/u],
    ["No force push", /it finds more: a field under each name/u],
    ["Secrets", /it finds more: a field under each name/u],
    ["Style", /it finds more: a field under each name/u],
    ["Secrets", /a classifier that fails denies the call, and so does an answer that is neither yes nor no/u],
    ["Style", /a model that fails denies the call, and so does an empty answer/u],
    ["Style", /a missing context file denies the call/u],
    ["Say where", /a command that fails denies the call/u],
    ["Say where", /its program may run although a gate denies/u],
    ["Say where", /`<hooker:matched>`/u],
    ["Style", /its program may run although a gate denies/u],
    ["Prompt", /`<hooker:matched>`/u],
    ["Prompt", /what denies a call rejects the prompt/u],
    ["Prompt", /a missing context file denies the call/u],
    ["Rewritten", /not imported: no agent takes another prompt/u],
    ["Never", /not imported: a prompt has no tool/u],
    ["Other", /not imported: there is no match constant :git_clone/u],
  ];
  test("names every difference", async () => {
    const { host, card, request } = importing(RULES);
    const report = await importPolicies(host, card, request);
    for (const [name, what] of differences) {
      const said = report.differences.filter((one) => one.policy === name).map((one) => one.what);
      expect(said.some((sentence) => what.test(sentence))).toBe(true);
    }
    const places = report.differences.filter(({ what }) => what.startsWith("its event is "));
    expect(places.map(({ hook, what }) => [hook, what.replace(/;.*/u, "")]).sort()).toEqual(
      report.hooks
        .map(({ name }) => [name, `its event is ${name === "prompt" ? "prompt.submit" : "tool.before"}`])
        .sort(),
    );
    const general = report.differences.filter(({ what }) => what === IN_ANY_CARD);
    expect(general.map(({ hook }) => hook)).toEqual(report.hooks.map(({ name }) => name));
    expect(report.differences).toHaveLength(differences.length + 1 + places.length + general.length);
  });

  test("changes nothing in a dry run, and nothing where a hook of that name is", async () => {
    const { host, card, request } = importing(policy("a", BASH, "gate"));
    const before = readTree(card);
    expect((await importPolicies(host, card, { ...request, dryRun: true })).changes).toHaveLength(4);
    expect(readTree(card)).toEqual(before);
    await importPolicies(host, card, request);
    await expect(importPolicies(host, card, request)).rejects.toMatchObject({
      code: "DRWN_HOOK_EXISTS",
      details: ["a"],
    });
  });

  test.each([
    ["Ruby that is not the language", "puts 1\n", "DRWN_POLICIES_UNREADABLE", /line 1: `puts`/u],
    ["broken Ruby", "policy 'x' do\n", "DRWN_POLICIES_UNREADABLE", /line \d/u],
  ])("refuses %s, with the line", async (_, rules, code, message) => {
    const { host, card, request } = importing(rules);
    await expect(importPolicies(host, card, request)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  test("asks for the system where the file does not tell", async () => {
    const { host, card, request } = importing("");
    const unknown = importPolicies(host, card, { ...request, file: "rules.txt" });
    await expect(unknown).rejects.toMatchObject({ code: "DRWN_DIALECT_UNKNOWN" });
    const gone = importPolicies(host, card, { ...request, file: "gone.rb" });
    await expect(gone).rejects.toMatchObject({ code: "DRWN_POLICIES_UNREADABLE" });
  });
});

describe("doctor --hooker", () => {
  test("looks at every file on the way up, the broadest first, and names what is without effect", () => {
    const host = testHost();
    writeTree(host.cwd, {
      ".claude/policies.rb": policy("a", BASH, 'inject command: "git log"'),
      "sub/.claude/policies.rb/x": "",
      "sub/deep/.claude/policies.rb": "puts 1\n",
    });
    const report = inspectHooker(host.at(path.join(host.cwd, "sub/deep")));
    const found = report.files.filter((file) => file.path.startsWith(host.cwd));
    expect(found.map(({ error }) => error)).toEqual([
      null,
      expect.stringContaining("is not a regular file"),
      "line 1: `puts` is not a word of the policy language here",
    ]);
    expect(found[0]).toMatchObject({ policies: 1, programs: ["git log"], findings: [] });
    expect(report.ok).toBe(false);
  });

  const findings: [text: string, rules: string, level: string, what: RegExp][] = [
    ["a lost flag", policy("p", `${BASH}, match: /x/i`, "gate"), "warning", /flags `i` .* are left out/u],
    ["a line's end", policy("p", `${BASH}, match: /x$/`, "gate"), "warning", /stand for every line/u],
    ["a constant", policy("p", `${BASH}, match: :git_push`, "gate"), "warning", /looks at text/u],
    ["an unknown constant", policy("p", `${BASH}, match: :nope`, "gate"), "error", /no match constant :nope/u],
    ["a broken pattern", policy("p", `${BASH}, match: "("`, "gate"), "error", /cannot be used/u],
    ["a file of a Bash call", policy("p", `${BASH}, file: /x/`, "gate"), "warning", /has no file_path/u],
    ["a prompt with a tool", policy("p", 'on :UserPromptSubmit, tool: "x"', "gate"), "error", /without a tool/u],
    ["nothing to do", policy("p", BASH), "error", /neither gate nor transform nor inject/u],
  ];
  test.each(findings)("names %s", async (_, rules, level, what) => {
    const host = testHost();
    writeTree(host.cwd, { ".claude/policies.rb": rules });
    const run = await runCommand(host, Doctor, "--hooker", "--json");
    const [file] = JSON.parse(run.stdout).files.filter((one: { path: string }) => one.path.startsWith(host.cwd));
    expect(file.findings).toEqual([{ policy: "p", line: 1, level, what: expect.stringMatching(what) }]);
    expect(run.exitCode).toBe(level === "error" ? 3 : 0);
  });

  test("prints a file's findings for a person", async () => {
    const host = testHost();
    fs.mkdirSync(path.join(host.cwd, ".claude"));
    fs.writeFileSync(path.join(host.cwd, ".claude/policies.rb"), policy("p", `${BASH}, match: /x/i`, "gate"));
    expect((await runCommand(host, Doctor, "--hooker")).stdout).toContain("warning line 1, p: the flags `i`");
  });
});
