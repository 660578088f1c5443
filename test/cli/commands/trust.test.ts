import { expect, test } from "vitest";
import Trust from "../../../src/cli/commands/trust.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { vendorCards } from "../../../src/operations/project/install.ts";
import { runCommand } from "../../support/cli.ts";
import { testHost } from "../../support/host.ts";
import { cloneOf, installed } from "../../support/projects.ts";

test("in a clone on another machine `trust` fetches what card.lock names, and guards", async () => {
  const host = await installed({ hooks: { guard: { matcher: "Bash" } } });
  await vendorCards(host, { dryRun: false });
  const clone = testHost({ cwd: cloneOf(host) });
  expect(await runCommand(clone, Trust, "--yes")).toMatchObject({ exitCode: 0 });
  expect(readStatus(clone).guarding.ok).toBe(true);
});
