import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { drwn } from "../../../src/kernel/advice.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { removeCard } from "../../../src/operations/project/remove.ts";
import { writeProject } from "../../../src/operations/project/write.ts";
import type { AgentId } from "../../../src/policy/event.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { readLedger } from "../../../src/trust/ledger-file.ts";
import { writeTree } from "../../support/cards.ts";
import type { TestHost } from "../../support/host.ts";
import {
  entriesOf,
  ledgerFile,
  machineOf,
  openProjectKey,
  snapshot,
  userSettings,
} from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import {
  anotherProject,
  CARD,
  GUARD,
  guardedProject,
  newProject,
  publish,
  SKILL,
  trust,
  write,
} from "../../support/projects.ts";

function matchersOf(file: string): Record<string, (string | undefined)[]> {
  return Object.fromEntries(
    Object.entries(entriesOf(file)).map(([event, groups]) => [event, groups.map(({ matcher }) => matcher)]),
  );
}

const inForce = ({ plan }: Awaited<ReturnType<typeof write>>) =>
  plan.policies.map(({ card, cardVersion, hook }) => `${card}@${cardVersion}#${hook}`);

const CALLS = { PreToolUse: [undefined], PreSkillShellCommand: [undefined] };

/** Every event of Claude Code that can be held. */
const HELD = Object.fromEntries(
  [
    "Notification",
    "PermissionRequest",
    "PreCompact",
    "PreSkillShellCommand",
    "PreToolUse",
    "Stop",
    "SubagentStop",
    "UserPromptSubmit",
  ].map((event) => [event, [undefined]]),
);

const SETTINGS: [string, string | null][] = [
  ["no file", null],
  ["an empty file", ""],
  ["an empty object", "{}"],
  [
    "hooks of others",
    '{\n\t"model": "x",\n\t"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "theirs"}]}]}\n}',
  ],
  ["no final newline and odd spaces", '{ "hooks" : { } , "a":1 }'],
  ["Windows line ends", '{\r\n  "permissions": {"deny": ["Read"]}\r\n}\r\n'],
];

test.each(SETTINGS)(
  "when the last card is removed, settings with %s are what they were, byte for byte",
  async (_, text) => {
    const host = newProject();
    if (text !== null) writeTree(path.dirname(userSettings(host)), { "settings.json": text });
    const before = { home: snapshot(path.join(machineOf(host), "home")), project: snapshot(host.cwd) };
    await publish(host, { ...GUARD, ...SKILL });
    await addCards(host, [CARD]);
    await trust(host);
    await write(host);
    expect(entriesOf(userSettings(host))["PreToolUse"]).toHaveLength(text?.includes("theirs") === true ? 2 : 1);
    await removeCard(host, CARD);
    await write(host);
    const withoutState = (entries: Record<string, string>) =>
      Object.fromEntries(Object.entries(entries).filter(([name]) => !name.startsWith(".agents")));
    expect(withoutState(snapshot(path.join(machineOf(host), "home")))).toEqual(withoutState(before.home));
    expect(withoutState(snapshot(host.cwd))).toEqual(withoutState(before.project));
    expect((await write(host)).changes).toEqual([]);
  },
);

test("the entry moves into the project's own settings and back, is remembered, and leaves both files as they were", async () => {
  const host = newProject();
  const own = path.join(host.cwd, ".claude/settings.local.json");
  writeTree(host.cwd, { ".claude/settings.local.json": '{"a":1}' });
  await publish(host);
  await addCards(host, [CARD]);
  await trust(host);
  const moved = await writeProject(host, { wiring: "project" });
  expect(moved.findings).toMatchObject([
    { code: "start-folder", severity: "warning", hint: drwn("write", "--no-project") },
  ]);
  expect([matchersOf(own), fs.existsSync(userSettings(host))]).toEqual([CALLS, false]);
  expect((await write(host)).changes).toEqual([]);
  const back = await writeProject(host, { wiring: "user" });
  expect(back.findings).toEqual([]);
  expect(back.agents).toEqual([{ runtime: "claude-code", file: userSettings(host) }]);
  expect(fs.readFileSync(own, "utf8")).toBe('{"a":1}');
  expect(matchersOf(userSettings(host))).toEqual(CALLS);
});

async function addGuard(host: TestHost, name: string, hooks: NonNullable<typeof GUARD.hooks>): Promise<void> {
  await publish(host, { name, hooks });
  await addCards(host, [name]);
  await trust(host, { card: name });
  await write(host);
}

test("two projects share the entry of the user, which goes with the last of them", async () => {
  const host = await guardedProject();
  const other = anotherProject(host);
  await addGuard(other, "@me/edit", {
    guard: { matcher: "{Write,Edit}", phases: ["post-tool"] },
    more: { matcher: "Edit" },
  });
  const after = [undefined];
  expect(matchersOf(userSettings(host))).toEqual({ ...CALLS, PostToolUse: after, PostToolUseFailure: after });
  await removeCard(other, "@me/edit");
  await write(other);
  expect(matchersOf(userSettings(host))).toEqual(CALLS);
  await removeCard(host, CARD);
  await write(host);
  expect(fs.existsSync(userSettings(host))).toBe(false);
});

