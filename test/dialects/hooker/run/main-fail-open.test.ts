import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { bash, hookerWorld, policy } from "../world.ts";

const GATE = policy("p", "on :PreToolUse", "gate");

describe("what is no event", () => {
  const cases: [text: string, input: string | Uint8Array, exitCode: number, stderr: string][] = [
    ["nothing", "", 0, ""],
    ["blanks", " \n\t", 0, ""],
    ["no JSON", "{", 0, "hooker: invalid JSON input: "],
    ["a text", '"x"', 0, ""],
    ["null", "null", 1, "hooker: TypeError"],
    ["a list", "[]", 1, "hooker: TypeError"],
  ];
  test.each(cases)("%s", (_, input, exitCode, stderr) => {
    const heard = hookerWorld(GATE).send(input);
    expect(heard).toMatchObject({ exitCode, stdout: "" });
    expect(heard.stderr.slice(0, stderr.length)).toBe(stderr);
    expect(heard.stderr === "").toBe(stderr === "");
  });

  test("bytes that are not UTF-8, where a pattern would look at them", () => {
    const { send, folder } = hookerWorld(policy("p", 'on :PreToolUse, match: "x"', "gate"));
    const text = JSON.stringify({ ...bash("x?"), cwd: folder });
    const bytes = Buffer.from(text);
    bytes[text.indexOf("?")] = 0xff;
    expect(send(bytes)).toMatchObject({ exitCode: 1, stdout: "" });
  });
});

