import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkCodexSwitches } from "../../../src/agents/codex/check.ts";
import { findRequiredEntry } from "../../../src/agents/codex/managed.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

const HANDLER = { type: "command", command: "ours", timeout: 60 };
const ENTRY = { event: "PreToolUse", value: { hooks: [HANDLER] } };
const REQUIRED = `[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
command = "ours"
timeout = 60
`;

/** A repository with a project in it, a user and a machine. */
function place(tree: Record<string, string>) {
  const folder = writeTree(temporaryFolder(), tree);
  fs.mkdirSync(path.join(folder, "repository", ".git"), { recursive: true });
  const home = path.join(folder, "home");
  const root = path.join(folder, "repository", "project");
  const machine = path.join(folder, "etc");
  return { host: { cwd: "/p", home, drwnHome: path.join(home, "drwn"), env: {} }, root, machine, folder };
}

const OFF = "[features]\nhooks = false\n";

test.each<[file: string, text: string]>([
  ["home/.codex/config.toml", OFF],
  ["repository/project/.codex/config.toml", OFF],
  ["repository/project/.codex/config.toml", "[features]\ncodex_hooks = false\n"],
  ["repository/.codex/config.toml", OFF],
  ["etc/config.toml", OFF],
  ["etc/managed_config.toml", OFF],
  ["etc/requirements.toml", OFF],
])("hooks that %s switches off by %j are off, even those of the machine's owner", (file, text) => {
  const { machine, folder, ...of } = place({ [file]: text });
  expect(checkCodexSwitches(of, machine)).toMatchObject([
    { code: "hooks-disabled", severity: "error", subject: path.join(folder, file) },
  ]);
});

test("hooks that the owner requires nobody switches off, and a file outside of the repository says nothing", () => {
  const { machine, ...of } = place({
    "etc/requirements.toml": "[features]\nhooks = true\n",
    "repository/project/.codex/config.toml": OFF,
    "home/.codex/config.toml": OFF,
  });
  expect(checkCodexSwitches(of, machine)).toEqual([]);
  const { machine: other, ...there } = place({ ".codex/config.toml": OFF });
  expect(checkCodexSwitches(there, other)).toEqual([]);
});

test.each<[what: string, text: string, isFound: boolean]>([
  ["the entry", REQUIRED, true],
  ["the entry among others", `${REQUIRED.replace("ours", "other")}\n${REQUIRED}`, true],
  ["it for some tools", REQUIRED.replace("]]\n[[", ']]\nmatcher = "Bash"\n[['), false],
  ["it on another event", REQUIRED.replaceAll("PreToolUse", "PostToolUse"), false],
  ["it with less time", REQUIRED.replace("60", "1"), false],
  ["nothing", "", false],
  ["what isn't TOML", "[[", false],
])("requirements that hold %s count as the entry or not", (_, text, isFound) => {
  const { machine } = place({ "etc/requirements.toml": text });
  expect(findRequiredEntry([ENTRY], machine)).toBe(isFound ? path.join(machine, "requirements.toml") : null);
});

test("nobody knows what BASH_ENV makes of the shell that starts a hook of Codex", () => {
  const { host, root, machine } = place({});
  const there = { ...host, env: { BASH_ENV: "/x" } };
  expect(checkCodexSwitches({ host: there, root }, machine)).toMatchObject([
    { code: "hooks-prefixed", severity: "warning" },
  ]);
});
