import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { addCards } from "../../src/operations/project/add.ts";
import { removeCard } from "../../src/operations/project/remove.ts";
import { previewWrite } from "../../src/operations/project/write.ts";
import { applyChanges } from "../../src/wiring/changes.ts";
import { writeTree } from "../support/cards.ts";
import type { TestHost } from "../support/host.ts";
import { userSettings } from "../support/machine-state.ts";
import { CARD, GUARD, newProject, plant, publish, trust, write } from "../support/projects.ts";

const SETTINGS = '{ "model": "x",\n"hooks": {"PreToolUse": [ ]} }';
const PARTS = {
  ...GUARD,
  manifest: { skills: { include: ["review"] }, servers: { files: { command: "files" } } },
  files: { "skills/review/SKILL.md": "# Review\n", "skills/review/more/a.md": "a\n" },
};

async function preparedProject(): Promise<TestHost> {
  const host = newProject();
  writeTree(path.dirname(userSettings(host)), { "settings.json": SETTINGS });
  await publish(host, PARTS);
  await addCards(host, [CARD]);
  await trust(host);
  return host;
}

/** What an agent finds in the project besides our own state. */
function foundIn(host: TestHost): string[] {
  const names = fs.readdirSync(host.cwd, { recursive: true, encoding: "utf8" });
  return names.filter((name) => !name.startsWith(".agents")).sort();
}

async function isAllInForce(host: TestHost): Promise<void> {
  expect((await write(host)).changes).toEqual([]);
  expect((await diagnoseProject(host)).findings).toEqual([]);
}

test("a write that was killed after any of its changes is finished by the next one, and can still be undone", async () => {
  const { changes } = await previewWrite(await preparedProject(), { wiring: undefined });
  expect(changes.length).toBeGreaterThan(8);
  for (let done = 0; done <= changes.length; done += 1) {
    const host = await preparedProject();
    applyChanges((await previewWrite(host, { wiring: undefined })).changes.slice(0, done));
    await write(host);
    await isAllInForce(host);
    await removeCard(host, CARD);
    await write(host);
    expect([done, fs.readFileSync(userSettings(host), "utf8"), foundIn(host)]).toEqual([done, SETTINGS, []]);
  }
});

test("a removal that was killed after any of its changes is finished by the next write", async () => {
  const prepare = async () => {
    const host = await preparedProject();
    await write(host);
    await removeCard(host, CARD);
    return host;
  };
  const { changes } = await previewWrite(await prepare(), { wiring: undefined });
  expect(changes.length).toBeGreaterThan(4);
  for (let done = 0; done <= changes.length; done += 1) {
    const host = await prepare();
    applyChanges((await previewWrite(host, { wiring: undefined })).changes.slice(0, done));
    await write(host);
    expect([done, fs.readFileSync(userSettings(host), "utf8"), foundIn(host)]).toEqual([done, SETTINGS, []]);
    expect((await write(host)).changes).toEqual([]);
  }
});

const THEIRS = '{\n  "mcpServers": { "theirs": { "command": "theirs" } }\n}\n';
const NEXT = {
  ...GUARD,
  version: "1.1.0",
  manifest: { skills: { include: ["review"] }, servers: { files: { command: "files", args: ["-v"] } } },
  files: { "skills/review/SKILL.md": "# Review again\n", "skills/review/new.md": "new\n" },
};

test("an update that was killed after any of its changes is finished by the next write, and can still be undone", async () => {
  const prepare = async () => {
    const host = await preparedProject();
    writeTree(host.cwd, { ".mcp.json": THEIRS });
    await write(host);
    await plant(host, NEXT);
    await addCards(host, [CARD]);
    return host;
  };
  const { changes } = await previewWrite(await prepare(), { wiring: undefined });
  expect(changes.length).toBeGreaterThan(5);
  for (let done = 0; done <= changes.length; done += 1) {
    const host = await prepare();
    applyChanges((await previewWrite(host, { wiring: undefined })).changes.slice(0, done));
    expect([done, (await write(host)).leftUntouched]).toEqual([done, []]);
    expect(fs.readFileSync(path.join(host.cwd, ".claude/skills/review/SKILL.md"), "utf8")).toBe("# Review again\n");
    expect(fs.readFileSync(path.join(host.cwd, ".mcp.json"), "utf8")).toContain('"-v"');
    expect((await write(host)).changes).toEqual([]);
    await removeCard(host, CARD);
    const { changes: removal } = await previewWrite(host, { wiring: undefined });
    applyChanges(removal.slice(0, done));
    await write(host);
    expect([done, foundIn(host)]).toEqual([done, [".mcp.json"]]);
    expect(fs.readFileSync(path.join(host.cwd, ".mcp.json"), "utf8")).toBe(THEIRS);
  }
});

test("folders that a removal left empty go with the next write", async () => {
  const host = await preparedProject();
  await write(host);
  await removeCard(host, CARD);
  fs.rmSync(path.join(host.cwd, ".claude/skills/review/more/a.md"));
  fs.rmSync(path.join(host.cwd, ".claude/skills/review/SKILL.md"));
  await write(host);
  expect(foundIn(host)).toEqual([]);
});
