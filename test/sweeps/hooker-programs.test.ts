import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { bash, hookerWorld, policy, prompt, type World, write } from "../dialects/hooker/world.ts";

const BASH = 'on :PreToolUse, tool: "Bash"';
const REWRITE = policy("rewrite", BASH, 'transform context: "STYLE.md", prompt: "Do it."');

/** A program that records its arguments beside itself, and answers. */
function recorder(world: World, name: string, answer: string): { given: () => string; input: () => string } {
  const log = path.join(world.folder, `../${name}.log`);
  world.program(name, `echo "$@" >> ${log}.given; cat >> ${log}; ${answer}`);
  return { given: () => fs.readFileSync(`${log}.given`, "utf8"), input: () => fs.readFileSync(log, "utf8") };
}

describe("an inject", () => {
  test("adds files between tags of their names, what commands print, and who asked for it; missing files are a warning", () => {
    const rules = [
      policy("one", 'on :UserPromptSubmit, match: "go"', 'inject "docs/A.md", ["B.md", "GONE.md"]'),
      policy("two", "on :UserPromptSubmit", 'inject "B.md", command: "cat; pwd"'),
    ];
    const { send, folder } = hookerWorld({ "policies.rb": rules.join(""), "docs/A.md": "a", "B.md": "b\n" });
    const heard = send(prompt("go"));
    const gone = `context file not found: ${folder}/GONE.md`;
    const event = JSON.stringify({ cwd: folder, ...prompt("go") });
    expect(heard.stderr).toBe(`hooker: ${gone}\n`);
    expect(heard.answer).toEqual({
      hookEventName: "UserPromptSubmit",
      additionalContext: [
        "<A.md>\na\n</A.md>",
        "<B.md>\nb\n\n</B.md>",
        `${event}${folder}`,
        "<hooker:matched>one, two</hooker:matched>",
        `<hooker-warnings>\n${gone}\n</hooker-warnings>`,
      ].join("\n\n"),
    });
  });

  const commands: [text: string, command: string, added: string, warning: string][] = [
    ["that fails and says why", "echo no >&2; exit 3", "", "context_command failed: no"],
    ["that fails in silence", "exit 3", "", ""],
    ["that is not there", "no-such-program x", "", "context_command not found: no-such-program x"],
    ["that prints a hundred megabytes", "head -c 100000000 /dev/zero", "", "it printed more than 16777216 bytes"],
    ["that hangs", "sleep 30", "", "it did not finish in time"],
    ["that needs no shell", "echo   hi", "hi", ""],
    ["that does not read", "true", "", ""],
  ];
  test.each(commands)("with a command %s", (_, command, added, warning) => {
    const { send } = hookerWorld(
      policy("p", "on", "").replace("  on\n", `  inject command: ${JSON.stringify(command)}\n`),
    );
    const heard = send(prompt("x"), { env: { HOOKER_TIMEOUT: command === "sleep 30" ? "3" : "20" } });
    expect(heard.exitCode).toBe(0);
    if (warning === "") expect(heard.stderr).toBe("");
    expect(heard.stderr).toContain(warning);
    const context = String(heard.answer["additionalContext"] ?? "");
    expect(context.includes("<hooker:matched>p</hooker:matched>")).toBe(added !== "");
    expect(context).toContain(added);
    expect(context).toContain(warning);
  });

  test("of a folder, of a pipe's place and of bytes that are no text", () => {
    const rules = policy("p", "on :UserPromptSubmit", 'inject "folder", "bytes"');
    const { send, folder } = hookerWorld({ "policies.rb": rules, "folder/x": "", bytes: Buffer.from([65, 0xff, 66]) });
    const heard = send(prompt("x"));
    expect(heard.stderr).toBe(`hooker: context file not found: ${folder}/folder\n`);
    expect(heard.answer["additionalContext"]).toContain("<bytes>\nA\ufffdB\n</bytes>");
  });

  test("of a file that is too large says so, and the others arrive", () => {
    const rules = policy("p", "on :UserPromptSubmit", 'inject "huge", "small"');
    const { send, folder } = hookerWorld({ "policies.rb": rules, huge: "", small: "text" });
    fs.truncateSync(path.join(folder, "huge"), 17 * 1024 * 1024);
    const heard = send(prompt("x"));
    expect(heard.stderr).toBe(`hooker: context file is larger than 16777216 bytes: ${folder}/huge\n`);
    expect(heard.answer["additionalContext"]).toContain("<small>\ntext\n</small>");
  });
});

