import { describe, expect, test } from "vitest";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readConsentHistory } from "../../src/operations/machine/consents.ts";
import { guardedProject } from "../support/projects.ts";
import { callTool } from "./machine.ts";
import { EDITS, expectSeen, ledgerWith } from "./own-guard.ts";

// One of each outcome. All of them are a sweep: test/sweeps/adversary.test.ts.
const comesTo = EDITS.map(({ call, doctor }) => `${call} ${doctor}`);
const chosen = EDITS.filter((_, at) => comesTo.indexOf(comesTo[at] ?? "") === at);

describe("an agent that", () => {
  test.each(chosen.map((one) => [one.what, one] as const))("%s is stopped, or doctor says so", (_, one) =>
    expectSeen(one),
  );

  test("revokes the consent by an edit of the ledger gets silence, and the consent log has no word of it", async () => {
    const host = await guardedProject();
    ledgerWith(host, (ledger) => {
      for (const grant of ledger.grants) grant.revokedAt = "2026-03-01T12:00:00.000Z";
    });
    expect(callTool(host)).toBe("silence");
    expect(readConsentHistory(host, undefined).events.map(({ what }) => what)).toEqual(["granted"]);
    const { findings } = await diagnoseProject(host);
    expect(findings.map(({ code }) => code)).toContain("consent-log-differs");
  });
});
