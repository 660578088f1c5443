import path from "node:path";
import { expect, test } from "vitest";
import { checkQwen } from "../../../src/agents/qwen-code/check.ts";
import { qwenCodeTarget } from "../../../src/agents/qwen-code/target.ts";
import { layout } from "../../../src/contract/layout.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { planFor } from "../plan.ts";

const HOME = "/home/me";

test("the hook stands in the user's own settings, and waits in milliseconds, as earlier versions count", () => {
  const plan = (env: Record<string, string>) =>
    planFor(qwenCodeTarget, [{ matcher: "Bash", phases: ["pre-tool"] }], { wiring: "project", env });
  const { file, text } = plan({});
  expect(file).toBe(`${HOME}/.qwen/settings.json`);
  expect(JSON.parse(text).hooks).toEqual({
    PreToolUse: [{ hooks: [expect.objectContaining({ type: "command", name: "drwn", timeout: 60_000 })] }],
  });
  expect(plan({ QWEN_HOME: "/elsewhere" }).file).toBe("/elsewhere/settings.json");
});

const groups = (...some: object[]) => JSON.stringify({ hooks: { PreToolUse: some } });
const HANDLER = { type: "command", command: "true" };

test.each<[string, Record<string, string>, Record<string, string>, string[]]>([
  ["settings of others", { "p/.qwen/settings.json": groups({ matcher: "Bash", hooks: [HANDLER] }) }, {}, []],
  ["hooks switched off by the user", { "home/.qwen/settings.json": '{"disableAllHooks":"x"}' }, {}, ["hooks-disabled"]],
  [
    "hooks switched off by the user, and on by the project",
    { "home/.qwen/settings.json": '{"disableAllHooks":true}', "p/.qwen/settings.json": '{"disableAllHooks":false}' },
    {},
    [],
  ],
  [
    "the project's sandbox, which Qwen Code ignores",
    { "p/.qwen/settings.json": '{"tools":{"executionSandbox":{}}}' },
    {},
    [],
  ],
  ["the user's sandbox", { "home/.qwen/settings.json": '{"tools":{"executionSandbox":{}}}' }, {}, ["hooks-disabled"]],
  ["a variable in the environment", {}, { QWEN_CODE_SAFE_MODE: "1" }, ["hooks-disabled"]],
  ["a variable that is off", {}, { QWEN_CODE_SAFE_MODE: "0" }, []],
  ["another home in the user's .env", { "home/.env": "export QWEN_HOME=/x\n" }, {}, ["hooks-disabled"]],
  ["a file that isn't JSON", { "p/.qwen/settings.json": "{" }, {}, ["settings-unreadable"]],
  [
    "hooks of a subagent",
    { "p/.qwen/agents/a.md": "---\nname: a\nhooks:\n  Stop: []\n---\n" },
    {},
    ["other-project-hook"],
  ],
  ["a subagent without hooks", { "p/.qwen/agents/a.md": "---\nname: a\n---\nhooks: none\n" }, {}, []],
  [
    "drwn's command",
    { "p/.qwen/settings.json": groups({ hooks: [{ ...HANDLER, command: "<hook>" }] }) },
    {},
    ["hooks-disabled"],
  ],
])("doctor says what keeps the hook from running: %s", (_, files, env, codes) => {
  const folder = temporaryFolder();
  const home = path.join(folder, "home");
  const root = path.join(folder, "p");
  const host = { cwd: root, home, env: { ...env, H: home }, drwnHome: path.join(home, ".agents", "drwn") };
  const hook = `'${layout.launcher(host.drwnHome).replace(home, `$${"{H}"}`)}' qwen-code pre`;
  const texts = Object.entries(files).map(([name, text]) => [name, text.replace("<hook>", hook)]);
  writeTree(folder, Object.fromEntries(texts));
  const found = checkQwen({ host, root, file: path.join(home, ".qwen", "settings.json") });
  expect(found.map(({ code }) => code)).toEqual(codes);
});
