import { beforeAll, describe, expect, test } from "vitest";
import { askCalls } from "../../src/authoring/proving/ask-calls.ts";
import { findCard } from "../../src/authoring/proving/find-hooks.ts";
import { wordOf } from "../../src/authoring/proving/run-cases.ts";
import { compileHookUnderTest, withSandbox } from "../../src/authoring/proving/sandbox.ts";
import { simulateCalls } from "../../src/authoring/proving/simulated-calls.ts";
import { folderOf } from "../support/catalogue.ts";
import { testHost } from "../support/host.ts";

type Call = [tool: string, input: object];

const REMOVE = "rm -rf ~";
const PYTHON = "import shutil; shutil.rmtree('/home/me')";
const NODE = "require('fs').rmSync('/home/me', { recursive: true })";

/** Tools that may run the text: their names say so, or the field does, or nothing says that people or files get it. */
const MAY_RUN: Call[] = [
  ["mcp__box__go", { content: REMOVE }],
  ["mcp__box__go", { prompt: REMOVE }],
  ["mcp__box__go", { body: "git push --force origin main" }],
  ["mcp__box__go", { value: REMOVE }],
  ["mcp__box__go", { onStart: REMOVE }],
  ["mcp__box__go", { q: PYTHON }],
  ["mcp__box__go", { q: "import os\nwith open('x') as f:\n    os.system('rm -rf ~')" }],
  ["mcp__box__go", { x: NODE }],
  ["mcp__box__create_session", { input: REMOVE }],
  ["mcp__box__update_job", { definition: { entry: REMOVE } }],
  ["mcp__jupyter__notebook_run", { q: PYTHON }],
  ["mcp__box__pager", { input: REMOVE }],
  ["mcp__box__create_cron", { title: "nightly", body: "cd / && rm -rf home" }],
  ["mcp__box__update_service", { path: "/srv", onStart: REMOVE }],
  ["mcp__box__create_container", { entrypoint: ["sh", "-c", REMOVE] }],
  ["mcp__notes__run_note", { content: REMOVE }],
  ["mcp__box__editExecute", { content: `echo "this is the end"; ${REMOVE}` }],
  ["mcp__box__execute_document", { data: `# clean\n${REMOVE}\n` }],
  ["mcp__wiki__create_page", { title: "x", onLoad: REMOVE }],
  ["mcp__box__transfer", { source: "/home/me", move_to: "/x", note: REMOVE }],
  ["mcp__fs__move", { source: "/home/me", destination: "/tmp/x" }],
  ["mcp__ci__create_pipeline", { name: "p", stages: [{ name: "s", actions: ["npm ci", REMOVE] }] }],
];

/** The same texts where people read them, a search looks for them, or a file gets them; and harmless texts that may run. */
const HARMLESS: Call[] = [
  ["mcp__notes__create_note", { content: REMOVE }],
  ["mcp__github__create_issue", { title: "Installer", body: `It runs \`${REMOVE}\` on the second start.` }],
  ["mcp__github__create_issue", { title: REMOVE, body: REMOVE }],
  ["mcp__github__add_issue_comment", { body: "git push --force origin main" }],
  ["mcp__github__search_code", { q: REMOVE }],
  ["mcp__github__get_job_logs", { filter: "git push --force" }],
  ["mcp__slack__post_message", { channel: "#ops", text: REMOVE }],
  ["mcp__notion__update_page", { page_id: "1", content: `# Never\n\n    ${REMOVE}\n` }],
  ["mcp__memory__remember", { value: PYTHON }],
  ["mcp__fs__write_file", { path: "clean.sh", content: REMOVE }],
  ["mcp__fs__edit_file", { path: "clean.sh", edits: [{ oldText: REMOVE, newText: "rm -rf build" }] }],
  ["mcp__box__go", { prompt: `Tell me why ${REMOVE} is dangerous` }],
  ["mcp__box__go", { content: `Don't use ${REMOVE}` }],
  ["mcp__box__run_agent", { prompt: `Explain what happens with ${REMOVE}, and how one gets the files back` }],
  ["mcp__box__create_task", { description: `Replace ${REMOVE} in install.sh` }],
  ["mcp__box__create_ticket", { summary: REMOVE, details: "Users lose everything" }],
  ["mcp__box__go", { q: "import shutil; shutil.rmtree('build')" }],
  ["mcp__box__run_tests", { onStart: "npm ci", body: "npm test" }],
  ["mcp__playwright__browser_type", { element: "shell", ref: "e1", text: REMOVE }],
  ["mcp__box__set", { labels: [REMOVE] }],
  ["mcp__docs__query_docs", { topic: PYTHON }],
  ["mcp__box__send_email", { to: "a@example.com", content: REMOVE }],
];

const HOOKS = { files: ["keep-folders"], git: ["keep-published"] };

/** The strictest answer of the guards for folders and for branches, of each call. */
async function answersTo(calls: readonly Call[]): Promise<string[]> {
  const told = calls.map(
    ([tool, input]) =>
      simulateCalls({
        id: "x",
        expect: "allow",
        agent: "claude-code",
        tool,
        input: input as Record<string, unknown>,
        cwd: "/home/me/project",
      })[0] ?? {
        questions: [],
      },
  );
  const words = await withSandbox(async (place) => {
    const all: string[][] = [];
    for (const [name, hooks] of Object.entries(HOOKS)) {
      const card = await findCard(testHost(), folderOf(name));
      for (const hook of hooks)
        all.push((await askCalls(place, await compileHookUnderTest(card, hook), told)).map(wordOf));
    }
    return all;
  });
  return calls.map((_, at) => ["deny", "ask"].find((word) => words.some((one) => one[at] === word)) ?? "allow");
}

describe("a tool that no guard knows", () => {
  let answers: string[] = [];
  beforeAll(async () => {
    answers = await answersTo([...MAY_RUN, ...HARMLESS]);
  });

  test.each(MAY_RUN.map((call, at) => [...call, at] as const))("%s %j is stopped", (_tool, _input, at) => {
    expect(answers[at]).not.toBe("allow");
  });

  test.each(HARMLESS.map((call, at) => [...call, MAY_RUN.length + at] as const))(
    "%s %j passes",
    (_tool, _input, at) => {
      expect(answers[at]).toBe("allow");
    },
  );
});
