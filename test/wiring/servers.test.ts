import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { applyChanges } from "../../src/wiring/changes.ts";
import { planServers, type ServersRecord, serversRecord } from "../../src/wiring/servers.ts";
import { SETTINGS_FILES } from "../agents/settings-files.ts";
import { temporaryFolder } from "../support/cards.ts";
import { problemOf } from "../support/problems.ts";

const DOCS = { command: "npx", args: ["-y", "docs-server"], env: { TOKEN: "$TOKEN" } };
const WEB = { type: "http", url: "https://mcp.example.test/" };
const THEIRS = { command: "theirs" };

/** A `.mcp.json`, and what a person who runs drwn again and again keeps of it. */
class Project {
  readonly root = temporaryFolder();
  readonly file = path.join(this.root, ".mcp.json");
  record: ServersRecord | undefined;

  constructor(text: string | null) {
    if (text !== null) fs.writeFileSync(this.file, text);
  }

  get text(): string | null {
    return fs.existsSync(this.file) ? fs.readFileSync(this.file, "utf8") : null;
  }

  get servers() {
    return JSON.parse((this.text ?? "").replace(/^\ufeff/u, "")).mcpServers;
  }

  plan(servers: Record<string, unknown>, more: { switch?: string } = {}) {
    return planServers({ file: this.file, root: this.root, servers, record: this.record, ...more });
  }

  write(servers: Record<string, unknown>, more: { switch?: string } = {}) {
    const { changes, record, leftUntouched } = this.plan(servers, more);
    applyChanges(changes);
    this.record = record === undefined ? undefined : serversRecord.parse(JSON.parse(JSON.stringify(record)));
    return { changes: changes.map(({ action, what }) => `${action} ${what}`), leftUntouched };
  }
}

describe.each(Object.entries(SETTINGS_FILES))("a file that is %s", (_, original) => {
  test("is byte for byte what it was after servers came, changed and went", () => {
    const project = new Project(original);
    project.write({ docs: DOCS });
    expect(project.servers).toEqual({ docs: DOCS });
    expect(project.write({ docs: DOCS }).changes).toEqual([]);
    project.write({ docs: DOCS, web: WEB });
    project.write({ web: { ...WEB, url: "https://mcp.example.test/2" } });
    expect(project.servers).toEqual({ web: { ...WEB, url: "https://mcp.example.test/2" } });
    project.write({});
    expect(project.text).toBe(original);
  });
});

test("a file that drwn created is laid out for people, readable by all, and deleted in the end", () => {
  const project = new Project(null);
  expect(project.write({ docs: DOCS, web: WEB }).changes).toEqual(["create 2 MCP servers: docs, web"]);
  expect(project.text).toBe(`${JSON.stringify({ mcpServers: { docs: DOCS, web: WEB } }, null, 2)}\n`);
  expect(fs.statSync(project.file).mode & 0o777).toBe(0o644);
  project.write({});
  expect(fs.readdirSync(project.root)).toEqual([]);
});

test("servers of others stay where they are", () => {
  const original = `{\n\t"mcpServers": {\n\t\t"theirs": {"command": "theirs"}\n\t}\n}`;
  const project = new Project(original);
  project.write({ docs: DOCS });
  expect(Object.entries(project.servers)).toEqual([
    ["theirs", THEIRS],
    ["docs", DOCS],
  ]);
  expect(project.text).toContain('\t\t"theirs": {"command": "theirs"},\n\t\t"docs": {\n\t\t\t"command"');
  project.write({});
  expect(project.text).toBe(original);
});

test("a server of somebody else with one of our names is refused with its line", async () => {
  const original = '{\n  "mcpServers": {\n    "docs": { "command": "theirs" }\n  }\n}\n';
  const project = new Project(original);
  const problem = await problemOf(() => project.plan({ docs: DOCS }));
  expect([problem.code, problem.message]).toEqual(["DRWN_TARGET_OCCUPIED", expect.stringMatching(/line 3.*`docs`/u)]);
  expect(project.text).toBe(original);
});

