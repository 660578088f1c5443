import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { machineOf, recordNode } from "../support/machine-state.ts";
import { guardedProject, write } from "../support/projects.ts";

test("`write` fixes a guard whose Node is gone: it records the one that runs drwn", async () => {
  const host = await guardedProject();
  const nodePath = path.join(machineOf(host), "node");
  fs.symlinkSync(process.execPath, nodePath);
  const there = { ...host, nodePath };
  recordNode(there, "/gone/node");
  await write(there);
  expect((await diagnoseProject(there)).findings).toEqual([]);
});
