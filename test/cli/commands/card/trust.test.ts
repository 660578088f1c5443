import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import Add from "../../../../src/cli/commands/add.ts";
import CardTrust from "../../../../src/cli/commands/card/trust.ts";
import CardUntrust from "../../../../src/cli/commands/card/untrust.ts";
import Init from "../../../../src/cli/commands/init.ts";
import Pause from "../../../../src/cli/commands/pause.ts";
import Status from "../../../../src/cli/commands/status.ts";
import TrustAccept from "../../../../src/cli/commands/trust/accept.ts";
import Trust from "../../../../src/cli/commands/trust.ts";
import { layout } from "../../../../src/contract/layout.ts";
import { pauseProject } from "../../../../src/operations/project/pause.ts";
import { reviewConsent } from "../../../../src/operations/project/trust.ts";
import { type CommandClass, runCommand } from "../../../support/cli.ts";
import { testHost } from "../../../support/host.ts";
import { openProjectKey } from "../../../support/machine-state.ts";
import { CARD, GUARD, guardedProject, installed } from "../../../support/projects.ts";

async function askingProject() {
  const host = await installed(GUARD);
  const requests = { [CARD]: { hooks: "^1.0.0" }, "@me/gone": { hooks: "^2.0.0" } };
  fs.writeFileSync(path.join(host.cwd, ".agents/drwn/trust.json"), JSON.stringify({ version: 1, requests }));
  return host;
}

describe("what a user reads", () => {
  test("`trust accept` reviews each request, consents to what is installed, and names what is not", async () => {
    const host = await askingProject();
    const listed = await runCommand(host, Trust, "--list");
    expect(listed.stdout).toContain(`${CARD} is asked for in the range ^1.0.0\n`);
    expect(listed.stdout).toContain("@me/gone is asked for in the range ^2.0.0, and is not in card.lock");
    const unanswered = await runCommand(host, TrustAccept);
    expect(unanswered.exitCode).toBe(1);
    expect(unanswered.stderr).toContain("DRWN_CONSENT_NEEDED");
    const accepted = await runCommand(host, TrustAccept, "--yes");
    expect(accepted.stderr).toContain(`1 hook policy of ${CARD}@1.0.0`);
    expect(accepted.stderr).toContain("@me/gone is asked for, and is not in card.lock");
    expect(accepted.stdout.split("\n")).toEqual([
      `Consented to the hook policies of ${CARD} in the range ^1.0.0`,
      expect.stringMatching(/^NOT GUARDED in Claude Code: .* is not written yet\. Run: drwn write$/u),
      "Next: drwn write",
      "",
    ]);
    expect((await runCommand(host, TrustAccept, "--yes")).stdout).toBe(
      "You have granted everything that is asked for\n",
    );
  });

  test("`card trust --digest` takes the content for the yes, and refuses another one", async () => {
    const host = await askingProject();
    const { tree } = reviewConsent(host, { card: CARD, range: null });
    const other = await runCommand(host, CardTrust, CARD, "--hooks", "--digest", tree.replace(/.$/u, "_"));
    expect(other.stderr).toContain("DRWN_CONSENT_MISMATCH");
    const right = await runCommand(host, CardTrust, CARD, "--hooks", "--digest", tree, "--json");
    expect(JSON.parse(right.stdout)).toMatchObject({ card: CARD, range: "=1.0.0", tree });
    expect((await runCommand(host, Trust, CARD)).stdout).toContain("approved    1.0.0 by digest");
  });

  test("`card trust` means the hooks without --hooks, and `card untrust` too", async () => {
    const host = await askingProject();
    const flagged = await runCommand(host, CardTrust, CARD, "--hooks", "--yes", "--json");
    expect((await runCommand(host, CardUntrust, CARD)).stdout).toBe(`The hook policies of ${CARD} are silent now\n`);
    const plain = await runCommand(host, CardTrust, CARD, "--yes", "--json");
    expect(JSON.parse(plain.stdout)).toEqual(JSON.parse(flagged.stdout));
  });

  test.each<[string, CommandClass]>([
    ["trust", Trust],
    ["card trust", CardTrust],
  ])("`%s` alone reviews what waits, and consents and writes with a yes", async (_, Command) => {
    const host = await askingProject();
    const refused = await runCommand(host, Command);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining("[DRWN_CONSENT_NEEDED]")]);
    expect(refused.stderr).toContain(`1 hook policy of ${CARD}@1.0.0; may say no`);
    expect(refused.stderr).toContain("then: drwn trust --yes\n");
    const consented = await runCommand(host, Command, "--yes", "--no-write");
    expect(consented.stdout).toMatch(/^Consented to .*\nNOT GUARDED .*\nNext: drwn write\n$/u);
    const written = await runCommand(host, Command, "--yes");
    expect([written.exitCode, written.stdout]).toEqual([0, expect.stringMatching(/^Guarded: Claude Code$/mu)]);
    expect((await runCommand(host, Status, "--check")).exitCode).toBe(0);
  });

  test("`trust` says what waits, or that nothing does", async () => {
    const host = testHost();
    await runCommand(host, Init);
    for (const flags of [[], ["--yes"], ["--list"]])
      expect((await runCommand(host, Trust, ...flags)).stdout).toBe("No card waits for your consent\n");
    const added = await runCommand(host, Add, "@drwn/git", "@drwn/tests");
    expect(added.stdout.split("\n").slice(2)).toEqual([
      "4 hook policies of @drwn/git wait for your consent",
      "2 hook policies of @drwn/tests wait for your consent",
      "Next: drwn trust",
      "",
    ]);
    const listed = await runCommand(host, Trust, "--list");
    expect([listed.stdout, listed.stderr]).toEqual([
      "Waiting for your consent: @drwn/git, @drwn/tests\n",
      "Next: drwn trust\n",
    ]);
  });

  test("`trust --export` prints one document, with and without --json", async () => {
    const host = await guardedProject();
    const [plain, json] = [
      await runCommand(host, Trust, "--export"),
      await runCommand(host, Trust, "--export", "--json"),
    ];
    expect(JSON.parse(plain.stdout)).toEqual(JSON.parse(json.stdout));
    expect(JSON.parse(plain.stdout)).toMatchObject({ version: 1, consents: [{ card: CARD, version: "1.0.0" }] });
  });

  test("`trust --log` exits with 3 when a line was edited", async () => {
    const host = await guardedProject();
    const sound = await runCommand(host, Trust, "--log");
    expect(sound.exitCode).toBe(0);
    expect(sound.stdout).toMatch(/granted {2}@me\/backend@1\.0\.0 {2}by person/u);
    const file = layout.consentLog(host.drwnHome, openProjectKey(host));
    fs.appendFileSync(file, fs.readFileSync(file));
    const edited = await runCommand(host, Trust, "--log");
    expect(edited.exitCode).toBe(3);
    expect(edited.stderr).toContain("1 line of the log: 2");
  });

  test("a pause is refused without a terminal, shown while it lasts, and ended with --end", async () => {
    const host = await guardedProject();
    const refused = await runCommand(host, Pause, "--minutes", "5");
    expect(refused.stderr).toContain("DRWN_TERMINAL_NEEDED");
    await pauseProject({ ...host, now: () => new Date(), isAtTerminal: true }, 5);
    expect((await runCommand(host, Status)).stdout).toContain("are paused until ");
    expect((await runCommand(host, Trust)).stdout).toContain("Paused until ");
    expect((await runCommand(host, Pause, "--end")).stdout).toBe("The hook policies of this project run again\n");
    expect((await runCommand(host, Pause, "--end")).stdout).toBe("Nothing was paused\n");
  });
});
