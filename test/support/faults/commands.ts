import path from "node:path";
import { layout } from "../../../src/contract/layout.ts";
import { removeTree } from "../../../src/kernel/files.ts";
import { newKey } from "../../../src/operations/machine/keys.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { removeCard } from "../../../src/operations/project/remove.ts";
import { readLock, writeLock } from "../../../src/project/lock.ts";
import { denyingPolicy, writeTree } from "../cards.ts";
import type { TestHost } from "../host.ts";
import { machineOf, userSettings } from "../machine-state.ts";
import { CARD, GUARD, newProject, newSigner, plant, publish, trust, write } from "../projects.ts";

/** A command, on a machine where it has as much to do as possible. */
export interface ReplayedCommand {
  name: string;
  argv: readonly string[];
  prepare: () => Promise<TestHost>;
  /** How the command ends if it was carried out already; 0 when absent. */
  again?: string;
  /** Files that become new one after the other, each as a whole; without it, all of them change in one moment. */
  isStepwise?: boolean;
}

const SETTINGS = '{ "model": "x",\n"hooks": {"PreToolUse": [ ]} }';
const SERVERS = '{\n  "mcpServers": { "theirs": { "command": "theirs" } }\n}\n';

const FIRST = {
  ...GUARD,
  manifest: {
    skills: { include: ["review", "old"] },
    servers: { files: { command: "files" }, gone: { command: "x" } },
  },
  files: { "skills/review/SKILL.md": "# Review\n", "skills/review/more/a.md": "a\n", "skills/old/SKILL.md": "# Old\n" },
};
const SECOND = {
  ...GUARD,
  version: "1.1.0",
  manifest: { skills: { include: ["review", "new"] }, servers: { files: { command: "files", args: ["-v"] } } },
  files: { "skills/review/SKILL.md": "# Review again\n", "skills/new/SKILL.md": "# New\n" },
};
const STYLE = { name: "@you/style", manifest: { skills: { include: ["style"] } } };
const STYLE_FILES = { files: { "skills/style/SKILL.md": "# Style\n" } };

/** A project that asks for the first version of the card. */
async function installedProject(): Promise<TestHost> {
  const host = newProject();
  writeTree(path.dirname(userSettings(host)), { "settings.json": SETTINGS });
  writeTree(host.cwd, { ".mcp.json": SERVERS });
  await publish(host, FIRST);
  await addCards(host, [CARD]);
  return host;
}

async function trustedProject(): Promise<TestHost> {
  const host = await installedProject();
  await trust(host);
  return host;
}

/** A project in which the card's policy is in force. */
async function writtenProject(): Promise<TestHost> {
  const host = await trustedProject();
  await write(host);
  return host;
}

async function updatedProject(): Promise<TestHost> {
  const host = await writtenProject();
  // Not through the registry, which would ask for a larger step when something is taken out.
  await plant(host, SECOND);
  await addCards(host, [CARD]);
  return host;
}

async function withStyle(host: TestHost): Promise<TestHost> {
  await publish(host, { ...STYLE, ...STYLE_FILES }, newSigner());
  return host;
}

/**
 * The project of a teammate who pulled: config.json asks for one more card than is locked, and the store has none of
 * them.
 */
async function pulledProject(): Promise<TestHost> {
  const host = await withStyle(await writtenProject());
  const lock = readLock(host.cwd);
  await addCards(host, ["@you/style"]);
  if (lock !== undefined) writeLock(host.cwd, lock);
  removeTree(layout.store(host.drwnHome));
  return host;
}

/** With a key: the command would make another key at each try, and no two of them leave the same bytes. */
async function sourceFolder(): Promise<TestHost> {
  const host = await writtenProject();
  await newKey(host, { scope: "@me", rotate: false });
  writeTree(path.join(machineOf(host), "source"), {
    "card.json": JSON.stringify({ name: "@me/new", version: "1.0.0", hooks: { include: ["guard"] } }),
    "hooks/guard/policy.ts": denyingPolicy("Bash"),
    "hooks/guard/README.md": "# Guard\n",
  });
  return host;
}

export const REPLAYED: readonly ReplayedCommand[] = [
  { name: "add", argv: ["add", "@you/style"], prepare: async () => withStyle(await writtenProject()) },
  { name: "install", argv: ["install"], prepare: pulledProject, isStepwise: true },
  {
    name: "update --latest",
    argv: ["update", "--latest"],
    prepare: async () => {
      const host = await writtenProject();
      await publish(host, { ...SECOND, version: "2.0.0" });
      return host;
    },
  },
  { name: "card publish", argv: ["card", "publish", "../source"], prepare: sourceFolder, again: "DRWN_VERSION_EXISTS" },
  { name: "card trust", argv: ["card", "trust", CARD, "--hooks", "--yes"], prepare: installedProject },
  { name: "write", argv: ["write"], prepare: trustedProject, isStepwise: true },
  { name: "write, of another version", argv: ["write"], prepare: updatedProject, isStepwise: true },
  { name: "card untrust", argv: ["card", "untrust", CARD, "--hooks"], prepare: writtenProject },
  { name: "remove", argv: ["remove", CARD], prepare: writtenProject, again: "DRWN_CARD_NOT_INSTALLED" },
  {
    name: "write, after a removal",
    argv: ["write"],
    prepare: async () => {
      const host = await writtenProject();
      await removeCard(host, CARD);
      return host;
    },
    isStepwise: true,
  },
];