describe("a transform", () => {
  test("asks claude once, with context, input and instructions, and puts its answer into the field", () => {
    const rules = `${REWRITE}${policy("two", BASH, 'transform context: ["STYLE.md", "B.md"], prompt: "And that.", model: "m"')}`;
    const world = hookerWorld({ "policies.rb": rules, "STYLE.md": "style", "B.md": "b" });
    const claude = recorder(world, "claude", `printf '\`\`\`sh\\ngit commit\\n\`\`\`\\n'`);
    const heard = world.send(bash("git ci"), { env: { CLAUDECODE: "1" } });
    expect(heard.stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"git commit"}}}\n',
    );
    expect(claude.given()).toBe("-p\n");
    expect(claude.input()).toBe(
      [
        "<context>\n<STYLE.md>\nstyle\n</STYLE.md>\n\n<B.md>\nb\n</B.md>\n</context>",
        '<current_input>\n{\n  "command": "git ci"\n}\n</current_input>',
        "<instructions>\n1. Do it.\n2. And that.\n</instructions>",
        "Return ONLY the transformed value. No explanation, no markdown fencing.",
      ].join("\n\n"),
    );
  });

  test("of another field keeps the others, names its model, and does not tell claude that it runs in Claude Code", () => {
    const rules = policy(
      "p",
      'on :PreToolUse, tool: "Write"',
      'transform prompt: "x", field: :content, model: "haiku"',
    );
    const world = hookerWorld(rules);
    const claude = recorder(world, "claude", 'echo "new$CLAUDECODE"');
    const heard = world.send(write("/a.py", "old"), { env: { CLAUDECODE: "1" } });
    expect(heard.answer["updatedInput"]).toEqual({ file_path: "/a.py", content: "new" });
    expect(claude.given()).toBe("-p --model haiku\n");
  });

  test("by a command comes first, and claude is asked about what it made", () => {
    const rules = `${REWRITE}${policy("c", BASH, `transform command: "echo '{\\"timeout\\": 5}'"`)}`;
    const world = hookerWorld({ "policies.rb": rules, "STYLE.md": "s" });
    const claude = recorder(world, "claude", "echo done");
    expect(world.send(bash("x")).answer["updatedInput"]).toEqual({ command: "done", timeout: 5 });
    expect(claude.input()).toContain('"timeout": 5');
  });

  test("and an inject answer together", () => {
    const world = hookerWorld({
      "policies.rb": `${REWRITE}${policy("i", BASH, 'inject "STYLE.md"')}`,
      "STYLE.md": "s",
    });
    world.program("claude", "echo done");
    const { answer } = world.send(bash("x"));
    expect(answer["updatedInput"]).toEqual({ command: "done" });
    expect(answer["additionalContext"]).toBe("<STYLE.md>\ns\n</STYLE.md>\n\n<hooker:matched>i</hooker:matched>");
  });

  const failures: [text: string, claude: string | undefined, failure: string][] = [
    ["is not there", undefined, "claude CLI not found"],
    ["fails", "exit 7", "claude -p exited with 7"],
    ["hangs", "exec sleep 30", "claude -p failed: it did not finish in time"],
  ];
  test.each(failures)("whose claude %s lets the call go ahead, and says it twice", (_, claude, failure) => {
    const world = hookerWorld({ "policies.rb": REWRITE, "STYLE.md": "s" });
    if (claude !== undefined) world.program("claude", claude);
    const heard = world.send(bash("x"), { env: { HOOKER_TIMEOUT: claude === "exec sleep 30" ? "2" : "20" } });
    expect(heard).toMatchObject({ exitCode: 0, stderr: `hooker: ${failure}\n` });
    expect(heard.answer).toEqual({
      hookEventName: "PreToolUse",
      additionalContext: `<hooker-warnings>\n${failure}\n</hooker-warnings>\n\nhooker: ${failure}`,
    });
  });

  test("whose claude answers nothing changes nothing, in silence", () => {
    const world = hookerWorld({ "policies.rb": REWRITE, "STYLE.md": "s" });
    world.program("claude", "echo");
    expect(world.send(bash("x"))).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  });

  const answers: [text: string, claude: string, value: string][] = [
    ["a fenced value", "printf '```sh\\nls -l\\n```\\n'", "ls -l"],
    ["prose", "echo 'Sure! Here it is: ls -l'", "Sure! Here it is: ls -l"],
    ["another JSON", `echo '{"command":"ls -l"}'`, '{"command":"ls -l"}'],
    ["a fence that does not end", "printf '```\\nls -l'", "ls -l"],
  ];
  test.each(answers)("takes %s as hooker does: for the value, without fences", (_, claude, value) => {
    const world = hookerWorld({ "policies.rb": REWRITE, "STYLE.md": "s" });
    world.program("claude", claude);
    expect(world.send(bash("x")).answer["updatedInput"]).toEqual({ command: value });
  });

  const printed: [text: string, command: string, warning: string][] = [
    ["no JSON", "echo x", "transform command 'p' returned invalid JSON: "],
    ["a list", "echo '[]'", "transform command 'p' returned invalid JSON: it isn't an object"],
    ["nothing", "true", ""],
    ["an object, and fails", 'echo \'{"command":"y"}\'; exit 1', ""],
  ];
  test.each(printed)("whose command prints %s changes nothing", (_, command, warning) => {
    const heard = hookerWorld(policy("p", BASH, `transform command: ${JSON.stringify(command)}`)).send(bash("x"));
    expect(heard.answer["updatedInput"]).toBeUndefined();
    expect(heard.stderr).toContain(warning);
    expect(heard.stderr === "").toBe(warning === "");
  });
});

