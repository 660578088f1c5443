import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { groupOf, type WiringEntry } from "../../agents/claude-code/entries.ts";
import { ALL, OURS, PRE, Wired } from "../../agents/claude-code/wired.ts";

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
