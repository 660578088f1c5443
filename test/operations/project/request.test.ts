import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import CardUntrust from "../../../src/cli/commands/card/untrust.ts";
import Install from "../../../src/cli/commands/install.ts";
import TrustAccept from "../../../src/cli/commands/trust/accept.ts";
import TrustRequest from "../../../src/cli/commands/trust/request.ts";
import Write from "../../../src/cli/commands/write.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { withdrawRequest } from "../../../src/operations/project/request.ts";
import { reviewConsent } from "../../../src/operations/project/trust.ts";
import { readTrustRequest } from "../../../src/project/trust-request.ts";
import { runCommand } from "../../support/cli.ts";
import type { TestHost } from "../../support/host.ts";
import { machineOf } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, GUARD, installed, publish, trust } from "../../support/projects.ts";

function git(cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", stdio: "pipe" });
}

/** A teammate's clone of a project that asks for `range`, on the same machine. */
async function teammate(range: string): Promise<TestHost> {
  const host = await installed(GUARD);
  await runCommand(host, TrustRequest, CARD, "--range", range);
  git(host.cwd, "init", "-q");
  git(host.cwd, "add", ".");
  git(host.cwd, "commit", "-q", "-m", "first");
  const folder = path.join(machineOf(host), "clone");
  git(machineOf(host), "clone", "-q", host.cwd, folder);
  return host.at(folder);
}

describe("what the project asks for", () => {
  test.each([
    ["at a desk", {}],
    ["in CI", { CI: "true" }],
  ])("stays as it is committed %s, whatever a teammate does with the own consents", async (_, env) => {
    const mate = await teammate("^1.0.0");
    const host = { ...mate, env: { ...mate.env, ...env } };
    const { tree } = reviewConsent(host, { card: CARD, range: null });
    const commands: Parameters<typeof runCommand>[] = [
      [host, Install],
      [host, TrustAccept, "--yes"],
      [host, Write],
      [host, CardUntrust, CARD],
      [host, CardTrust, CARD, "--range", "=1.0.0", "--yes"],
      [host, CardTrust, CARD, "--range", "^1.0.0 || ^2.0.0", "--yes"],
      [host, CardUntrust, CARD],
      [host, CardTrust, CARD, "--digest", tree],
      [host, Write],
      [host, Install, "--frozen"],
      [host, TrustAccept, "--yes"],
      [host, Write, "--check"],
    ];
    for (const command of commands) {
      expect((await runCommand(...command)).exitCode).toBe(0);
      expect(git(host.cwd, "status", "--porcelain")).toBe("");
    }
  });

  test("gets the card that nobody was asked for yet, in the range of the first consent", async () => {
    const host = await installed(GUARD);
    await trust(host, { range: "^1.0.0" });
    await trust(host, { range: "=1.0.0" });
    expect(readTrustRequest(host.cwd).requests).toEqual({ [CARD]: { hooks: "^1.0.0" } });
  });

  test("gets nothing from a consent that a machine was given as a digest", async () => {
    const host = await installed(GUARD);
    await runCommand(host, CardTrust, CARD, "--digest", reviewConsent(host, { card: CARD, range: null }).tree);
    expect(readTrustRequest(host.cwd).requests).toEqual({});
  });

  test("is changed and withdrawn on purpose, beside what is asked of other cards", async () => {
    const host = await installed(GUARD);
    await publish(host, { ...GUARD, name: "@me/two" });
    await addCards(host, ["@me/two"]);
    await runCommand(host, TrustRequest, "@me/two");
    await runCommand(host, TrustRequest, CARD);
    const changed = await runCommand(host, TrustRequest, CARD, "--range", "^1.0.0 || ^2.0.0");
    expect(changed.stdout).toBe(`The project asks its users to consent to ${CARD} ^1.0.0 || ^2.0.0, formerly ^1.0.0\n`);
    await runCommand(host, TrustRequest, "@me/two", "--withdraw");
    expect(readTrustRequest(host.cwd).requests).toEqual({ [CARD]: { hooks: "^1.0.0 || ^2.0.0" } });
  });

  test("is not changed by an agent", async () => {
    const host = await installed(GUARD);
    await trust(host);
    const before = fs.readFileSync(path.join(host.cwd, ".agents/drwn/trust.json"));
    const agent = { ...host, env: { ...host.env, CLAUDECODE: "1" } };
    expect((await problemOf(() => withdrawRequest(agent, CARD))).code).toBe("DRWN_AGENT_SESSION");
    expect(fs.readFileSync(path.join(host.cwd, ".agents/drwn/trust.json"))).toEqual(before);
  });
});
