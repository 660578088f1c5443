import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkCodex } from "../../../src/agents/codex/check.ts";
import { hookCommand } from "../../../src/wiring/launcher.ts";
import { readTree, temporaryFolder, writeTree } from "../../support/cards.ts";

/** Does what the real app server does: it makes files in its home, and lists the hooks of `hooks.json` by what `config.toml` trusts. */
const SERVER = `
const fs = require("node:fs");
const home = process.env.CODEX_HOME;
fs.writeFileSync(home + "/state.sqlite", "");
fs.writeFileSync(SEEN, JSON.stringify({ env: process.env, config: fs.readFileSync(home + "/config.toml", "utf8") }));
const [{ hooks: [{ command }] }] = JSON.parse(fs.readFileSync(home + "/hooks.json", "utf8")).hooks.PreToolUse;
const isTrusted = fs.readFileSync(home + "/config.toml", "utf8").includes(home + "/hooks.json:pre_tool_use:0:0");
const hook = { command, eventName: "PreToolUse", trustStatus: isTrusted ? "trusted" : "untrusted" };
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const result = method === "hooks/list" ? { data: [{ hooks: [hook], warnings: [home + "/config.toml is odd"] }] } : {};
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
});
`;

function machine(config: (hooks: string) => string) {
  const home = temporaryFolder();
  const drwnHome = path.join(home, ".agents/drwn");
  const [seen, file] = [path.join(home, "seen.json"), path.join(home, ".codex/hooks.json")];
  const command = hookCommand({ home: drwnHome, runtime: "codex", phase: "pre" });
  writeTree(home, {
    ".codex/hooks.json": JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command }] }] } }),
    ".codex/config.toml": config(file),
    ".codex/auth.json": "hunter2",
    "bin/server.cjs": SERVER.replace("SEEN", JSON.stringify(seen)),
  });
  const start = `#!/bin/sh\nexec '${process.execPath}' '${home}/bin/server.cjs'\n`;
  fs.writeFileSync(path.join(home, "bin/codex"), start, { mode: 0o755 });
  const env = { PATH: path.join(home, "bin"), HOME: home, OPENAI_API_KEY: "hunter2" };
  const host = { cwd: home, home, drwnHome, env };
  return { home, seen, ask: () => checkCodex({ host, root: home, file, isAsked: true }) };
}

const trusting = (hooks: string) => `[hooks.state."${hooks}:pre_tool_use:0:0"]\ntrusted_hash = "sha256:x"\n`;

test.each<[string, (hooks: string) => string, string[]]>([
  ["trusts", trusting, ["codex-says"]],
  ["doesn't trust", () => "", ["codex-says", "codex-hook-untrusted"]],
])("a Codex that %s drwn's entry says so of a copy, as of the person's own file", async (_, config, codes) => {
  const { home, ask } = machine(config);
  const { findings, isAnswered } = await ask();
  expect([isAnswered, findings.map(({ code }) => code)]).toEqual([true, codes]);
  expect(findings[0]?.message).toBe(`Codex says: ${home}/.codex/config.toml is odd`);
});

test("Codex gets no secrets and no network, and leaves the person's files alone", async () => {
  const { home, seen, ask } = machine(trusting);
  const before = readTree(path.join(home, ".codex"));
  await ask();
  expect(readTree(path.join(home, ".codex"))).toEqual(before);
  const { env } = JSON.parse(fs.readFileSync(seen, "utf8"));
  expect(JSON.stringify(env)).not.toContain("hunter2");
  expect(env).toMatchObject({ HTTPS_PROXY: "http://127.0.0.1:9", ALL_PROXY: "http://127.0.0.1:9" });
  for (const folder of [env.HOME, env.CODEX_HOME]) expect([folder, fs.existsSync(folder)]).toEqual([folder, false]);
});
