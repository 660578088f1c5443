import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { polytokenTarget } from "../../../../src/dialects/polytoken/agent/target.ts";
import { loadPolytokenHooks } from "../../../../src/dialects/polytoken/read/load.ts";
import { applyChanges } from "../../../../src/wiring/changes.ts";
import type { JsonOriginal } from "../../../../src/wiring/json-file.ts";
import type { PolicyTrigger } from "../../../../src/wiring/target.ts";
import { temporaryFolder } from "../../../support/cards.ts";
import { writeHooks } from "../world.ts";

function machine(env: Record<string, string> = {}) {
  const base = temporaryFolder();
  const [home, root] = [path.join(base, "home"), path.join(base, "project")];
  fs.mkdirSync(root);
  const host = { cwd: "/p", home, env, drwnHome: path.join(home, ".agents", "drwn") };
  const globalFile = path.join(home, ".config", "polytoken", "hooks.json");
  const projectFile = path.join(root, ".polytoken", "hooks.json");
  const origins = new Map<string, JsonOriginal>();
  return {
    globalFile,
    projectFile,
    write: (own: PolicyTrigger[], shared: "put" | "keep" | "take-out" = "keep") => {
      const originOf = (file: string) => origins.get(file);
      const planned = polytokenTarget.planHooks({
        host,
        root,
        wiring: "user",
        own,
        others: [],
        shared,
        originalOf: originOf,
      });
      for (const [file, origin] of planned.originals) origins.set(file, origin);
      applyChanges(planned.changes);
      return planned.file;
    },
    check: () => polytokenTarget.check({ host, root, file: globalFile }),
    committed: () => polytokenTarget.committedEntry?.({ host, root }),
    names: () => loadPolytokenHooks({ globalFile, projectFile }).map(({ name }) => name),
  };
}

const BOTH: PolicyTrigger[] = [{ matcher: "Bash", phases: ["pre-tool", "post-tool"] }];
const MINE = { name: "mine", event: "stop", handler: { bash: "exit 0" } };

test("the entries stand behind those of others in the user's file, which Polytoken still reads, and go as they came", () => {
  const { globalFile, write, names } = machine();
  writeHooks(globalFile, [MINE]);
  const before = fs.readFileSync(globalFile, "utf8");
  expect(write(BOTH)).toBe(globalFile);
  expect(names()).toEqual(["mine", "drwn-pre-tool-use", "drwn-post-tool-use", "drwn-post-tool-use-failure"]);
  write([{ matcher: null, phases: ["pre-tool"] }]);
  expect(names()).toEqual(["mine", "drwn-pre-tool-use"]);
  write([]);
  expect(fs.readFileSync(globalFile, "utf8")).toBe(before);
});

test("each event that a lifecycle hook wants has an entry, under the name that all agents share", () => {
  const { write, names } = machine();
  write([
    { matcher: null, phases: ["prompt.submit"] },
    { matcher: null, phases: ["tool.after", "host.start"] },
    { matcher: null, phases: ["post-tool"] },
  ]);
  const expected = ["drwn-post-tool-use", "drwn-post-tool-use-failure", "drwn-prompt-submit", "drwn-tool-after"];
  expect(names().sort()).toEqual(expected);
});

test("a file that was not there goes with its last entry", () => {
  const { globalFile, write } = machine();
  write(BOTH);
  expect(fs.existsSync(globalFile)).toBe(true);
  write([]);
  expect(fs.existsSync(globalFile)).toBe(false);
});

test("what everybody shares stands in the project's file, and names no path of this machine", () => {
  const { projectFile, write, committed, names } = machine();
  expect(committed()).toBeNull();
  write([], "put");
  expect(names()).toEqual(["drwn-required"]);
  expect(fs.readFileSync(projectFile, "utf8")).not.toContain(path.dirname(path.dirname(projectFile)));
  expect(committed()).toBe(projectFile);
  write([], "take-out");
  expect(fs.existsSync(projectFile)).toBe(false);
});

test.each<[string, unknown, string[]]>([
  ["no file", undefined, []],
  ["hooks of its own", [MINE], []],
  ["an entry that turns drwn off", [MINE, "!drwn-pre-tool-use"], ["hooks-disabled"]],
  ["a fault that keeps Polytoken from starting", [{ ...MINE, event: "?" }], ["settings-unreadable"]],
  ["no JSON", "[", ["settings-unreadable"]],
])("a project with %s: what doctor says", async (_, project, codes) => {
  const { projectFile, write, check } = machine();
  write(BOTH);
  writeHooks(projectFile, project);
  expect((await check()).map(({ code }) => code)).toEqual(codes);
});

test("a user's file that is no list of hooks is not touched", () => {
  const { globalFile, write } = machine();
  writeHooks(globalFile, '{"hooks":[]}');
  expect(() => write(BOTH)).toThrow(/expected the file to be a list/u);
});
