import path from "node:path";
import { expect, test } from "vitest";
import { checkMods } from "../../../src/agents/claude-code/mods.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

const on = (handler: string) => `export function register(on) { ${handler} }`;

/** What the code of a mod handles, and what is said of it; null: nothing. */
const CODES: readonly (readonly [what: string, code: string, said: RegExp | null])[] = [
  ["of the check", on(`on("tool.check", async () => ({ decision: "allow" }));`), /handles tool\.check/u],
  ["of the call, in single quotes", on(`on('tool.call', { tool: 'Bash' }, f);`), /handles tool\.call/u],
  ["of a hook", on("on(`classic.PreToolUse`, f);"), /handles classic\.PreToolUse/u],
  ["of permissions", on(`on("permission.request", f);`), /handles permission\.request/u],
  ["of everything", on(`on("*", f);`), /handles \*/u],
  ["that names no event", on(`on("tool." + "check", f);`), /says in no plain words/u],
  ["that calls it otherwise", `export function register(o) { o(["tool", "check"].join(".")); }`, /no plain words/u],
  ["that has its code elsewhere", `import f from "somewhere"; ${on('on("ui.line", f);')}`, /no plain words/u],
  ["of a line on the screen", on(`on("ui.line", f);`), null],
];

const IN_USER = { "home/settings.json": { enabledPlugins: { "over@m": true } } };

function found(code: string, files: Record<string, object> = IN_USER, hooks: object = { modules: ["./register.js"] }) {
  const folder = temporaryFolder();
  const plugin = path.join(folder, "over");
  const installed = { version: 2, plugins: { "over@m": [{ scope: "user", installPath: plugin }] } };
  const all = { ...files, "home/plugins/installed_plugins.json": installed, "over/hooks/hooks.json": hooks };
  const texts = Object.entries(all).map(([name, value]) => [name, JSON.stringify(value)]);
  writeTree(folder, { ...Object.fromEntries(texts), "over/hooks/register.js": code });
  const root = path.join(folder, "project");
  const settings = [path.join(folder, "home/settings.json"), path.join(root, ".claude/settings.json")];
  return checkMods({ env: {}, home: folder, configFolder: path.join(folder, "home"), settings, root });
}

test.each(CODES)("of a mod %s doctor says what it can do, as far as its code says it", (_, code, said) => {
  const messages = found(code).map(({ message }) => message);
  expect(messages).toEqual(said === null ? [] : [expect.stringMatching(said)]);
});

test("a mod that the project's settings load is named whatever it handles, with the ways out", () => {
  const files = { "project/.claude/settings.json": { enabledPlugins: { "over@m": true } } };
  const [finding] = found(on(`on("ui.line", f);`), files);
  expect(finding).toMatchObject({ code: "mod-can-overrule", severity: "warning" });
  expect(finding?.message).toContain("which the project's settings load");
  expect(finding?.hint).toMatch(/enabledPlugins in .*project.*managed settings.*allowManagedModsOnly/u);
});

test("neither a plugin without code of its own nor one that is switched off is a mod", () => {
  const code = on(`on("tool.check", f);`);
  expect(found(code, IN_USER, { hooks: {} })).toEqual([]);
  expect(found(code, { "home/settings.json": { enabledPlugins: { "over@m": false } } })).toEqual([]);
});