describe("when_prompt", () => {
  const SURE = policy("sure", BASH, 'gate "sure"');
  const MAYBE = policy("maybe", BASH, 'when_prompt "It is bad.", model: "llama3:8b"', 'gate "maybe"');

  const answers: [answer: string, isYes: boolean][] = [
    ["yes", true],
    ["  YES, it does", true],
    ["no", false],
    ["well, yes", false],
    ["", false],
  ];
  test.each(answers)("takes the answer `%s` of ollama", (answer, isYes) => {
    const world = hookerWorld(MAYBE);
    const ollama = recorder(world, "ollama", `echo '${answer}'`);
    const heard = world.send(bash("rm x"));
    expect(heard.stderr).toBe("");
    expect(heard.answer["permissionDecisionReason"]).toBe(isYes ? "maybe" : undefined);
    expect(ollama.given()).toBe("run llama3:8b\n");
    expect(ollama.input()).toBe(
      'You are a classifier. Respond with exactly "yes" if the following condition applies to the input. Otherwise respond ' +
        '"no". Output only "yes" or "no".\n\nCondition: It is bad.\n\nInput: rm x',
    );
  });

  test("asks $SCREEN_HOME/bin/classify where that is set, in compact JSON", () => {
    const world = hookerWorld({ "policies.rb": MAYBE, "bin/x": "" });
    const log = path.join(world.folder, "log");
    const file = path.join(world.folder, "bin/classify");
    fs.writeFileSync(file, `#!/bin/sh\ncat > ${log}\necho yes\n`, { mode: 0o755 });
    expect(world.send(bash("rm"), { env: { SCREEN_HOME: world.folder } }).answer["permissionDecision"]).toBe("deny");
    expect(fs.readFileSync(log, "utf8")).toBe('{"condition":"It is bad.","model":"llama3:8b","command":"rm"}');
  });

  test.each([
    ["ollama", undefined, "hooker: ollama not found\n"],
    ["ollama that fails", "exit 4", "hooker: ollama exited with 4\n"],
  ])("is no without %s, with a warning", (_, ollama, stderr) => {
    const world = hookerWorld(MAYBE);
    if (ollama !== undefined) world.program("ollama", ollama);
    const heard = world.send(bash("x"));
    expect(heard).toMatchObject({ exitCode: 0, stderr });
    expect(heard.answer["permissionDecision"]).toBeUndefined();
  });

  test("is no without classify, and the warning names its place", () => {
    const heard = hookerWorld(MAYBE).send(bash("x"), { env: { SCREEN_HOME: "/gone" } });
    expect(heard.stderr).toBe("hooker: classify not found at /gone/bin/classify\n");
  });

  test("is asked of every policy whose pattern matched, also behind a gate that is sure", () => {
    const world = hookerWorld(`${SURE}${MAYBE}`);
    const ollama = recorder(world, "ollama", "echo no");
    expect(world.send(bash("x")).answer["permissionDecisionReason"]).toBe("sure");
    expect(ollama.given()).toBe("run llama3:8b\n");
  });
});

