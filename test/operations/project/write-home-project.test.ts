import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { initProject } from "../../../src/operations/project/init.ts";
import { removeCard } from "../../../src/operations/project/remove.ts";
import { uninstall } from "../../../src/operations/project/uninstall.ts";
import { previewWrite, writeProject } from "../../../src/operations/project/write.ts";
import { AGENT_IDS, type AgentId } from "../../../src/policy/event.ts";
import { type TestHost, testHost } from "../../support/host.ts";
import { editJson, openProjectKey, snapshot } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, publish, trust } from "../../support/projects.ts";
import { sweep } from "../../support/sweep.ts";

const ALL = { hooks: { guard: { matcher: "Bash" } }, manifest: { servers: { docs: { command: "docs-server" } } } };
const PLAIN = { dryRun: false, purge: false, shared: false };
const SETTINGS = [".gemini/settings.json", ".codex/hooks.json", ".codex/config.toml", ".cursor/mcp.json", ".mcp.json"];

/** The user's home as a project, with an approved policy and an MCP server. State lies elsewhere, as it has to. */
async function homeProject(base: TestHost = testHost()): Promise<TestHost> {
  const host = { ...base.at(base.home), drwnHome: path.join(path.dirname(base.home), "state") };
  initProject(host);
  await publish(host, ALL);
  await addCards(host, [CARD]);
  await trust(host);
  return host;
}

function writeFor(host: TestHost, runtime: AgentId) {
  return writeProject(host, { wiring: undefined, runtimes: [runtime] });
}

/** What lies in the home, but for drwn's own and the empty folders. */
function filesOf(host: TestHost): Record<string, string> {
  const files = Object.entries(snapshot(host.home)).filter(([name, what]) => {
    return !name.startsWith(".agents/drwn") && !what.endsWith(" folder");
  });
  return Object.fromEntries(files);
}

function geminiSettings(host: TestHost): { hooks?: object; mcpServers?: object; theme?: string } {
  return JSON.parse(fs.readFileSync(path.join(host.home, ".gemini", "settings.json"), "utf8"));
}

test("a home that has drwn's own folder in the place of a project's is made no project", async () => {
  const host = testHost();
  const problem = await problemOf(() => initProject(host.at(host.home)));
  expect(problem.code).toBe("DRWN_HOME_UNSAFE");
  expect(filesOf(host)).toEqual({});
  expect(fs.existsSync(path.join(host.drwnHome, "config.json"))).toBe(false);
  // No command there leads to `drwn init`, which would fail.
  expect((await problemOf(() => readStatus(host.at(host.home)))).hint).toBe(problem.hint);
});

describe.each(sweep(AGENT_IDS, 3))("in a home that is a project, for %s", (runtime) => {
  test("policies come into force with the servers beside them, a second write changes nothing, and all goes again", async () => {
    const host = await homeProject();
    const before = filesOf(host);
    const { plan, agents } = await writeFor(host, runtime);
    expect(plan.policies).toHaveLength(1);
    const [agent] = agents;
    const entry = fs.readFileSync(agent?.file ?? "", "utf8");
    expect(entry).toContain("drwn");
    expect((await writeFor(host, runtime)).changes).toEqual([]);
    expect(fs.readFileSync(agent?.file ?? "", "utf8")).toBe(entry);
    await removeCard(host, CARD);
    await writeFor(host, runtime);
    expect(settingsIn(filesOf(host))).toEqual(settingsIn(before));
  });

  test("an uninstall leaves the files of others byte for byte, and nothing of drwn", async () => {
    const host = await homeProject();
    for (const file of SETTINGS.filter((name) => name.endsWith("settings.json") || name.endsWith(".mcp.json"))) {
      fs.mkdirSync(path.dirname(path.join(host.home, file)), { recursive: true });
      fs.writeFileSync(path.join(host.home, file), '{\t"theme" : "dark"\r\n}');
    }
    const before = filesOf(host);
    await writeFor(host, runtime);
    const { remaining } = await uninstall(host, PLAIN);
    expect(remaining.filter(({ kind }) => kind !== "state")).toEqual([]);
    expect(settingsIn(filesOf(host))).toEqual(settingsIn(before));
  });
});

/** Without the files of the project itself. */
function settingsIn(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith(".agents/")));
}

describe("the one file that is the user's settings and the project's", () => {
  test("holds entry and servers of Gemini CLI, and what others have there", async () => {
    const host = await homeProject();
    fs.mkdirSync(path.join(host.home, ".gemini"));
    fs.writeFileSync(path.join(host.home, ".gemini", "settings.json"), '{"theme":"dark"}');
    const preview = await previewWrite(host, { wiring: undefined, runtimes: ["gemini-cli"] });
    const { changes } = await writeFor(host, "gemini-cli");
    expect(preview.changes.map(({ path: file }) => file)).toEqual(changes.map(({ path: file }) => file));
    expect(geminiSettings(host)).toMatchObject({
      theme: "dark",
      hooks: { BeforeTool: [{}] },
      mcpServers: { docs: {} },
    });
  });

  test("loses what is taken out alone: the servers or the entry", async () => {
    const host = await homeProject();
    await writeFor(host, "gemini-cli");
    editJson<{ mcpServers: object }>(path.join(host.home, ".gemini", "settings.json"), (settings) => {
      Object.assign(settings.mcpServers, { mine: { command: "x" } });
    });
    await uninstall(host, PLAIN);
    expect(geminiSettings(host)).toEqual({ mcpServers: { mine: { command: "x" } } });
    await writeFor(host, "gemini-cli");
    expect(geminiSettings(host)).toMatchObject({ hooks: { BeforeTool: [{}] }, mcpServers: { docs: {}, mine: {} } });
  });

  test("is found where the home is reached by a link", async () => {
    const base = testHost();
    const link = `${base.home}-link`;
    fs.symlinkSync(base.home, link);
    const host = await homeProject(base);
    const linked = { ...host, home: link };
    const request = { wiring: undefined, runtimes: ["gemini-cli", "codex"] } as const;
    await writeProject(linked, request);
    expect(geminiSettings(host)).toMatchObject({ hooks: { BeforeTool: [{}] }, mcpServers: { docs: {} } });
    expect((await writeProject(linked, request)).changes).toEqual([]);
  });

  test("is not wired as the project's own for Codex, whose other projects would take it out", async () => {
    const host = await homeProject();
    const before = filesOf(host);
    const problem = await problemOf(() => writeProject(host, { wiring: "project", runtimes: ["codex"] }));
    expect(problem).toMatchObject({ code: "DRWN_TARGET_OCCUPIED", hint: "drwn write --no-project" });
    expect(filesOf(host)).toEqual(before);
    expect(openProjectKey(host)).toMatch(/^[0-9a-f]+$/u);
  });
});
