import path from "node:path";
import { expect, test } from "vitest";
import { checkGemini } from "../../../src/agents/gemini-cli/check.ts";
import { geminiCliTarget, toGeminiServers } from "../../../src/agents/gemini-cli/target.ts";
import type { PolicyTrigger } from "../../../src/wiring/target.ts";
import { write } from "../../support/armed-home.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { planFor } from "../plan.ts";

const HOME = "/home/me";

function planned(own: PolicyTrigger[], env: Record<string, string> = {}) {
  const { file, text } = planFor(geminiCliTarget, own, { wiring: "project", env });
  return { file, hooks: JSON.parse(text).hooks };
}

const before = (matcher: string | null): PolicyTrigger => ({ matcher, phases: ["pre-tool"] });

test("the hook stands in the user's own settings, whatever the wiring, and waits in milliseconds", () => {
  const { file, hooks } = planned([before(null)]);
  expect(file).toBe(`${HOME}/.gemini/settings.json`);
  expect(hooks).toEqual({
    BeforeTool: [{ hooks: [expect.objectContaining({ type: "command", name: "drwn", timeout: 60_000 })] }],
  });
  expect(planned([], { GEMINI_CLI_HOME: "/elsewhere" }).file).toBe("/elsewhere/.gemini/settings.json");
});

test("it is asked about every tool, whatever the policies want", () => {
  expect(planned(["Bash", "{Edit,Write}"].map(before)).hooks.BeforeTool[0]).not.toHaveProperty("matcher");
});

test("a phase that nobody wants is not registered", () => {
  expect(Object.keys(planned([{ matcher: null, phases: ["post-tool"] }]).hooks)).toEqual(["AfterTool"]);
});

test("a server is reached as its type says", () => {
  const headers = { a: "b" };
  expect(
    toGeminiServers({
      local: { type: "stdio", command: "db", args: ["x"] },
      http: { type: "http", url: "https://a", headers },
      sse: { type: "sse", url: "https://a" },
    }),
  ).toEqual({
    local: { command: "db", args: ["x"] },
    http: { httpUrl: "https://a", headers },
    sse: { url: "https://a" },
  });
});

test.each<[string, string, string[]]>([
  ["settings of others", '{"hooks":{}}', []],
  ["a file that is blank", "", []],
  ["hooks switched off", '{"hooksConfig":{"enabled":false}}', ["hooks-disabled"]],
  ["our hook switched off", '{"hooksConfig":{"disabled":["other","drwn"]}}', ["hooks-disabled"]],
  ["another hook switched off", '{"hooksConfig":{"disabled":["other",7]}}', []],
  ...['"false"', '""', "0", "null", '"\\u0024{X:-}"', '"true"', "[]", "{}"].map((value): [string, string, string[]] => [
    `enabled that is ${value}`,
    `{"hooksConfig":{"enabled":${value}}}`,
    ["hooks-disabled"],
  ]),
  ...['"drwn"', '{"0":"drwn"}', '["\\u0024{X:-drwn}"]', '["$X"]', '"$X"', "null"].map(
    (value): [string, string, string[]] => [
      `disabled that is ${value}`,
      `{"hooksConfig":{"disabled":${value}}}`,
      ["hooks-disabled"],
    ],
  ),
  ["a list instead of switches", '{"hooksConfig":[]}', ["hooks-disabled"]],
  ...["5", "{}", "[]", "true"].map((value): [string, string, string[]] => [
    `a group of another's whose matcher is ${value}`,
    `{"hooks":{"BeforeTool":[{"hooks":[]},{"matcher":${value},"hooks":[]}]}}`,
    ["hooks-disabled"],
  ]),
  ...["null", '"x"', "[]"].map((value): [string, string, string[]] => [
    `hooks that are ${value}`,
    `{"hooks":${value}}`,
    ["hooks-disabled"],
  ]),
  ...["null", "0", '"("', '""'].map((value): [string, string, string[]] => [
    `a group of another's whose matcher is ${value}`,
    `{"hooks":{"BeforeTool":[{"matcher":${value},"hooks":[]}]}}`,
    [],
  ]),
  ["a file that is no strict JSON", '{"a":1,}', ["settings-unreadable"]],
])("%s: what doctor says", (_, text, codes) => {
  const file = path.join(temporaryFolder(), "settings.json");
  write(file, text);
  const places = [file, `${file}.missing`].map((one) => ({ file: one, isManaged: false }));
  expect(checkGemini(places, HOME).map(({ code }) => code)).toEqual(codes);
});

const OFF = '{"hooksConfig":{"enabled":false}}';
const ON = '{"hooksConfig":{"enabled":true}}';
const WITHOUT_US = '{"hooksConfig":{"disabled":["drwn"]}}';

test.each<[string, { defaults?: string; user?: string; system?: string }, string[]]>([
  ["the machine's owner switches hooks off", { system: OFF }, ["hooks-managed"]],
  ["the machine's owner leaves our hook out", { system: WITHOUT_US }, ["hooks-managed"]],
  ["the owner's word holds over the user's", { user: OFF, system: ON }, []],
  ["the owner's default holds", { defaults: OFF }, ["hooks-managed"]],
  ["the user's word holds over a default", { defaults: OFF, user: ON }, []],
  ["what is left out anywhere is left out", { defaults: WITHOUT_US, user: ON }, ["hooks-managed"]],
])("%s: what doctor says", async (_, { defaults = "", user = "", system = "" }, codes) => {
  const folder = temporaryFolder();
  const at = (name: string) => path.join(folder, name);
  for (const [name, text] of Object.entries({
    "system-defaults.json": defaults,
    "user.json": user,
    "system.json": system,
  })) {
    write(at(name), text);
  }
  const env = { PATH: folder, GEMINI_CLI_SYSTEM_SETTINGS_PATH: at("system.json") };
  const host = { cwd: "/p", home: folder, env, drwnHome: path.join(folder, "drwn") };
  const findings = await geminiCliTarget.check({ host, root: folder, file: at("user.json") });
  expect(findings.map(({ code }) => code)).toEqual(codes);
});