test.each<[string, (host: TestHost) => void]>([
  ["a damaged ledger", (host) => fs.writeFileSync(ledgerFile(host), "{")],
  ["a lost ledger", (host) => fs.rmSync(ledgerFile(host))],
  [
    "a lost plan",
    (host) =>
      fs.rmSync(
        layout.plan(host.drwnHome, openProjectKey(host), readLedger(host.drwnHome, openProjectKey(host))?.plan ?? ""),
      ),
  ],
  [
    "no state but its marker",
    (host) => {
      const { key } = openProject(host);
      fs.rmSync(ledgerFile(host));
      fs.rmSync(layout.project(host.drwnHome, key), { recursive: true });
    },
  ],
])("a project with %s counts as wanting all that can be held, when another one writes", async (_, spoil) => {
  const host = await guardedProject();
  const other = anotherProject(host);
  await addGuard(other, "@me/edit", { guard: { matcher: "Edit" } });
  spoil(host);
  await removeCard(other, "@me/edit");
  await write(other);
  expect(matchersOf(userSettings(host))).toEqual(HELD);
});

test.each<[AgentId, string, readonly string[]]>([
  ["claude-code", ".claude/settings.json", ["UserPromptSubmit", "PermissionRequest", "PreCompact"]],
  ["codex", ".codex/hooks.json", ["UserPromptSubmit"]],
  ["gemini-cli", ".gemini/settings.json", ["BeforeAgent", "BeforeModel"]],
  ["copilot-cli", ".copilot/hooks/drwn.json", ["userPromptSubmitted", "permissionRequest"]],
  ["cursor", ".cursor/hooks.json", ["beforeSubmitPrompt"]],
  ["opencode", ".config/opencode/plugins/drwn.js", ["chat.message"]],
])(
  "a project with an altered plan keeps its guards of prompts in %s, when another one writes",
  async (runtime, file, events) => {
    const facts = { kind: "enforcement", matcher: null } as const;
    const host = newProject();
    await publish(host, {
      hooks: { prompt: { ...facts, phases: ["prompt.submit"] }, asked: { ...facts, phases: ["approval.before"] } },
    });
    await addCards(host, [CARD]);
    await trust(host);
    await writeProject(host, { wiring: undefined, runtimes: [runtime] });
    const other = anotherProject(host);
    const { drwnHome } = host;
    const key = openProjectKey(host);
    fs.appendFileSync(layout.plan(drwnHome, key, readLedger(drwnHome, key)?.plan ?? ""), " ");
    await writeProject(other, { wiring: undefined, runtimes: [runtime] });
    const text = fs.readFileSync(path.join(host.home, file), "utf8");
    // The plugin for OpenCode names every event that it knows, and has a command for those that are wanted.
    for (const event of events) expect(text).toMatch(new RegExp(`"${event}": ?["[]`, "u"));
  },
);

test("a project whose ledger is lost keeps its hook entry and marker when it is written, and is told so", async () => {
  const host = await guardedProject();
  fs.rmSync(ledgerFile(host));
  const written = await write(host);
  expect(written.findings[0]).toMatchObject({ code: "consents-lost", severity: "error" });
  expect(matchersOf(userSettings(host))).toEqual(HELD);
  expect(openProject(host).isLedgerLost).toBe(true);
  expect((await write(host)).changes).toEqual([]);
  await trust(host);
  expect(inForce(await write(host))).toEqual([`${CARD}@1.0.0#guard`]);
  expect(matchersOf(userSettings(host))).toEqual(CALLS);
});

test("settings that cannot be read strictly stop the write before anything is changed", async () => {
  const host = newProject();
  writeTree(path.dirname(userSettings(host)), { "settings.json": '{\n  "a": 1,\n}' });
  await publish(host, { ...GUARD, ...SKILL });
  await addCards(host, [CARD]);
  await trust(host);
  const before = snapshot(machineOf(host));
  const problem = await problemOf(() => write(host));
  expect(problem.code).toBe("DRWN_SETTINGS_INVALID");
  expect(problem.message).toContain(`${userSettings(host)}, line 3`);
  expect(snapshot(machineOf(host))).toEqual(before);
});

test.each<[AgentId, string]>([
  ["gemini-cli", ".gemini/settings.json"],
  ["codex", ".codex/hooks.json"],
])("%s, whose settings cannot be edited, is left out and said; the others are written", async (runtime, file) => {
  const host = newProject();
  await publish(host);
  await addCards(host, [CARD]);
  await trust(host);
  const broken = path.join(host.home, file);
  fs.mkdirSync(path.dirname(broken));
  fs.writeFileSync(broken, '{"a": 1,}');
  const written = await writeProject(host, { wiring: undefined, runtimes: ["claude-code", runtime] });
  expect(matchersOf(userSettings(host))).toEqual(CALLS);
  expect(written.guarding.agents.map(({ runtime, state }) => [runtime, state])).toEqual([
    ["claude-code", "guarded"],
    [runtime, "unguarded"],
  ]);
  expect(written.guarding.agents[1]?.because?.message).toContain(`${file}, line 1`);
  expect(fs.readFileSync(broken, "utf8")).toBe('{"a": 1,}');
  await expect(writeProject(host, { wiring: undefined, runtimes: [runtime] })).rejects.toThrow(`${file}, line 1`);
});
