import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { planCodexServers } from "../../../src/agents/codex/servers.ts";
import { parseToml } from "../../../src/kernel/format/toml.ts";
import { applyChanges } from "../../../src/wiring/changes.ts";
import type { ServersRecord } from "../../../src/wiring/servers.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { problemOf } from "../../support/problems.ts";

const DOCS = { command: "docs-server", args: ["--stdio", 'a "quoted" one'], env: { KEY: "value" } };
const WEB = { type: "http", url: "https://example.com/mcp", headers: { "X-Key": "1" } };

class Project {
  readonly root = temporaryFolder();
  readonly file = path.join(this.root, ".codex", "config.toml");
  record: ServersRecord | undefined;

  constructor(text: string | null) {
    if (text === null) return;
    fs.mkdirSync(path.dirname(this.file));
    fs.writeFileSync(this.file, text);
  }

  get text(): string | null {
    return fs.existsSync(this.file) ? fs.readFileSync(this.file, "utf8") : null;
  }

  plan(servers: Record<string, unknown>) {
    return planCodexServers({ root: this.root, servers, record: this.record });
  }

  write(servers: Record<string, unknown>): string[] {
    const { changes, record, leftUntouched } = this.plan(servers);
    applyChanges(changes);
    this.record = record;
    return leftUntouched;
  }

  get servers(): unknown {
    return parseToml(this.text ?? "", { file: this.file })["mcp_servers"];
  }
}

const FILES: [string, string | null][] = [
  ["no file", null],
  ["an empty file", ""],
  ["a file without a last line end", 'model = "x"'],
  ["comments and tables", '# mine\nmodel = "x"\n\n[mcp_servers.mine]\ncommand = "m" # keep\n'],
  ["CRLF", 'model = "x"\r\n'],
  ["white space at the end", 'model = "x"\n\n\n  '],
];

test.each(FILES)("servers are added to %s, changed, and taken out to the byte", (_, text) => {
  const project = new Project(text);
  project.write({ docs: DOCS });
  expect(project.servers).toMatchObject({ docs: DOCS });
  expect(project.text?.startsWith(text ?? "")).toBe(true);
  expect(project.plan({ docs: DOCS }).changes).toEqual([]);
  project.write({ docs: DOCS, web: WEB });
  expect(project.servers).toMatchObject({ docs: DOCS, web: { url: WEB.url, http_headers: WEB.headers } });
  project.write({});
  expect(project.text).toBe(text);
});

test("what others write around the block stays", () => {
  const project = new Project('model = "x"\n');
  project.write({ docs: DOCS });
  fs.writeFileSync(project.file, `# new\n${project.text}\n[tools]\nweb = true\n`);
  project.write({ web: WEB });
  project.write({});
  expect(project.text).toBe('# new\nmodel = "x"\n\n[tools]\nweb = true\n');
});

test("a block that somebody edited is kept", () => {
  const project = new Project("");
  project.write({ docs: DOCS });
  fs.writeFileSync(project.file, project.text?.replace("docs-server", "mine") ?? "");
  expect(project.write({})).toEqual([`${project.file}: drwn's block`]);
  expect(project.text).toContain('"mine"');
});

test("a server of somebody else is not taken over", async () => {
  const project = new Project('[mcp_servers.docs]\ncommand = "theirs"\n');
  expect((await problemOf(() => project.plan({ docs: DOCS }))).code).toBe("DRWN_TARGET_OCCUPIED");
});

test("a file that is no TOML is not touched, and its place is said", async () => {
  const project = new Project("model = \n");
  const problem = await problemOf(() => project.plan({ docs: DOCS }));
  expect([problem.code, problem.message]).toEqual([
    "DRWN_SETTINGS_INVALID",
    expect.stringContaining("config.toml, line 1"),
  ]);
});

test("a server of a kind that Codex does not know is left out", () => {
  const project = new Project(null);
  project.write({ old: { type: "sse", url: "https://example.com/sse" } });
  expect(project.text).toBe(null);
});
