import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { applyChanges } from "../../../src/materialize/changes.ts";
import { type JsonOrigin, jsonOrigin } from "../../../src/materialize/json-edit.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { problemOf } from "../../support/problems.ts";
import { SETTINGS_FILES } from "../settings-files.ts";
import { groupOf, planWiring, type WiringEntry } from "./entries.ts";

const OURS = "/home/me/.agents/drwn/bin/hook claude-code";
const isOurs = (command: string) => command.startsWith("/home/me/.agents/drwn/bin/hook ");

const PRE: WiringEntry = {
  event: "PreToolUse",
  matcher: null,
  command: `${OURS} pre`,
  timeout: 60,
  onFailure: "block",
};
const POST: WiringEntry = { event: "PostToolUse", matcher: "Bash|Write", command: `${OURS} post`, timeout: 60 };
const FAILURE: WiringEntry = { event: "PostToolUseFailure", matcher: null, command: `${OURS} post`, timeout: 60 };
const ALL = [PRE, POST, FAILURE];

/** A settings file on disk, and what a person who runs drwn again and again keeps of it. */
class Wired {
  readonly root = temporaryFolder();
  readonly file = path.join(this.root, ".claude", "settings.json");
  record: JsonOrigin | undefined;

  constructor(text: string | null) {
    if (text !== null) this.text = text;
  }

  get text(): string | null {
    return fs.existsSync(this.file) ? fs.readFileSync(this.file, "utf8") : null;
  }

  set text(text: string) {
    fs.mkdirSync(path.dirname(this.file), { recursive: true });
    fs.writeFileSync(this.file, text);
  }

  plan(entries: readonly WiringEntry[]) {
    return planWiring({ settingsFile: this.file, root: this.root, entries, isOurs, record: this.record });
  }

  /** What was changed, after the record has been to disk and back. */
  write(entries: readonly WiringEntry[]): string[] {
    const { change, record } = this.plan(entries);
    if (change === undefined) return [];
    applyChanges([change]);
    this.record = record === undefined ? undefined : jsonOrigin.parse(JSON.parse(JSON.stringify(record)));
    return [`${change.action} ${change.what}`];
  }

  get settings() {
    return JSON.parse((this.text ?? "").replace(/^\ufeff/u, ""));
  }
}

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

describe("a settings file that drwn created", () => {
  test("is laid out for people", () => {
    const wired = new Wired(null);
    expect(wired.write([PRE])).toEqual(["create PreToolUse hook entry"]);
    expect(wired.text).toBe(`${JSON.stringify({ hooks: { PreToolUse: [groupOf(PRE)] } }, null, 2)}\n`);
    expect(fs.statSync(wired.file).mode & 0o777).toBe(0o600);
  });

  test("is deleted with its folder when the last entry goes", () => {
    const wired = new Wired(null);
    wired.write(ALL);
    expect(wired.write([])).toHaveLength(1);
    expect(fs.readdirSync(wired.root)).toEqual([]);
  });

  test("is deleted, but not its folder when others have put something there", () => {
    const wired = new Wired(null);
    wired.write(ALL);
    fs.writeFileSync(path.join(wired.root, ".claude", "CLAUDE.md"), "mine");
    wired.write([]);
    expect(fs.readdirSync(path.join(wired.root, ".claude"))).toEqual(["CLAUDE.md"]);
  });

  test("stays when its folder was there, and the folder with it", () => {
    const wired = new Wired(null);
    fs.mkdirSync(path.dirname(wired.file));
    wired.write(ALL);
    wired.write([]);
    expect(fs.readdirSync(path.join(wired.root, ".claude"))).toEqual([]);
  });

  test("is kept with what others wrote into it", () => {
    const wired = new Wired(null);
    wired.write(ALL);
    wired.text = JSON.stringify({ theme: "dark", ...wired.settings });
    wired.write([]);
    expect(wired.text).toBe('{"theme":"dark"}');
  });

  test("is not deleted in the place of one that somebody made after removing ours", () => {
    const wired = new Wired(null);
    wired.write(ALL);
    wired.text = "{ }\n";
    wired.write(ALL);
    wired.write([]);
    expect(wired.text).toBe("{ }\n");
  });
});

describe("entries of drwn that are there already", () => {
  const others = { hooks: [{ type: "command", command: "echo theirs" }] };
  const outdated = { matcher: "*", hooks: [{ type: "command", command: `${OURS} older`, timeout: 5 }] };
  const wire = (groups: unknown[], entries: readonly WiringEntry[] = [PRE]) => {
    const wired = new Wired(`${JSON.stringify({ hooks: { PreToolUse: groups } }, null, 2)}\n`);
    wired.write(entries);
    return wired.settings.hooks?.PreToolUse;
  };

  test.each([
    ["an outdated one is replaced in its place", [outdated, others], [groupOf(PRE), others]],
    ["a second one is removed", [groupOf(PRE), others, groupOf(PRE)], [groupOf(PRE), others]],
    ["the right one of two is kept", [outdated, others, groupOf(PRE)], [others, groupOf(PRE)]],
    ["three outdated ones become one", [outdated, outdated, others, outdated], [groupOf(PRE), others]],
    [
      "one in a group of somebody else is taken out of it",
      [{ matcher: "Bash", hooks: [...others.hooks, ...outdated.hooks] }],
      [{ matcher: "Bash", hooks: others.hooks }, groupOf(PRE)],
    ],
    [
      "two in a group of somebody else are taken out of it",
      [{ hooks: [...outdated.hooks, ...others.hooks, ...outdated.hooks] }, groupOf(PRE)],
      [others, groupOf(PRE)],
    ],
    [
      "two in one group become one",
      [{ hooks: [...outdated.hooks, ...outdated.hooks] }, others],
      [groupOf(PRE), others],
    ],
  ])("%s", (_, before, after) => {
    expect(wire(before)).toEqual(after);
  });

  test("one that is laid out in another way, with its keys in another order, is left alone", () => {
    const text = `{"hooks":{"PreToolUse":[{"hooks":[{"onFailure":"block","timeout":6e1,"command":"${PRE.command}","type":"command"}]}]}}`;
    const wired = new Wired(text);
    expect(wired.write([PRE])).toEqual([]);
    expect(wired.text).toBe(text);
  });

  test("one in an event that is not wanted any more goes", () => {
    const wired = new Wired(JSON.stringify({ hooks: { Stop: [outdated, others], PreToolUse: [groupOf(PRE)] } }));
    wired.write([PRE]);
    expect(wired.settings).toEqual({ hooks: { Stop: [others], PreToolUse: [groupOf(PRE)] } });
  });

  test("all go when nothing is remembered of how they came, and the file stays", () => {
    const wired = new Wired(`${JSON.stringify({ hooks: { PreToolUse: [groupOf(PRE)] } }, null, 2)}\n`);
    wired.write([]);
    expect(wired.text).toBe("{}\n");
  });
});

describe("a record", () => {
  test("of a change that was never made does no harm", () => {
    const wired = new Wired(null);
    const { record } = wired.plan(ALL);
    wired.record = record;
    const original = '{\n  "hooks": {\n  }\n}\n';
    wired.text = original;
    wired.write(ALL);
    wired.write([]);
    expect(wired.text).toBe(original);
  });

  test("is dropped when no entry is wanted and none is there", () => {
    const wired = new Wired('{"model": "opus"}');
    wired.record = { containers: { file: null }, folders: [] };
    expect(wired.plan([])).toEqual({ change: undefined, record: undefined });
  });
});

describe("a link", () => {
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
