import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { globalHooksFile, polytokenProjectHooksFile } from "../../../../src/dialects/polytoken/read/paths.ts";
import { isProblem } from "../../../../src/kernel/problem.ts";
import { hook, polytokenWorld, writeHooks } from "../world.ts";

const fine = hook("pre_tool_use", "exit 0", { name: "fine" });

function namesIn(files: { global?: unknown; project?: unknown }): string[] {
  return polytokenWorld(files)
    .load()
    .hooks.map(({ name }) => name);
}

/** What the load error says, without the folder that its file is in. */
function refusalOf(files: { global?: unknown; project?: unknown }): string {
  const world = polytokenWorld(files);
  try {
    world.load();
  } catch (error) {
    if (isProblem(error))
      return error.message.replace(world.projectFile, "PROJECT").replace(world.globalFile, "GLOBAL");
    throw error;
  }
  throw new Error("it was loaded");
}

describe("files", () => {
  test("1: the global file is hooks.json in the config folder", () => {
    expect(globalHooksFile({ env: {}, home: "/home/a" })).toBe("/home/a/.config/polytoken/hooks.json");
    expect(globalHooksFile({ env: { XDG_CONFIG_HOME: "/x" }, home: "/home/a" })).toBe("/x/polytoken/hooks.json");
    expect(namesIn({ global: [fine] })).toEqual(["fine"]);
  });

  test("2: the project's file is .polytoken/hooks.json", () => {
    expect(polytokenProjectHooksFile("/p")).toBe("/p/.polytoken/hooks.json");
    expect(namesIn({ project: [fine] })).toEqual(["fine"]);
  });

  test("3: either file may be missing, and both", () => {
    expect(namesIn({})).toEqual([]);
  });

  test.each([{ hooks: [] }, "hello", 3, null])("4: a file that is no list is refused: %j", (content) => {
    expect(refusalOf({ project: JSON.stringify(content) })).toContain("PROJECT, line 1: the file should be a list");
  });

  test.each(["[", "[{]", "", "[] []", "// none\n[]", '[{"name":"a","name":"b"}]'])(
    "4: so is one that isn't JSON: %j",
    (text) => {
      expect(() => polytokenWorld({ project: text }).load()).toThrow(/line 1: the file/u);
    },
  );

  test("5: global hooks come first, the project's after them", () => {
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => ({ ...fine, name }));
    expect(namesIn({ global: [c, a], project: [d, b] })).toEqual(["c", "a", "d", "b"]);
  });

  test("6: an entry has name, event, handler, and a matcher if it wants", () => {
    const [loaded] = polytokenWorld({ project: [{ ...fine, matcher: "file_*" }] }).load().hooks;
    expect(loaded).toMatchObject({
      name: "fine",
      event: "pre_tool_use",
      matcher: "file_*",
      handler: { bash: "exit 0" },
    });
  });

  test.each([
    ["7", { ...fine, name: undefined }, "`name` is missing"],
    ["8", { ...fine, event: undefined }, "`event` is missing"],
    ["9", { ...fine, handler: undefined }, "`handler` is missing"],
    ["10", { ...fine, event: "pre_tool" }, '`event` names the unknown event "pre_tool"'],
    ["11", { ...fine, matcher: "[a" }, '`matcher` "[a" isn\'t a glob: a `[` is not closed'],
    ["12", { ...fine, handler: { bash: "x", python: "y" } }, "`handler.python` is unknown"],
    ["13", { ...fine, handler: {} }, "`handler.bash` is missing"],
    ["13", { ...fine, handler: { bash: ["x"] } }, "`handler.bash` should be text"],
    ["14", { ...fine, name: 3 }, "`name` should be text, got 3"],
    ["14", { ...fine, event: null }, "`event` should be text, got null"],
    ["14", { ...fine, matcher: false }, "`matcher` should be text"],
    ["14", { ...fine, handler: "exit 0" }, "`handler` should be an object"],
    ["15", { ...fine, enabled: true }, "`enabled` is unknown"],
    ["15", { ...fine, name: "" }, "`name` is empty"],
    ["15", 7, "should be an object"],
  ])("%s: %j is refused, with file, line, entry and field", (_, entry, what) => {
    const refusal = refusalOf({ project: [{ ...fine, name: "first" }, entry] });
    expect(refusal).toMatch(/^PROJECT, line \d+: entry 2/u);
    expect(refusal).toContain(what);
  });

  test("the line is that of the field", () => {
    const text = '[\n  { "name": "a",\n    "event": "stop",\n    "handler": { "bash": 3 } }\n]';
    expect(refusalOf({ project: text })).toContain('PROJECT, line 4: entry 1 ("a"): `handler.bash`');
  });

  test("16: with one fault nothing of the files is in force", () => {
    expect(() => polytokenWorld({ global: [fine], project: [fine, { ...fine, event: "?" }] }).load()).toThrow();
  });

  test("17: an edit has no effect before a reload", () => {
    const { load, projectFile } = polytokenWorld({ project: [fine] });
    const dispatcher = load();
    writeHooks(projectFile, [{ ...fine, name: "edited" }]);
    expect(dispatcher.hooks.map(({ name }) => name)).toEqual(["fine"]);
    dispatcher.reload();
    expect(dispatcher.hooks.map(({ name }) => name)).toEqual(["edited"]);
    fs.writeFileSync(projectFile, "[");
    expect(() => dispatcher.reload()).toThrow();
    expect(dispatcher.hooks.map(({ name }) => name)).toEqual(["edited"]);
  });
});

describe("negation", () => {
  const [a, b] = ["a", "b"].map((name) => ({ ...fine, name }));

  test("18, 21: `!name` turns off the global hook of that name, and no other", () => {
    expect(namesIn({ global: [a, b], project: ["!a"] })).toEqual(["b"]);
  });

  test("19: the name must be that of a global hook", () => {
    const refusal = refusalOf({ global: [a], project: [b, "!b"] });
    expect(refusal).toMatch(/^PROJECT, line \d+: entry 2 turns off "b", and there is no global hook of that name/u);
  });

  test("20: hooks of the project stay", () => {
    expect(namesIn({ global: [a], project: [a, "!a"] })).toEqual(["a"]);
  });

  test.each(["a", "!", ""])("22: a string that is no `!name` is refused: %j", (text) => {
    expect(refusalOf({ global: [a], project: [text] })).toContain("entry 1: should be a hook");
  });

  test("23: in the global file there is nothing to turn off", () => {
    expect(refusalOf({ global: [a, "!a"] })).toMatch(/^GLOBAL, line \d+: entry 2 turns off "a"/u);
  });

  test("24: of several global hooks with one name none stays", () => {
    expect(namesIn({ global: [a, b, a], project: ["!a"] })).toEqual(["b"]);
  });
});
