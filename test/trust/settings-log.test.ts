import fs from "node:fs";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { sayIn } from "../../src/kernel/advice.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { readConsentHistory, setConsentSettings } from "../../src/operations/machine/consents.ts";
import { guardedProject } from "../support/projects.ts";

test("what something else than drwn changed stays apart from the log when a person sets anything else", async () => {
  const mine = { ...(await guardedProject()), isAtTerminal: true };
  const faults = async () => {
    const { findings } = await diagnoseProject(mine);
    return findings.flatMap(({ code, message }) =>
      code === "consent-settings-differ" ? [message.split(": ")[1]] : [],
    );
  };
  const settings = { version: 1, registries: {}, scopes: {}, consent: { releaseAgeHours: 0 } };
  fs.writeFileSync(layout.settings(mine.drwnHome), JSON.stringify(settings));
  const age = "the release age is not what was set";
  expect(await faults()).toEqual([age]);
  await setConsentSettings(mine, { terminal: true });
  expect(await faults()).toEqual([age]);
  expect(readConsentHistory(mine, undefined).machine).toMatchObject({
    broken: [],
    events: [{ terminal: true, releaseAgeHours: 72 }],
  });
  const { findings } = await diagnoseProject(mine);
  expect(
    findings.flatMap(({ code, hint }) =>
      code === "consent-settings-differ" ? [sayIn("project", hint ?? "").split(";")[0]] : [],
    ),
  ).toEqual(["if you set it, drwn trust settings --release-age 0"]);
  // As a person does who has set it so, with a drwn that kept no such log.
  await setConsentSettings(mine, { releaseAgeHours: 0 });
  expect(await faults()).toEqual([]);
});
