import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import CardTrust from "../../src/cli/commands/card/trust.ts";
import Pause from "../../src/cli/commands/pause.ts";
import Resume from "../../src/cli/commands/resume.ts";
import Status from "../../src/cli/commands/status.ts";
import TrustAccept from "../../src/cli/commands/trust/accept.ts";
import TrustExport from "../../src/cli/commands/trust/export.ts";
import TrustList from "../../src/cli/commands/trust/list.ts";
import TrustLog from "../../src/cli/commands/trust/log.ts";
import TrustShow from "../../src/cli/commands/trust/show.ts";
import { layout } from "../../src/contract/layout.ts";
import { pauseProject } from "../../src/operations/pause.ts";
import { reviewConsent } from "../../src/operations/trust.ts";
import { runCommand } from "../support/cli.ts";
import { openProjectKey } from "../support/machine-state.ts";
import { CARD, GUARD, guardedProject, installed } from "../support/projects.ts";

async function askingProject() {
  const host = await installed(GUARD);
  const requests = { [CARD]: { hooks: "^1.0.0" }, "@me/gone": { hooks: "^2.0.0" } };
  fs.writeFileSync(path.join(host.cwd, ".agents/drwn/trust.json"), JSON.stringify({ version: 1, requests }));
  return host;
}

describe("what a user reads", () => {
  test("`trust accept` reviews each request, consents to what is installed, and names what is not", async () => {
    const host = await askingProject();
    const listed = await runCommand(host, TrustList);
    expect(listed.stdout).toContain(`${CARD} is asked for in the range ^1.0.0\n`);
    expect(listed.stdout).toContain("@me/gone is asked for in the range ^2.0.0, and is not in card.lock");
    const unanswered = await runCommand(host, TrustAccept);
    expect(unanswered.exitCode).toBe(1);
    expect(unanswered.stderr).toContain("DRWN_CONSENT_NEEDED");
    const accepted = await runCommand(host, TrustAccept, "--yes");
    expect(accepted.stderr).toContain(`1 hook policy of ${CARD}@1.0.0`);
    expect(accepted.stderr).toContain("@me/gone is asked for, and is not in card.lock");
    expect(accepted.stdout).toBe(`Consented to the hook policies of ${CARD} in the range ^1.0.0\nNext: drwn write\n`);
    expect((await runCommand(host, TrustAccept, "--yes")).stdout).toBe(
      "Nothing is asked for that you have not granted\n",
    );
  });

  test("`card trust --digest` takes the content for the yes, and refuses another one", async () => {
    const host = await askingProject();
    const { tree } = reviewConsent(host, { card: CARD, range: null });
    const other = await runCommand(host, CardTrust, CARD, "--hooks", "--digest", tree.replace(/.$/u, "_"));
    expect(other.stderr).toContain("DRWN_CONSENT_MISMATCH");
    const right = await runCommand(host, CardTrust, CARD, "--hooks", "--digest", tree, "--json");
    expect(JSON.parse(right.stdout)).toMatchObject({ card: CARD, range: "=1.0.0", tree });
    expect((await runCommand(host, TrustShow, CARD)).stdout).toContain("approved    1.0.0 by digest");
  });

  test("`trust export` prints one document, with and without --json", async () => {
    const host = await guardedProject();
    const [plain, json] = [await runCommand(host, TrustExport), await runCommand(host, TrustExport, "--json")];
    expect(JSON.parse(plain.stdout)).toEqual(JSON.parse(json.stdout));
    expect(JSON.parse(plain.stdout)).toMatchObject({ version: 1, consents: [{ card: CARD, version: "1.0.0" }] });
  });

  test("`trust log` exits with 3 when a line was edited", async () => {
    const host = await guardedProject();
    const sound = await runCommand(host, TrustLog);
    expect(sound.exitCode).toBe(0);
    expect(sound.stdout).toMatch(/granted {2}@me\/backend@1\.0\.0 {2}by person/u);
    const file = layout.consentLog(host.drwnHome, openProjectKey(host));
    fs.appendFileSync(file, fs.readFileSync(file));
    const edited = await runCommand(host, TrustLog);
    expect(edited.exitCode).toBe(3);
    expect(edited.stderr).toContain("1 line of the log: 2");
  });

  test("a pause is refused without a terminal, shown while it lasts, and ended by `resume`", async () => {
    const host = await guardedProject();
    const refused = await runCommand(host, Pause, "--minutes", "5");
    expect(refused.stderr).toContain("DRWN_TERMINAL_NEEDED");
    await pauseProject({ ...host, now: () => new Date(), isAtTerminal: true }, 5);
    expect((await runCommand(host, Status)).stdout).toContain("Paused until ");
    expect((await runCommand(host, TrustList)).stdout).toContain("Paused until ");
    expect((await runCommand(host, Resume)).stdout).toBe("The hook policies of this project run again\n");
    expect((await runCommand(host, Resume)).stdout).toBe("Nothing was paused\n");
  });
});