describe("several files on the way up", () => {
  test("are evaluated from the broadest, each with files of its own folder, and a broken one does not stop the others", () => {
    const world = hookerWorld({
      "policies.rb": policy("outer", "on :UserPromptSubmit", 'inject "A.md"'),
      "A.md": "outer",
      "sub/policies.rb": 'policy "broken" do\n',
      "sub/deep/policies.rb": policy("inner", "on :UserPromptSubmit", 'inject "A.md"'),
      "sub/deep/A.md": "inner",
    });
    const heard = world.send(prompt("x"), { cwd: path.join(world.folder, "sub/deep") });
    expect(heard.answer["additionalContext"]).toMatch(
      /^<A\.md>\nouter\n<\/A\.md>\n\n<A\.md>\ninner\n<\/A\.md>\n\n<hooker:matched>outer, inner<[\s\S]*failed to load policies/u,
    );
    expect(world.send(prompt("x")).answer["additionalContext"]).not.toContain("inner");
  });

  test("the broader gate gives the reason, and a transform from both is one call", () => {
    const gate = (reason: string) => policy(reason, 'on :PreToolUse, match: "bad"', `gate "${reason}"`);
    const world = hookerWorld({
      "policies.rb": `${gate("outer")}${REWRITE}`,
      "STYLE.md": "outer style",
      "sub/policies.rb": `${gate("inner")}${REWRITE}`,
      "sub/STYLE.md": "inner style",
    });
    const claude = recorder(world, "claude", "echo done");
    const cwd = path.join(world.folder, "sub");
    expect(world.send(bash("bad"), { cwd }).answer["permissionDecisionReason"]).toBe("outer");
    expect(world.send(bash("x"), { cwd }).answer["updatedInput"]).toEqual({ command: "done" });
    expect(claude.given()).toBe("-p\n");
    expect(claude.input()).toMatch(/outer style[\s\S]*inner style/u);
  });

  test("the deepest one's .env reaches programs, behind what is set already, and nothing else reads it", () => {
    const world = hookerWorld({
      "policies.rb": policy("p", "on :UserPromptSubmit", 'inject command: "echo $ONE $TWO $THREE"'),
      ".env": '# x\nONE=1=1\n  TWO="2"  \nexport THREE=3\nSCREEN_HOME=/gone\n',
    });
    const { answer } = world.send(prompt("x"), { env: { TWO: "set" } });
    expect(answer["additionalContext"]).toMatch(/^1=1 set\n/u);
  });
});
