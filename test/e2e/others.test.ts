import { beforeEach, describe, expect, inject, test } from "vitest";
import { sweep } from "../support/sweep.ts";
import { addGuard, applyGuard, armGuard, journal } from "./drwn.ts";
import { inNewWorlds, world } from "./each-world.ts";
import { missing } from "./other-clients.ts";
import { askAlways, denyFile, denyTouch, REASON, tellAfter } from "./policies.ts";
import { REAL, type RealAgent, runCommands, skipIfMissing } from "./real-agents.ts";
import { commandsOf, runOther } from "./run-others.ts";
import type { ToolCall } from "./wire-format.ts";

interface Agent extends RealAgent {
  /** A call that writes this file with the agent's own tool. */
  writes: (file: string) => ToolCall;
  /** A call that fails to edit this file, and what policies are told about it; null: nothing. */
  fails: (file: string) => { call: ToolCall; said: string | null };
  /** The names under which policies are asked about an edit; absent: `Edit`. */
  edits?: readonly string[];
}

const AGENTS: readonly Agent[] = [
  {
    ...REAL["gemini-cli"],
    writes: (file) => ({ tool: "write_file", input: { file_path: file, content: "x" } }),
    fails: (file) => ({
      call: { tool: "replace", input: { file_path: file, old_string: "two", new_string: "three", instruction: "x" } },
      said: "Could not find an exact match",
    }),
  },
  {
    ...REAL["copilot-cli"],
    writes: (file) => ({ tool: "create", input: { path: file, file_text: "x" } }),
    fails: (file) => ({
      call: { tool: "edit", input: { path: file, old_str: "two", new_str: "three" } },
      said: "No match found",
    }),
  },
  {
    ...REAL.opencode,
    writes: (file) => ({ tool: "write", input: { filePath: file, content: "x" } }),
    fails: (file) => ({
      call: { tool: "edit", input: { filePath: file, oldString: "two", newString: "three" } },
      said: null,
    }),
  },
  {
    ...REAL.kilo,
    writes: (file) => ({ tool: "write", input: { filePath: file, content: "x" } }),
    fails: (file) => ({
      call: { tool: "edit", input: { filePath: file, oldString: "two", newString: "three" } },
      said: null,
    }),
  },
  {
    ...REAL.pi,
    writes: (file) => ({ tool: "write", input: { path: file, content: "x" } }),
    fails: (file) => ({
      call: { tool: "edit", input: { path: file, edits: [{ oldText: "two", newText: "three" }] } },
      said: "Could not find",
    }),
    edits: ["MultiEdit", "Edit"],
  },
  {
    ...REAL["qwen-code"],
    writes: (file) => ({ tool: "write_file", input: { file_path: file, content: "x" } }),
    fails: (file) => ({
      call: { tool: "edit", input: { file_path: file, old_string: "two", new_string: "three" } },
      said: `File ${file} has not been read in this session`,
    }),
  },
];

inNewWorlds();

async function failuresIn(): Promise<string[]> {
  return (await journal(world)).flatMap(({ policies }) => policies.flatMap(({ failure }) => failure ?? []));
}

describe.for(sweep(AGENTS, 1))("$runtime", (agent) => {
  const { runtime } = agent;

  beforeEach(({ skip }) => skipIfMissing(agent, skip));

  test("a file that is written is one of Write, with its path", async () => {
    await armGuard(world, denyFile("secret.txt"), runtime);
    const steps = [agent.writes(world.at("secret.txt")), agent.writes(world.at("open.txt")), { text: "done" }];
    const { results } = await agent.run(world, { steps });
    expect([world.has("secret.txt"), world.has("open.txt")]).toEqual([false, true]);
    expect(results[0]?.text).toContain(REASON);
  });

  test("of a call that failed, a policy is told what the agent says of it", async () => {
    world.write("file.txt", "one\n");
    await armGuard(world, tellAfter, runtime);
    const { call, said } = agent.fails(world.at("file.txt"));
    const { results } = await agent.run(world, { steps: [call, ...agent.steps("exit 3")] });
    expect(results).toHaveLength(2);
    const { edits = ["Edit"] } = agent;
    const told = said === null ? [] : edits.map((tool) => expect.stringContaining(` ${tool}: ${said}`));
    // A command that ends with an error is a call like any other, except to Qwen Code and Pi.
    const ended = /Bash: (?:no error .*(?:3|output)|Command: exit 3|.*Command exited with code 3)/u;
    expect(await failuresIn()).toEqual([...told, expect.stringMatching(ended)]);
  });

  test("without drwn's hook process the call is blocked", async () => {
    await armGuard(world, denyTouch, runtime);
    world.breakHook();
    await runCommands(agent, world, "echo one > ran.txt");
    expect(world.has("ran.txt")).toBe(false);
  });
});

