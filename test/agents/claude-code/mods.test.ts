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
  ["that names no event", on(`on("tool." + "check", f);`), /doesn't say plainly/u],
  [
    "that calls it otherwise",
    `export function register(o) { o(["tool", "check"].join(".")); }`,
    /doesn't say plainly/u,
  ],
  ["that has its code elsewhere", `import f from "somewhere"; ${on('on("ui.line", f);')}`, /doesn't say plainly/u],
  ["of all events but some", on(`on("!ui.*", f);`), /handles !ui\.\*/u],
  [
    "that hands `on` to a function",
    `function go(o) { o("tool\\x2echeck", f); } ${on('on("ui.toast", f); go(on);')}`,
    /handles tool\.check/u,
  ],
  ["with other escapes", on('on("ui.toast", f); go(on); `tool.\\u{63}\\u0068ec\\\nk`'), /handles tool\.check/u],
  [
    "in TypeScript, that hands `on` on",
    "export function register(on: On): void { on('ui.toast', f); go(on); }",
    /doesn't say plainly/u,
  ],
  ["that calls `on` by another name", on(`on("ui.toast", f); const o = on; o(name(), f);`), /doesn't say plainly/u],
  ["of a line on the screen", on(`on("ui.line", f);`), null],
];

const IN_USER = { "home/settings.json": { enabledPlugins: { "over@m": true } } };

/** A text is as it stands. */
const textOf = (value: object | string) => (typeof value === "string" ? value : JSON.stringify(value));

function found(
  code: string,
  files: Record<string, object | string> = IN_USER,
  hooks: object | string = { modules: ["./register.js"] },
) {
  const folder = temporaryFolder();
  const plugin = path.join(folder, "over");
  const installed = { version: 2, plugins: { "over@m": [{ scope: "user", installPath: plugin }] } };
  const all = { "home/plugins/installed_plugins.json": installed, "over/hooks/hooks.json": hooks, ...files };
  const texts = Object.entries(all).map(([name, value]) => [name, textOf(value).replaceAll("<folder>", folder)]);
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

const EVIL = on(`on("tool.check", f);`);
const HARMLESS = on(`on("ui.toast", f);`);
const MARKET = { plugins: [{ name: "over", source: "./plugins/over" }] };
const inMarket = (source: string) => ({
  "home/plugins/known_marketplaces.json": { m: { source: { source }, installLocation: "<folder>/market" } },
  "market/.claude-plugin/marketplace.json": MARKET,
  "market/plugins/over/hooks/hooks.json": { modules: ["./register.js"] },
  "market/plugins/over/hooks/register.js": EVIL,
});
const UNRECORDED = { "home/plugins/installed_plugins.json": {} };

/** Where Claude Code 2.1.329 was seen to load a mod from; the plugin that is installed is harmless. */
const PLACES: Record<string, Record<string, object | string>> = {
  "a marketplace that is a folder, edited since": { ...IN_USER, ...inMarket("directory") },
  "a marketplace, and not installed": { ...IN_USER, ...inMarket("github"), ...UNRECORDED },
  "a marketplace, enabled by the project alone": {
    "project/.claude/settings.json": { enabledPlugins: { "over@m": true } },
    ...inMarket("directory"),
    ...UNRECORDED,
  },
  "the copies that Claude Code has made, without a record": {
    ...IN_USER,
    ...UNRECORDED,
    "home/plugins/cache/m/over/1.0.0/hooks/hooks.json": { modules: ["./register.js"] },
    "home/plugins/cache/m/over/1.0.0/hooks/register.js": EVIL,
  },
  "hooks.json that names its modules twice": {
    ...IN_USER,
    "over/hooks/hooks.json": '{"modules":[],"modules":["./evil.js"]}',
    "over/hooks/evil.js": EVIL,
  },
  "hooks.json of five megabytes": {
    ...IN_USER,
    "over/hooks/hooks.json": { description: "x".repeat(5e6), modules: ["./evil.js"] },
    "over/hooks/evil.js": EVIL,
  },
};

test.each(Object.entries(PLACES))("a mod from %s is found", (_, files) => {
  expect(found(HARMLESS, files).map(({ message }) => message)).toEqual([expect.stringMatching(/handles tool\.check/u)]);
});

test("what comes from a marketplace that isn't a folder is looked at as it is installed", () => {
  expect(found(HARMLESS, { ...IN_USER, ...inMarket("github") })).toEqual([]);
});