test("the same server of somebody else, in whatever layout, is adopted and stays in the end", () => {
  const { command, args, env } = DOCS;
  const original = JSON.stringify({ mcpServers: { docs: { env, args, command } } });
  const project = new Project(original);
  expect(project.write({ docs: DOCS }).changes).toEqual([]);
  project.write({ docs: DOCS, web: WEB });
  project.write({ docs: { ...DOCS, command: "bunx" } });
  project.write({});
  expect(project.servers).toEqual({ docs: { ...DOCS, command: "bunx" } });
});

test("a server that somebody edited is neither written over nor removed, and is named", () => {
  const project = new Project(null);
  project.write({ docs: DOCS, web: WEB });
  fs.writeFileSync(project.file, (project.text ?? "").replace("$TOKEN", "mine"));
  const leftUntouched = [`${project.file}: mcpServers.docs`];
  expect(project.write({ docs: DOCS, web: WEB })).toEqual({ changes: [], leftUntouched });
  expect(project.write({ docs: { command: "other" } })).toEqual({
    changes: ["update 1 MCP server: web"],
    leftUntouched,
  });
  expect(project.write({})).toEqual({ changes: [], leftUntouched });
  expect(project.servers).toEqual({ docs: { ...DOCS, env: { TOKEN: "mine" } } });
});

test("a server that somebody took out is written again", () => {
  const project = new Project('{"mcpServers": {}}');
  project.write({ docs: DOCS });
  fs.writeFileSync(project.file, '{"mcpServers": { }}');
  project.write({ docs: DOCS });
  expect(project.servers).toEqual({ docs: DOCS });
  project.write({});
  expect(project.text).toBe('{"mcpServers": { }}');
});

test.each([
  ["a list", '{\n "mcpServers": []\n}', "line 2, column 16: expected `mcpServers` to be an object"],
  ["null", '{"mcpServers": null}', "line 1, column 16: expected `mcpServers` to be an object"],
])("servers that are %s are refused with the place", async (_, text, message) => {
  const problem = await problemOf(() => new Project(text).plan({ docs: DOCS }));
  expect([problem.code, problem.message]).toEqual(["DRWN_SETTINGS_INVALID", expect.stringContaining(message)]);
});

test("a file that links out of the project is refused", async () => {
  const project = new Project(null);
  const outside = path.join(temporaryFolder(), "mcp.json");
  fs.writeFileSync(outside, "{}");
  fs.symlinkSync(outside, project.file);
  expect((await problemOf(() => project.plan({ docs: DOCS }))).code).toBe("DRWN_SETTINGS_UNSAFE");
});

describe("a server that a person turns on", () => {
  const SWITCH = { switch: "enabled" };
  const OFF = { ...DOCS, enabled: false };
  const ON = { ...DOCS, enabled: true };

  function turnedOn(): Project {
    const project = new Project(null);
    const { changes } = project.write({ docs: OFF }, SWITCH);
    expect(changes).toEqual(["create 1 MCP server: docs; off until you set `enabled` to true there"]);
    fs.writeFileSync(project.file, JSON.stringify({ mcpServers: { docs: ON } }));
    return project;
  }

  test("stays on as long as the card's server is the same, and is still drwn's", () => {
    const project = turnedOn();
    expect(project.write({ docs: OFF }, SWITCH)).toEqual({ changes: [], leftUntouched: [] });
    expect(project.servers).toEqual({ docs: ON });
    project.write({}, SWITCH);
    expect(project.text).toBe(null);
  });

  test("is off again when the card's server changes", () => {
    const project = turnedOn();
    const other = { command: "other", enabled: false };
    project.write({ docs: other }, SWITCH);
    expect(project.servers).toEqual({ docs: other });
  });

  test("is turned off when an earlier drwn wrote it without the switch", () => {
    const project = new Project(null);
    project.write({ docs: DOCS });
    project.write({ docs: OFF }, SWITCH);
    expect(project.servers).toEqual({ docs: OFF });
  });

  test("is left as it is when it was the person's own before", () => {
    const project = new Project(JSON.stringify({ mcpServers: { docs: DOCS } }));
    for (const _ of ["first", "again"]) expect(project.write({ docs: OFF }, SWITCH).changes).toEqual([]);
    expect(project.servers).toEqual({ docs: DOCS });
  });
});
