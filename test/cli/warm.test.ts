import { expect, test } from "vitest";
import Doctor from "../../src/cli/commands/doctor.ts";
import HookWarm from "../../src/cli/commands/hook/warm.ts";
import Status from "../../src/cli/commands/status.ts";
import { runCommand } from "../support/cli.ts";
import { guardedProject } from "../support/projects.ts";

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line.includes("arm hook"));

test.each([Status, Doctor])("%o says in one line whether a hook process waits, if they are on", async (Command) => {
  const host = await guardedProject();
  expect(linesOf((await runCommand(host, Command)).stdout)).toEqual([]);
  await runCommand(host, HookWarm, "on");
  expect(linesOf((await runCommand(host, Command)).stdout)).toEqual([
    expect.stringMatching(
      /^Warm hook on(: (no hook process waits|1 of 2 hook processes wait) for a call|, but it does nothing)/u,
    ),
  ]);
  expect(JSON.parse((await runCommand(host, Command, "--json")).stdout)).toMatchObject({ warmHook: { isOn: true } });
  await runCommand(host, HookWarm, "off");
});