describe("a policies.rb that cannot be used lets the call go ahead, and says so in both places", () => {
  const cases: [text: string, policies: string, warning: string][] = [
    ["a syntax error", `${GATE}policy "x" do\n`, "failed to load policies: "],
    ["Ruby that is not the language", `${GATE}puts "x"\n`, "line 5: `puts` is not a word of the policy language"],
    [
      "an unknown argument",
      'policy "p" do\n  on :PreToolUse, matches: "x"\nend\n',
      "line 2: unknown keyword: :matches",
    ],
    ["a wrong number of arguments", 'policy "p" do\n  on\n  gate\nend\n', "wrong number of arguments"],
    ["a pattern that is none", policy("p", 'on :PreToolUse, match: "("', "gate"), "invalid regex in policy 'p': "],
    ["a tool that is no pattern", policy("p", 'on :PreToolUse, tool: "("', "gate"), "invalid regex in policy 'p': "],
    ["an unknown constant", policy("p", "on :PreToolUse, match: :nope", "gate"), "unknown match constant ':nope'"],
    ["an unknown constant as a text", policy("p", 'on :PreToolUse, match: ":nope"', "gate"), "unknown match constant"],
    [
      "a pattern without an end",
      policy("p", 'on :PreToolUse, match: "^(a+)+$"', "gate"),
      "it took longer than 1000 ms",
    ],
  ];
  test.each(cases)("%s", (_, policies, warning) => {
    const heard = hookerWorld(policies).send(bash(`${"a".repeat(60)}!`));
    expect(heard.exitCode).toBe(0);
    expect(heard.stderr).toMatch(/^hooker: /u);
    expect(heard.stderr).toContain(warning);
    expect(heard.answer["permissionDecision"]).toBeUndefined();
    const context = String(heard.answer["additionalContext"]);
    expect(context).toMatch(/^<hooker-warnings>\n[\s\S]*\n<\/hooker-warnings>$/u);
    expect(context).toContain(warning);
  });

  test("comments alone are no policies, and no warning", () => {
    expect(hookerWorld("# nothing\n").send(bash("x"))).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("a pattern is not looked at where event or tool are others", () => {
    const rules = policy("p", 'on :PreToolUse, tool: "Edit", match: "("', "gate");
    expect(hookerWorld(rules).send(bash("x"))).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("the other policies of the file stay in force beside a bad pattern, and a gate keeps warnings out of its answer", () => {
    const heard = hookerWorld(`${policy("a", 'on :PreToolUse, match: "("', "gate")}${GATE}`).send(bash("x"));
    expect(heard.answer["permissionDecision"]).toBe("deny");
    expect(heard.answer["additionalContext"]).toBeUndefined();
    expect(heard.stderr).toContain("invalid regex in policy 'a'");
  });
});

describe("a policies.rb that is no file", () => {
  test("none at all", () => {
    expect(hookerWorld({ "a.md": "" }).send(bash("x"))).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("a folder", () => {
    const heard = hookerWorld({ ".claude/policies.rb/x": "" }).send(bash("x"));
    expect(heard).toMatchObject({ exitCode: 0 });
    expect(heard.stderr).toContain("failed to load policies: Is a directory");
  });

  test("a loop of links does not exist", () => {
    const world = hookerWorld({ ".claude/x": "" });
    fs.symlinkSync("policies.rb", path.join(world.folder, ".claude/policies.rb"));
    expect(world.send(bash("x"))).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  test.skipIf(!fs.existsSync("/proc/self/mem"))("a file that cannot be read (skipped where there is no /proc)", () => {
    const { folder, send } = hookerWorld({ ".claude/x": "" });
    fs.symlinkSync("/proc/self/mem", path.join(folder, ".claude/policies.rb"));
    const heard = send(bash("x"));
    expect(heard).toMatchObject({ exitCode: 0 });
    expect(heard.stderr).toContain("hooker: failed to load policies: ");
    expect(heard.answer["permissionDecision"]).toBeUndefined();
  });

  test("a file that is not UTF-8", () => {
    const heard = hookerWorld({
      "policies.rb": Buffer.concat([Buffer.from(GATE), Buffer.from([0x22, 0xff, 0x22])]),
    }).send(bash("x"));
    expect(heard.stderr).toContain("the file is not UTF-8");
    expect(heard.exitCode).toBe(0);
  });

  test("five megabytes of policies are policies", () => {
    const filler = `# ${"x".repeat(998)}\n`.repeat(5_000);
    expect(hookerWorld(`${filler}${GATE}`).send(bash("x")).answer["permissionDecision"]).toBe("deny");
  });

  test("nesting that no parser follows", () => {
    const heard = hookerWorld(`${GATE}x = ${"[".repeat(100_000)}${"]".repeat(100_000)}\n`).send(bash("x"));
    expect(heard.exitCode).toBe(0);
    expect(heard.stderr).toContain("failed to load policies: ");
  });
});

describe("what a file says is kept by its content", () => {
  test("an edit counts at the next event, and a damaged copy is made again", () => {
    const world = hookerWorld(GATE);
    const file = path.join(world.folder, ".claude/policies.rb");
    expect(world.send(bash("x")).stdout).not.toBe("");
    fs.writeFileSync(file, policy("p", 'on :PreToolUse, match: "zzz"', "gate"));
    expect(world.send(bash("x")).stdout).toBe("");
    fs.writeFileSync(file, GATE);
    const kept = path.join(path.dirname(world.folder), "drwn/dialects/hooker");
    expect(fs.readdirSync(kept)).toHaveLength(2);
    for (const name of fs.readdirSync(kept)) fs.writeFileSync(path.join(kept, name), '{"policies":');
    expect(world.send(bash("x")).stdout).not.toBe("");
  });

  test("without a place to keep it the file is read each time", () => {
    const { send, folder } = hookerWorld({ "policies.rb": GATE, blocked: "" });
    const env = { DRWN_HOME: path.join(folder, "blocked") };
    for (let round = 0; round < 2; round++) expect(send(bash("x"), { env }).answer["permissionDecision"]).toBe("deny");
  });
});

describe("what programs print on stderr reaches the agent up to 64 KiB, and is said to be cut", () => {
  const PRINT = "head -c 5000000 /dev/zero | tr '\\0' x >&2";
  const LEFT_OUT = /^drwn: the rest of what policies print is left out, beyond 64 KiB$/gmu;

  test("the model that transforms", () => {
    const world = hookerWorld(policy("p", "on :PreToolUse", 'transform prompt: "fix it"'));
    world.program("claude", `${PRINT}; echo fixed`);
    const heard = world.send(bash("x"));
    expect(heard.answer["updatedInput"]).toMatchObject({ command: "fixed" });
    expect(heard.stderr.length).toBeLessThanOrEqual(65_536);
    expect(heard.stderr.match(LEFT_OUT)).toHaveLength(1);
  });

  test("a command that fails, in both places", () => {
    const world = hookerWorld(policy("p", "on :PreToolUse", 'inject command: "noisy"'));
    world.program("noisy", `${PRINT}; exit 1`);
    const { stderr, answer } = world.send(bash("x"));
    for (const text of [stderr, String(answer["additionalContext"])]) {
      expect(text.length).toBeLessThan(65_536 + 100);
      expect(text.match(LEFT_OUT)).toHaveLength(1);
    }
  });
});
