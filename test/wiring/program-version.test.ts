import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { checkProgramVersion } from "../../src/wiring/program-version.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";

const AGENT = { title: "An Agent", program: "agent", from: "@some/agent", tried: "1.18.33" };

/** An agent as npm installs it: a link on PATH into the package. */
function installed(manifest: string): string {
  const root = writeTree(temporaryFolder(), {
    "lib/agent/package.json": manifest,
    "lib/agent/dist/bin/agent.js": "",
    "lib/agent/dist/package.json": '{"type": "module"}',
  });
  fs.mkdirSync(path.join(root, "bin"));
  fs.symlinkSync("../lib/agent/dist/bin/agent.js", path.join(root, "bin/agent"));
  return path.join(root, "bin");
}

const manifestOf = (version: unknown, name = AGENT.from) => JSON.stringify({ name, version });

test.each([
  [manifestOf("1.17.99"), true],
  [manifestOf("0.99.0"), true],
  [manifestOf("1.18.0"), false],
  [manifestOf("1.19.0-beta.1"), false],
  [manifestOf("2.0.0"), false],
  [manifestOf("nightly"), false],
  [manifestOf(1), false],
  [manifestOf("0.1.0", "another"), false],
  ["{", false],
  ["null", false],
])("an agent that comes with %s is older than the one that was tried: %s", (manifest, isOlder) => {
  const PATH = ["", "relative", temporaryFolder(), installed(manifest)].join(path.delimiter);
  const findings = checkProgramVersion(AGENT, { PATH });
  expect(findings.map(({ code, severity }) => [code, severity])).toEqual(
    isOlder ? [["agent-outdated", "warning"]] : [],
  );
  if (isOlder) expect(findings[0]?.message).toContain("tried with An Agent 1.18.33");
});

test("of an agent that is not on PATH, or a link to nowhere, nothing is said", () => {
  const folder = temporaryFolder();
  fs.symlinkSync("gone", path.join(folder, "agent"));
  expect(checkProgramVersion(AGENT, { PATH: folder })).toEqual([]);
  expect(checkProgramVersion(AGENT, {})).toEqual([]);
});
