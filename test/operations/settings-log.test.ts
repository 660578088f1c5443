import fs from "node:fs";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { setConsentSettings } from "../../src/operations/machine/consent-settings.ts";
import { readConsentHistory } from "../../src/operations/machine/consents.ts";
import { forgetKey } from "../../src/operations/machine/forget-key.ts";
import { listKeys, newKey, trustSigner } from "../../src/operations/machine/keys.ts";
import { writeSigners } from "../../src/trust/keys/signers.ts";
import { problemOf } from "../support/problems.ts";
import { guardedProject } from "../support/projects.ts";

test("what something else than drwn changed stays apart from the log when a person sets anything else", async () => {
  const mine = { ...(await guardedProject()), isAtTerminal: true };
  const { publisher } = await newKey(mine, { scope: "@acme", rotate: false });
  const faults = async () => {
    const { findings } = await diagnoseProject(mine);
    return findings.flatMap(({ code, message }) =>
      code === "consent-settings-differ" ? [message.split(": ")[1]] : [],
    );
  };
  const settings = { version: 1, registries: {}, scopes: {}, consent: { releaseAgeHours: 0 } };
  fs.writeFileSync(layout.settings(mine.drwnHome), JSON.stringify(settings));
  writeSigners(mine.drwnHome, { "@you": [publisher] }, () => undefined);
  const age = "the release age is not what was set";
  const keys = `consents to @you may be signed with ${publisher}, which nobody entered`;
  await trustSigner(mine, { key: publisher, for: "@me" });
  expect(await faults()).toEqual([age, keys]);
  expect(listKeys(mine).consents).toEqual(["@you", "@me"].map((one) => ({ for: one, signers: [publisher] })));
  await setConsentSettings(mine, { terminal: true });
  expect(await faults()).toEqual([age, keys]);
  const { findings } = await diagnoseProject(mine);
  expect(
    findings.flatMap(({ code, hint }) => (code === "consent-settings-differ" ? [hint?.split(";")[0]] : [])),
  ).toEqual([
    "if you set it, drwn trust settings --release-age 0",
    `if you entered it, drwn key trust ${publisher} @you --consents`,
  ]);
  // As a person does who has set it so, with a drwn that kept no such log.
  await setConsentSettings(mine, { releaseAgeHours: 0 });
  await trustSigner(mine, { key: publisher, for: "@you" });
  expect(await faults()).toEqual([]);
});

test("whose signed consents a machine takes is in the log of its settings, can be taken back, and is compared by doctor", async () => {
  const mine = await guardedProject();
  const { publisher: signer } = await newKey(mine, { scope: "@acme", rotate: false });
  const apart = async () => {
    const { findings } = await diagnoseProject(mine);
    return findings.flatMap(({ code, message }) => (code === "consent-settings-differ" ? [message] : []));
  };
  await trustSigner(mine, { key: signer, for: "@me" });
  await trustSigner(mine, { key: signer, for: "@me" });
  const { machine } = readConsentHistory(mine, undefined);
  expect(machine).toMatchObject({ broken: [], events: [{ signers: { "@me": [signer] } }] });
  expect(await apart()).toEqual([]);
  writeSigners(mine.drwnHome, { "@me": [signer], "@you": [signer] }, () => undefined);
  expect(await apart()).toEqual([expect.stringContaining("which nobody entered")]);
  for (const one of ["@me", "@you"]) {
    const request = { for: one, key: null, consents: true };
    expect(await forgetKey(mine, request)).toEqual({ for: one, forgotten: [signer], remaining: [] });
    expect((await problemOf(() => forgetKey(mine, request))).code).toBe("DRWN_KEY_UNKNOWN");
  }
  expect(await apart()).toEqual([]);
  await trustSigner(mine, { key: signer, for: "@me" });
  writeSigners(mine.drwnHome, {}, () => undefined);
  expect(await apart()).toEqual([expect.stringContaining("which nobody took back")]);
  fs.writeFileSync(layout.signers(mine.drwnHome), "{");
  const { ok, findings } = await diagnoseProject(mine);
  expect([ok, findings.filter(({ message }) => message.includes("signers.json")).length]).toEqual([false, 1]);
});
