import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import Install from "../../../src/cli/commands/install.ts";
import Status from "../../../src/cli/commands/status.ts";
import TrustAccept from "../../../src/cli/commands/trust/accept.ts";
import Trust from "../../../src/cli/commands/trust.ts";
import { layout } from "../../../src/contract/layout.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { vendorCards } from "../../../src/operations/project/install.ts";
import { readLock } from "../../../src/project/lock.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { testHost } from "../../support/host.ts";
import { cloneOf, guardedProject, installed, trust, write } from "../../support/projects.ts";

test("in a clone on another machine `trust` fetches what card.lock names, and guards", async () => {
  const host = await installed({ hooks: { guard: { matcher: "Bash" } } });
  await vendorCards(host, { dryRun: false });
  const clone = testHost({ cwd: cloneOf(host) });
  expect(await runCommand(clone, Trust, "--yes")).toMatchObject({ exitCode: 0 });
  expect(readStatus(clone).guarding.ok).toBe(true);
});

test("a card that can't be fetched doesn't keep the others from being reviewed and written", async () => {
  const host = await installed({ hooks: { guard: { matcher: "Bash" } } }, { name: "@me/other", hooks: { guard: {} } });
  await vendorCards(host, { dryRun: false });
  const vendored = fs.readdirSync(path.join(host.cwd, ".agents/drwn/vendor"), { recursive: true });
  const other = vendored.map(String).find((name) => name.includes("other") && name.endsWith(".tgz")) ?? "";
  fs.rmSync(path.join(host.cwd, ".agents/drwn/vendor", other));
  const clone = testHost({ cwd: cloneOf(host) });
  const { exitCode, stdout, stderr } = await runCommand(clone, Trust, "--yes");
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining("in force: 1 hook policy of @me/backend@1.0.0")]);
  expect(stderr).toMatch(/^error: @me\/other@1\.0\.0 was not fetched, so this review was without it: .+ \[DRWN_/mu);
  expect(readStatus(clone).cards).toMatchObject([{ consent: { state: "active" } }, { consent: { state: "off" } }]);
  expect((await runCommand(clone, Status)).stdout).toMatch(/^Next: drwn install$/mu);

  fs.rmSync(path.join(clone.cwd, ".agents/drwn/vendor"), { recursive: true });
  const [nothing, cwd] = [testHost(), clone.cwd];
  expect(await runCommand({ ...nothing, cwd }, Trust, "--yes")).toMatchObject({ exitCode: 1, stdout: "" });
});

test("a guard in force whose card can't be fetched stays, and isn't said to have left card.lock", async () => {
  const host = await installed({ hooks: { guard: { matcher: "Bash" } } }, { name: "@me/other", hooks: { guard: {} } });
  await trust(host);
  await write(host);
  const { drwnHome: home, cwd } = host;
  const backend = readLock(cwd)?.cards.find(({ name }) => name === "@me/backend");
  for (const place of [path.join(layout.store(home), backend?.tree ?? "?"), layout.registry(home)])
    fs.renameSync(place, path.join(temporaryFolder(), "gone"));
  const { exitCode, stdout, stderr } = await runCommand(host, Trust, "--yes");
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining("in force: 1 hook policy of @me/backend@1.0.0")]);
  expect(stderr).not.toContain("card.lock");
});

test("`trust --json` has the lines of each review, before a yes and with it", async () => {
  const host = await installed({ hooks: { guard: { matcher: "Bash" } } });
  const said = [expect.stringMatching(/^1 hook policy of @me\/backend@1\.0\.0; may say no, and may rewrite$/u)];
  const before = JSON.parse((await runCommand(host, Trust, "--json")).stdout);
  expect(before.reviews).toMatchObject([{ card: "@me/backend", review: expect.arrayContaining(said) }]);
  const { stdout } = await runCommand(host, Trust, "--yes", "--json");
  expect(JSON.parse(stdout).cards).toMatchObject([{ card: "@me/backend", review: before.reviews[0].review }]);
});

test("`status` gives one reason for all the cards that it holds for", async () => {
  const host = await installed({ hooks: { guard: { matcher: "Bash" } } }, { name: "@me/other", hooks: { guard: {} } });
  const { stdout } = await runCommand(host, Status);
  expect(stdout).toContain("\n@me/backend@1.0.0, @me/other@1.0.0: nobody on this machine has consented");
});

test("`trust list` is answered with the flag, and a trust file that isn't there with how to make one", async () => {
  const host = await installed({ hooks: { guard: { matcher: "Bash" } } });
  expect((await runCommand(host, Trust, "list")).stderr).toMatch(/^hint: drwn .*--list$/mu);
  const { stderr } = await runCommand(host, TrustAccept, "--trust-file", "/nonexistent/trust.json");
  expect(stderr).toContain("hint: make it where you consented: drwn trust --export > trust.json\n");
});

test("where everything is in force, `install --frozen` asks for nothing more", async () => {
  const { stdout } = await runCommand(await guardedProject(), Install, "--frozen");
  expect(stdout).toBe("Already up to date\n");
});
