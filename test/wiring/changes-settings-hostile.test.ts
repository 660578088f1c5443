import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { isProblem } from "../../src/kernel/problem.ts";
import { applyChanges } from "../../src/wiring/changes.ts";
import { hookCommand } from "../../src/wiring/launcher.ts";
import { problemOf } from "../support/problems.ts";
import { locate, Machine, PLACES, type Place } from "../support/settings-places.ts";

const ELSEWHERE = hookCommand({ home: "/home/somebody/else", runtime: "codex", phase: "pre" });

/** What stands in the list of an event where an agent would look for hooks. */
const ITEMS: readonly [string, unknown][] = [
  ["text", "drwn_hook=x"],
  ["a number", 7],
  ["null", null],
  ["a list", [[{ type: "command", command: "mine" }]]],
  ["an object without anything", {}],
  ["handlers that are text", { hooks: "mine" }],
  ["handlers that are an object", { hooks: { command: "mine" } }],
  ["handlers that are null", { hooks: null }],
  ["handlers of every wrong kind", { hooks: [1, null, "x", [], { command: 7 }, { command: null, bash: [] }] }],
  ["a command that is a list of words", { type: "command", command: ["sh", "-c", "mine"], bash: ["mine"] }],
  [
    "an entry of drwn in another home",
    { hooks: [{ type: "command", command: ELSEWHERE }], bash: ELSEWHERE, command: ELSEWHERE },
  ],
  ["an entry that only talks of drwn", { hooks: [{ type: "command", command: `echo ${ELSEWHERE}` }] }],
];

function textWith(place: Place, item: unknown): string {
  const [event = ""] = place.events;
  const whole = place.shape === "entries" ? [{ name: "mine", event, handler: item }] : { hooks: { [event]: [item] } };
  return `${JSON.stringify(whole, null, 3)}\r\n`;
}

/** What stands in the place of the file, and what a person is told. */
const INSTEAD: readonly [string, (file: string) => void, string][] = [
  ["a pipe that nobody writes to", (file) => execFileSync("mkfifo", [file]), "DRWN_TARGET_OCCUPIED"],
  ["a folder", (file) => fs.mkdirSync(file), "DRWN_TARGET_OCCUPIED"],
  ["a device", (file) => fs.symlinkSync("/dev/zero", file), "DRWN_SETTINGS_UNSAFE"],
  [
    "a file of three gigabytes",
    (file) => {
      fs.writeFileSync(file, "{");
      fs.truncateSync(file, 3 * 1024 ** 3);
    },
    "DRWN_FILE_TOO_LARGE",
  ],
];

describe.each(PLACES.map((place) => [`${place.target.runtime}, ${place.kind}`, place] as const))(
  "settings of %s",
  (_, place) => {
    test.each(ITEMS)(
      "where a hook should be, and there is %s: refused by name, or given back byte for byte",
      (_what, item) => {
        const machine = new Machine(place.target);
        const settings = locate(place, machine);
        const text = textWith(place, item);
        fs.writeFileSync(settings, text);
        try {
          applyChanges(machine.planHooks(place.kind).changes);
          expect(fs.readFileSync(settings, "utf8")).toContain("/bin/hook");
          expect(machine.planHooks(place.kind).changes).toEqual([]);
          applyChanges(machine.planHooks(place.kind, false).changes);
        } catch (error) {
          if (!isProblem(error)) throw error;
          expect([error.code, error.message]).toEqual(["DRWN_SETTINGS_INVALID", expect.stringContaining(settings)]);
        }
        expect(fs.readFileSync(settings, "utf8")).toBe(text);
      },
    );

    test.each(INSTEAD)("where there is %s: refused at once, and nothing is touched", async (_what, put, code) => {
      const machine = new Machine(place.target);
      const settings = locate(place, machine);
      put(settings);
      const before = fs.lstatSync(settings);
      const problem = await problemOf(() => machine.planHooks(place.kind));
      expect([problem.code, problem.message]).toEqual([code, expect.stringContaining(settings)]);
      expect([fs.lstatSync(settings).ino, fs.lstatSync(settings).size]).toEqual([before.ino, before.size]);
    });

    test("that somebody changes between plan and commit stay as they are then", async () => {
      const machine = new Machine(place.target);
      const settings = locate(place, machine);
      const { changes } = machine.planHooks(place.kind);
      fs.writeFileSync(settings, "theirs");
      expect((await problemOf(() => applyChanges(changes))).code).toBe("DRWN_TARGET_CHANGED");
      expect(fs.readFileSync(settings, "utf8")).toBe("theirs");
    });

    test("that have another name on the disk lose nothing under that one", () => {
      const machine = new Machine(place.target);
      const settings = locate(place, machine);
      const text = place.shape === "entries" ? "[]\n" : '{ "mine": 1 }\n';
      const other = path.join(path.dirname(settings), "other-name");
      fs.writeFileSync(other, text);
      fs.linkSync(other, settings);
      applyChanges(machine.planHooks(place.kind).changes);
      applyChanges(machine.planHooks(place.kind, false).changes);
      expect([fs.readFileSync(settings, "utf8"), fs.readFileSync(other, "utf8")]).toEqual([text, text]);
    });
  },
);
