import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { geminiCliTarget } from "../../src/agents/gemini-cli/target.ts";
import { opencodeTarget } from "../../src/agents/opencode/target.ts";
import { blankExtras } from "../../src/kernel/format/json.ts";
import { applyChanges } from "../../src/wiring/changes.ts";
import type { JsonOriginal } from "../../src/wiring/json-file.ts";
import type { ServersRecord } from "../../src/wiring/servers.ts";
import type { PolicyTrigger } from "../../src/wiring/target.ts";
import { write } from "../support/armed-home.ts";
import { temporaryFolder } from "../support/cards.ts";

const POLICY: PolicyTrigger = { matcher: "Bash", phases: ["pre-tool"] };

/** Wires Gemini CLI, and takes the entry out again. */
function gemini(settings: string) {
  const home = temporaryFolder();
  const file = path.join(home, ".gemini/settings.json");
  write(file, settings);
  const origins = new Map<string, JsonOriginal>();
  const plan = (own: PolicyTrigger[]) => {
    const request = { root: "/p", wiring: "user", own, others: [], shared: "keep", isGuarded: true } as const;
    const host = { cwd: "/p", home, env: {}, drwnHome: path.join(home, ".agents/drwn") };
    const planned = geminiCliTarget.planHooks({ ...request, host, originalOf: (at) => origins.get(at) });
    for (const [at, origin] of planned.originals) origins.set(at, origin);
    applyChanges(planned.changes);
    return fs.readFileSync(file, "utf8");
  };
  return { wire: () => plan([POLICY]), takeOut: () => plan([]) };
}

test.each([
  '// mine\n{\n  "theme": "x" // why\n}\n',
  '{\n  /* none yet */\n  "hooks": {}\n}\n',
  '{\n  "hooks": { // empty\n  }\n}\n',
  '{\n  "hooks": {\n    "BeforeTool": [\n      // theirs\n      {"hooks": []} // last\n    ]\n  } // end\n}\n// after\n',
  '{"a": 1, /* b */ "hooks": {"BeforeTool": [/* nothing */]}}',
  "{ // only this\n}\n",
  '{"url": "http://x/*y*/", "b": "// no comment"}\n',
  '{\r\n  // win\r\n  "a": 1\r\n}\r\n',
])("an entry goes into settings with comments, which stay as they are, and comes out again: %j", (settings) => {
  const { wire, takeOut } = gemini(settings);
  const wired = wire();
  for (const [comment] of settings.matchAll(/\/\/ [\w ]+|\/\*[\w ]+\*\//gu)) expect(wired).toContain(comment);
  expect(JSON.parse(blankExtras(wired, "comments")).hooks.BeforeTool.at(-1).hooks[0].name).toBe("drwn");
  expect(wire()).toBe(wired);
  expect(takeOut()).toBe(settings);
});

test.each(['{"a": 1,}', '{"a": 1 /* not ended', "// nothing else\n", '{"a": 1, // x\n "a": 2}', "{# no\n}"])(
  "what Gemini CLI doesn't accept is refused: %j",
  (settings) => {
    expect(() => gemini(settings).wire()).toThrow(/settings\.json, line/u);
  },
);

test.each([
  '{\n  // mine\n  "model": "x",\n}\n',
  '{\n  "mcp": {\n    "theirs": {"enabled": true,}, // last\n  },\n}\n',
  '{"mcp": {}, /* c */}',
])("a server goes into a configuration of OpenCode with comments and trailing commas: %j", (settings) => {
  const root = temporaryFolder();
  const file = path.join(root, "opencode.json");
  write(file, settings);
  const plan = (servers: Record<string, object>, record?: ServersRecord) => {
    const planned = opencodeTarget.planServers({ root, servers, record });
    applyChanges(planned?.changes ?? []);
    return planned?.record;
  };
  const record = plan({ db: { type: "stdio", command: "db" } });
  const wired = JSON.parse(blankExtras(fs.readFileSync(file, "utf8"), "comments and trailing commas"));
  expect(wired.mcp.db).toEqual({ type: "local", command: ["db"], enabled: false });
  plan({}, record);
  expect(fs.readFileSync(file, "utf8")).toBe(settings);
});
