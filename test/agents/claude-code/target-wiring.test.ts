import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../support/cards.ts";
import { problemOf } from "../../support/problems.ts";
import { SETTINGS_FILES } from "../settings-files.ts";
import { groupOf } from "./entries.ts";
import { ALL, FAILURE, isOurs, OURS, POST, PRE, Wired } from "./wired.ts";

/** What of a text is not in the beginning and the end that it shares with another. */
function replacedPart(text: string, other: string): string {
  let start = 0;
  while (start < text.length && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < text.length - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  return text.slice(start, text.length - end);
}

describe.each(Object.entries(SETTINGS_FILES))("settings that are %s", (_, original) => {
  test("get our entries behind those of others, and nothing but white space in an empty place is replaced", () => {
    const wired = new Wired(original);
    wired.write([PRE]);
    const before = /^\s*$/u.test(original.replace("\ufeff", "")) ? {} : JSON.parse(original.replace("\ufeff", ""));
    const theirs = before.hooks?.PreToolUse ?? [];
    expect(wired.settings).toEqual({
      ...before,
      hooks: { ...before.hooks, PreToolUse: [...theirs, groupOf(PRE)] },
    });
    expect(Object.keys(wired.settings).filter((key) => key !== "hooks")).toEqual(
      Object.keys(before).filter((key) => key !== "hooks"),
    );
    expect(replacedPart(original, wired.text ?? "")).toMatch(/^[ \t\r\n]*$/u);
  });

  test("are not changed by a second write", () => {
    const wired = new Wired(original);
    expect(wired.write(ALL)).toEqual(["update hook entries for PreToolUse, PostToolUse, PostToolUseFailure"]);
    const text = wired.text;
    expect(wired.write(ALL)).toEqual([]);
    expect(wired.text).toBe(text);
  });

  test("are byte for byte what they were when the entries are gone again", () => {
    const wired = new Wired(original);
    wired.write(ALL);
    wired.write([]);
    expect(wired.text).toBe(original);
    expect(wired.record).toBeUndefined();
  });

  test("are what they were after entries came one by one, changed, and went one by one", () => {
    const wired = new Wired(original);
    for (const entries of [[PRE], [PRE, POST], [POST], ALL, [{ ...PRE, timeout: 30 }, FAILURE], [FAILURE], []]) {
      wired.write(entries);
    }
    expect(wired.text).toBe(original);
  });

  test("keep what others add, change and remove in between", () => {
    const wired = new Wired(original);
    wired.write(ALL);
    const edited = wired.settings;
    edited.added = { by: "somebody" };
    edited.hooks.PreToolUse.push({ hooks: [{ type: "command", command: "echo later" }] });
    delete edited.model;
    wired.text = JSON.stringify(edited, null, 3);
    wired.write([]);
    for (const { event } of ALL) {
      edited.hooks[event] = edited.hooks[event].filter(
        (group: { hooks: { command?: string }[] }) => !isOurs(group.hooks[0]?.command ?? ""),
      );
    }
    const left = wired.settings;
    for (const event of Object.keys(edited.hooks)) {
      if (edited.hooks[event].length === 0 && !Object.hasOwn(left.hooks, event)) delete edited.hooks[event];
    }
    expect(left).toEqual(edited);
    expect(wired.text).toContain("echo later");
    expect(wired.text).not.toContain(OURS);
  });
});

describe.each(["\n", "\r\n"])("with line ends %j", (eol) => {
  test.each(["  ", "    ", "\t", ""])("ours is laid out like the rest, indented by %j", (indent) => {
    const lay = (value: unknown) => JSON.stringify(value, null, indent).replaceAll("\n", eol) + eol;
    const theirs = { hooks: [{ type: "command", command: "echo theirs" }] };
    for (const hooks of [undefined, {}, { Stop: [theirs] }, { PreToolUse: [] }, { PreToolUse: [theirs] }]) {
      const before = { model: "opus", hooks };
      const wired = new Wired(lay(before));
      wired.write([PRE]);
      const groups = hooks?.PreToolUse ?? [];
      expect(wired.text).toBe(lay({ ...before, hooks: { ...hooks, PreToolUse: [...groups, groupOf(PRE)] } }));
    }
  });
});

test("in a document on one line with spaces, ours has spaces too", () => {
  const wired = new Wired('{"model": "opus", "hooks": {"PreToolUse": []}}');
  wired.write([POST]);
  const handler = `{ "type": "command", "command": "${POST.command}", "timeout": 60 }`;
  expect(wired.text).toBe(
    `{"model": "opus", "hooks": {"PreToolUse": [], "PostToolUse": [{ "matcher": "Bash|Write", "hooks": [ ${handler} ] }]}}`,
  );
});

test("a settings file that drwn made and a person made read-only stays, and is named", async () => {
  const wired = new Wired(null);
  wired.write([PRE]);
  fs.chmodSync(wired.file, 0o444);
  expect((await problemOf(() => wired.write([]))).code).toBe("DRWN_TARGET_UNWRITABLE");
  expect(wired.settings.hooks.PreToolUse).toEqual([groupOf(PRE)]);
});

describe("a link", () => {
  test("that somebody put in the place of the file that drwn made still leads to settings when the entries are gone", () => {
    const wired = new Wired(null);
    wired.write([PRE]);
    const target = path.join(wired.root, "claude.json");
    fs.renameSync(wired.file, target);
    fs.symlinkSync("../claude.json", wired.file);
    wired.write([]);
    expect(fs.readFileSync(target, "utf8")).toBe("{}\n");
  });

  test("to a settings file inside the root is written through", () => {
    const wired = new Wired(null);
    const target = path.join(wired.root, "dotfiles", "claude.json");
    fs.mkdirSync(path.dirname(target));
    fs.mkdirSync(path.dirname(wired.file));
    fs.writeFileSync(target, '{\n\t"model": "opus"\n}', { mode: 0o640 });
    fs.symlinkSync("../dotfiles/claude.json", wired.file);
    wired.write(ALL);
    expect(fs.lstatSync(wired.file).isSymbolicLink()).toBe(true);
    expect(JSON.parse(fs.readFileSync(target, "utf8")).hooks.PreToolUse).toEqual([groupOf(PRE)]);
    expect(fs.statSync(target).mode & 0o777).toBe(0o640);
    wired.write([]);
    expect(fs.readFileSync(target, "utf8")).toBe('{\n\t"model": "opus"\n}');
  });

  test.each([
    [
      "the settings file",
      (root: string) => ({ link: path.join(root, ".claude", "settings.json"), to: "outside.json" }),
    ],
    ["its folder", (root: string) => ({ link: path.join(root, ".claude"), to: "outside" })],
    [
      "the settings file, to nowhere",
      (root: string) => ({ link: path.join(root, ".claude", "settings.json"), to: "no" }),
    ],
  ])("out of the root is refused: %s", async (_, place) => {
    const wired = new Wired(null);
    const outside = temporaryFolder();
    fs.mkdirSync(path.join(outside, "outside"));
    fs.writeFileSync(path.join(outside, "outside.json"), "{}");
    const { link, to } = place(wired.root);
    fs.mkdirSync(path.dirname(link), { recursive: true });
    fs.symlinkSync(path.join(outside, to), link);
    const problem = await problemOf(() => wired.plan([PRE]));
    expect(problem.code).toBe("DRWN_SETTINGS_UNSAFE");
    expect(problem.message).toContain(link);
  });
});
