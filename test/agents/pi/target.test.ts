import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { piTarget } from "../../../src/agents/pi/target.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";
import { planFor } from "../plan.ts";

const OWN = "home/.pi/agent/extensions/drwn.js";
const user = (settings: object) => ({ "home/.pi/agent/settings.json": JSON.stringify(settings) });
const project = (settings: object) => ({ "p/.pi/settings.json": JSON.stringify(settings) });
const room = (name: string, text: string) => ({ [`home/.pi/agent/extensions/${name}`]: text });

/** Each was tried with Pi 1.6.0. */
test.each<[string, Record<string, string>, string[]]>([
  ["nothing", {}, []],
  ["what pi config writes", user({ extensions: ["-extensions/drwn.js"] }), ["hooks-disabled"]],
  ["its whole path", user({ extensions: ["-~/.pi/agent/extensions/drwn.js"] }), ["hooks-disabled"]],
  ["a pattern", user({ extensions: ["!**/d*"] }), ["hooks-disabled"]],
  ["a pattern from the home", user({ extensions: ["!~/.pi/agent/extensions/*.js"] }), ["hooks-disabled"]],
  ["a pattern with empty parts", user({ extensions: ["!extensions//drwn.js"] }), ["hooks-disabled"]],
  ["a pattern for its name", user({ extensions: ["!drwn.js"] }), ["hooks-disabled"]],
  ["a pattern that drwn doesn't read", user({ extensions: ["!{drwn,x}.js"] }), ["hooks-disabled"]],
  ["patterns for others", user({ extensions: ["!other*", "-extensions/x.ts", "+extensions/y.ts"] }), []],
  [
    "the folder around it as a package",
    user({ packages: [{ source: "~/.pi/agent", extensions: [] }] }),
    ["hooks-disabled"],
  ],
  ["other packages", user({ packages: ["npm:x", "~/gone"] }), []],
  ["settings that aren't JSON", { "home/.pi/agent/settings.json": "{" }, ["settings-unreadable"]],
  ["an index.js", room("index.js", ""), ["hooks-disabled"]],
  [
    "a package.json that names extensions",
    room("package.json", '{"pi":{"extensions":["./a.js"]}}'),
    ["hooks-disabled"],
  ],
  ["a package.json that names none", room("package.json", '{"dependencies":{}}'), []],
  ["a .gitignore for it", room(".gitignore", "# mine\n/*.js\n"), ["hooks-disabled"]],
  ["a .ignore for others", room(".ignore", "node_modules\ndrwn.js/\n!drwn.js\n"), []],
  ["a project that names it", project({ extensions: ["<own>", "-<own>"] }), ["hooks-disabled", "other-plugin"]],
  [
    "a project that names the folder around it",
    project({ packages: ["../../home"] }),
    ["hooks-disabled", "other-plugin"],
  ],
  ["a project's package", project({ packages: ["npm:x"] }), ["other-plugin"]],
  ["a project that adds a built-in extension", project({ extensions: ["+builtin:codemode", "-extensions/x.ts"] }), []],
  [
    "a project's shell",
    project({ shellCommandPrefix: "set -u;", shellPath: "/bin/zsh" }),
    ["other-plugin", "other-plugin"],
  ],
  [
    "a project's extensions",
    { "p/.pi/extensions/a.ts": "", "p/.pi/extensions/b/index.js": "", "p/.pi/extensions/notes.md": "" },
    ["other-plugin", "other-plugin"],
  ],
])("doctor says what keeps Pi from loading the extension, or stands beside it: %s", (_, files, codes) => {
  expect(found(files)).toEqual(codes);
});

test("a project's link to the extension is found", () => {
  expect(found({}, "p/.pi/extensions/x.js")).toEqual(["hooks-disabled", "other-plugin"]);
});

function found(files: Record<string, string>, link?: string): string[] {
  const folder = temporaryFolder();
  const [home, root, file] = ["home", "p", OWN].map((name) => path.join(folder, name)) as [string, string, string];
  const texts = Object.entries(files).map(([name, text]) => [name, text.replaceAll("<own>", file)]);
  writeTree(folder, { [OWN]: "", "p/x": "", ...Object.fromEntries(texts) });
  if (link !== undefined) {
    fs.mkdirSync(path.dirname(path.join(folder, link)), { recursive: true });
    fs.symlinkSync(file, path.join(folder, link));
  }
  const host = { cwd: root, home, env: {}, drwnHome: path.join(home, ".agents", "drwn") };
  const request = { host, root, file };
  return [...piTarget.check(request), ...(piTarget.checkBeside?.(request) ?? [])].map(({ code }) => code).sort();
}

test("the extension lies where Pi looks for the user's own", () => {
  const plan = (env: Record<string, string>) => planFor(piTarget, [{ matcher: "Bash", phases: ["pre-tool"] }], { env });
  expect(plan({}).file).toBe("/home/me/.pi/agent/extensions/drwn.js");
  expect(plan({ PI_CODING_AGENT_DIR: "/elsewhere" }).file).toBe("/elsewhere/extensions/drwn.js");
});