test("a policy that asks makes Gemini CLI wait for a person, whatever it may do by itself", async ({ skip }) => {
  skip(inject("others").gemini === undefined, missing("gemini"));
  await armGuard(world, askAlways, "gemini-cli");
  const steps = commandsOf("gemini", "touch ran.txt");
  const { stdout, stderr } = await runOther("gemini", world, { steps, leaveAfter: REASON });
  expect(`${stdout}${stderr}`).toContain(REASON);
  expect(world.has("ran.txt")).toBe(false);
});

test.for(["copilot", "opencode"] as const)("a patch of %s is judged file by file", async (client, { skip }) => {
  skip(inject("others")[client] === undefined, missing(client));
  await armGuard(world, denyFile("secret.txt"), client === "copilot" ? "copilot-cli" : client);
  const patches = patchesTo("secret.txt", "open.txt");
  // OpenCode takes it as a field, Copilot CLI as text.
  const calls = patches.map(({ tool, input }) => ({
    tool,
    input: client === "copilot" ? input : { patchText: input },
  }));
  const { results } = await runOther(client, world, { steps: [...calls, { text: "done" }], writesPatches: true });
  expect([world.has("secret.txt"), world.has("open.txt")]).toEqual([false, true]);
  expect(results[0]?.text).toContain(REASON);
});

function patchesTo(...files: string[]) {
  return files.map((file) => ({
    tool: "apply_patch",
    input: `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch\n`,
  }));
}

test("Gemini CLI reaches no file that is denied by another way to write its path", async ({ skip }) => {
  skip(inject("others").gemini === undefined, missing("gemini"));
  await armGuard(world, denyFile("secret.txt"), "gemini-cli");
  const write = (file_path: string) => ({ tool: "write_file", input: { file_path, content: "x" } });
  const ways = ["secret.txt", "./sub/../secret.txt", "@secret.txt", "%73ecret.txt", "secret\0.txt", "@%73ecret\0.txt"];
  const steps = [...ways, world.at("%73ecret.txt"), world.at("secret.txt\0"), "open.txt"].map(write);
  await runOther("gemini", world, { steps: [...steps, { text: "done" }] });
  expect([world.has("secret.txt"), world.has("open.txt")]).toEqual([false, true]);
});

test("Gemini CLI writes what a policy made of a file under the name that its path comes to", async ({ skip }) => {
  skip(inject("others").gemini === undefined, missing("gemini"));
  const sign = `{ policyKind: "enforcement", matcher: "Write", beforeToolCall: ({ input }) => ({
    action: "allow", updatedInput: { ...input, content: "signed" } }) }`;
  await armGuard(world, `export default ${sign};\n`, "gemini-cli");
  const paths = ["100%.txt", "a%20b.txt", "100%25.md", "%2eplain"];
  const steps = paths.map((file_path) => ({ tool: "write_file", input: { file_path, content: "x" } }));
  await runOther("gemini", world, { steps: [...steps, { text: "done" }] });
  const found = ["100%.txt", "a b.txt", "100%.md", ".plain"].map((file) => world.has(file) && world.read(file));
  expect(found).toEqual(["signed", "signed", "signed", "signed"]);
});

describe("Copilot CLI in a project whose settings of Claude Code have the hook", () => {
  beforeEach(({ skip }) => skip(inject("others").copilot === undefined, missing("copilot")));

  test.each([
    ["alone", ["claude-code"], 1],
    ["beside its own", ["claude-code", "copilot-cli"], 2],
  ] as const)("%s: what is denied is not run, the rest is", async (_, runtimes, entries) => {
    await addGuard(world, denyTouch);
    await applyGuard(world, runtimes, "--project");
    expect(world.has(".claude/settings.local.json")).toBe(true);
    const steps = commandsOf("copilot", "echo one > one.txt", "touch ran.txt");
    const { results } = await runOther("copilot", world, { steps });
    expect([world.has("one.txt"), world.has("ran.txt")]).toEqual([true, false]);
    expect(results[1]?.text).toContain(REASON);
    const effects = (await journal(world)).map(({ effective }) => effective);
    expect(effects.filter((effect) => effect === "allow")).toHaveLength(entries);
  });

  test("a patch is judged file by file", async () => {
    await addGuard(world, denyFile("secret.txt"));
    await applyGuard(world, ["claude-code"], "--project");
    const steps = [...patchesTo("secret.txt", "open.txt"), { text: "done" }];
    const { results } = await runOther("copilot", world, { steps, writesPatches: true });
    expect([world.has("secret.txt"), world.has("open.txt")]).toEqual([false, true]);
    expect(results[0]?.text).toContain(REASON);
  });

  test("what Claude Code's entry tells policies of a call has its result, and its failure", async () => {
    world.write("file.txt", "one\n");
    await addGuard(world, tellAfter);
    await applyGuard(world, ["claude-code"], "--project");
    const edit = { tool: "edit", input: { path: world.at("file.txt"), old_str: "two", new_str: "three" } };
    await runOther("copilot", world, { steps: [edit, ...commandsOf("copilot", "echo fine")] });
    expect(await failuresIn()).toEqual([
      expect.stringContaining("Edit: No match found"),
      expect.stringMatching(/Bash: no error .*fine/u),
    ]);
  });
});
