import { expect, test } from "vitest";
import Init from "../../../src/cli/commands/init.ts";
import RegistryAdd from "../../../src/cli/commands/registry/add.ts";
import { runCommand } from "../../support/cli.ts";
import { newProject } from "../../support/projects.ts";

test("`init` in the home folder isn't taken for a project by the registries that drwn keeps there", async () => {
  const host = newProject();
  await runCommand(host, RegistryAdd, "team", "./there");
  const { stderr, exitCode } = await runCommand(host.at(host.home), Init);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("DRWN_HOME_UNSAFE")]);
});
