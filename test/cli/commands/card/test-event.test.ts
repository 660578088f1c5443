import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readTree, writeTree } from "../../../support/cards.ts";
import { newPerson, succeed, type TestPerson } from "../../../support/people.ts";

const policyWith = (decision: string, imports = "") =>
  [
    imports,
    'import { defineToolPolicy } from "darwinian-minds/hook-policy";',
    'export default defineToolPolicy({ policyKind: "enforcement", matcher: "Bash",',
    `  beforeToolCall: () => (${decision}) });`,
    "",
  ].join("\n");

const DENY = policyWith('{ action: "deny", reason: "not here" }');
const CASE = '{"id":"one","tool":"Bash","input":{"command":"rm -rf x"},"expect":"deny"}\n';

/** An author who made the source of @me/one in the current folder. */
async function authorOf(policy: string): Promise<TestPerson> {
  const person = newPerson();
  for (const line of ["card new @me/one --into .", "card source add-hook . guard"]) succeed(await person.here(line));
  writeTree(path.join(person.project, "hooks/guard"), { "policy.ts": policy, "cases.jsonl": CASE });
  return person;
}

const BY_HAND = `--tool Bash --input '{"command":"rm -rf build"}'`;

test("card test --tool says what a policy makes of a call, runs its cases, and leaves no trace", async () => {
  const { drwn, project, home } = await authorOf(DENY);
  const before = [readTree(project), readTree(home)];
  const { status, stdout } = drwn(`card test ${BY_HAND}`);
  expect({ status, stdout: stdout.replace(/\d+ ms/u, "N ms") }).toEqual({
    status: 0,
    stdout: "compiled, and asked, in N ms\nguard: deny: not here\nok  guard: 1 case, 1 passed\n",
  });
  expect([readTree(project), readTree(home)]).toEqual(before);
});

test("card test takes the event from a file, as the agent sends it", async () => {
  const { drwn, project } = await authorOf(DENY);
  const event = { tool_name: "Bash", tool_input: { command: "ls" }, session_id: "s", cwd: project };
  writeTree(project, { "event.json": JSON.stringify({ hook_event_name: "PreToolUse", ...event }) });
  expect(succeed(drwn("card test --event event.json"))).toContain("guard: deny: not here");
});

test("card test gives a hook no capability that is not named", async () => {
  const policy = policyWith(
    '{ action: "deny", reason: fs.readdirSync(process.cwd()).length === 0 ? "empty" : "full" }',
    'import fs from "node:fs";',
  );
  const { drwn } = await authorOf(policy);
  const undeclared = drwn(`card test ${BY_HAND}`);
  expect(undeclared.status).toBe(1);
  expect(undeclared.stdout).toContain("drwn card source set @me/one --capability guard=fs-read");
  succeed(drwn("card source set @me/one --capability guard=fs-read"));
  expect(drwn(`card test ${BY_HAND}`).stdout).toContain("guard: not asked: it declares fs-read");
  expect(drwn(`card test ${BY_HAND} --allow fs-read`).stdout).toMatch(/guard: deny: (?:empty|full)/u);
});

/** What a command prints while it runs, and how it ends. */
function startDrwn({ env, project }: TestPerson, line: string) {
  const drwn = path.join(env["PATH"]?.split(":")[0] ?? "", "drwn");
  const child = spawn("sh", ["-c", `exec "${drwn}" ${line}`], { cwd: project, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let said = "";
  let look = (): void => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      look();
    });
  }
  /** Waits for the text; what was printed up to it is not looked at again. */
  const shows = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`it doesn't say "${text}":\n${said}`)), 60_000);
      look = () => {
        if (!said.includes(text)) return;
        said = said.slice(said.indexOf(text) + text.length);
        clearTimeout(late);
        resolve();
      };
      look();
    });
  const interrupt = () => {
    child.kill("SIGINT");
    return ended;
  };
  return { shows, interrupt };
}

test.each([
  {
    line: "card test --tool Bash --watch",
    first: ["guard: deny: not here", "Waiting for a save"],
    other: "guard: deny: nowhere",
    again: "guard: deny: not here",
  },
  {
    line: "card test . --watch",
    first: ["ok  guard: 1 case, 1 passed", "Waiting for a save"],
    other: "received nowhere",
    again: "ok  guard: 1 case, 1 passed",
  },
])("$line answers anew at each save, and ends with Ctrl-C", async ({ line, first, other, again }) => {
  const author = await authorOf(DENY);
  const hook = path.join(author.project, "hooks/guard");
  writeTree(hook, { "cases.jsonl": CASE.replace("}\n", ',"reason":"not here"}\n') });
  const { shows, interrupt } = startDrwn(author, line);
  for (const text of first) await shows(text);
  const policy = path.join(hook, "policy.ts");
  // As most editors save.
  const replace = (text: string) => {
    fs.writeFileSync(`${policy}~`, text);
    fs.renameSync(`${policy}~`, policy);
  };
  replace(policyWith('{ action: "deny", reason: "nowhere" }'));
  await shows(other);
  replace("export default (");
  await shows("DRWN_POLICY_INVALID");
  fs.writeFileSync(policy, DENY);
  await shows(again);
  expect(await interrupt()).toBe(0);
});

test("a source that was cloned is found by its folder, and by its name from card source use on", async () => {
  const author = await authorOf(DENY);
  const person = newPerson();
  const clone = path.join(person.home, "clone");
  fs.cpSync(author.project, clone, { recursive: true });
  succeed(person.drwn(`card source doctor ${clone}`));
  const unknown = person.drwn("card source doctor @me/one");
  expect(unknown.stderr).toContain("drwn card source use <folder>");
  succeed(person.drwn("card source use", clone));
  succeed(person.drwn("card source doctor @me/one"));
});
