import fs from "node:fs";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { sayIn } from "../../src/kernel/advice.ts";
import { formatJson } from "../../src/kernel/format/json.ts";
import { readStatus } from "../../src/operations/diagnose/status.ts";
import { uninstall } from "../../src/operations/project/uninstall.ts";
import type { TestHost } from "../support/host.ts";
import { entriesOf, openProjectKey, userSettings } from "../support/machine-state.ts";
import { problemOf } from "../support/problems.ts";
import { guardedProject, write } from "../support/projects.ts";

const releaseOf = ({ drwnHome }: TestHost): string => {
  const [name = ""] = fs.readdirSync(`${drwnHome}/releases`);
  return `${drwnHome}/releases/${name}`;
};

test.each([
  ["what was written", (host: TestHost) => layout.written(host.drwnHome, openProjectKey(host)), "drwn write"],
  ["a content of a card", releaseOf, "drwn install"],
])("a damaged record of %s names the commands that make it again", async (_, recordIn, command) => {
  const host = await guardedProject();
  const file = recordIn(host);
  fs.writeFileSync(file, "{");
  expect(sayIn("project", (await problemOf(() => readStatus(host))).hint ?? "")).toBe(
    `restore it from a backup, or: rm ${file} && ${command}`,
  );
  fs.rmSync(file);
  await write(host);
  expect(readStatus(host).guarding.ok).toBe(true);
});

test("a damaged record of settings changes no guard and stops no command", async () => {
  const host = await guardedProject();
  fs.writeFileSync(layout.wiring(host.drwnHome), '{"version":1,');
  expect(readStatus(host).guarding.ok).toBe(true);
  await write(host);
  fs.writeFileSync(userSettings(host), formatJson({ model: "x" }));
  await write(host);
  expect(readStatus(host).guarding.ok).toBe(true);
  fs.writeFileSync(layout.wiring(host.drwnHome), "");
  await uninstall(host, { dryRun: false, shared: false, purge: false });
  expect(entriesOf(userSettings(host))).toEqual({});
});
