import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import type { Host } from "../../../src/kernel/host.ts";
import { listConsents, readConsentHistory } from "../../../src/operations/machine/consents.ts";
import { acceptTrustFile, exportConsents, requireDigest } from "../../../src/operations/machine/portable-consents.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { reviewConsent } from "../../../src/operations/project/trust.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { type TestHost, testHost } from "../../support/host.ts";
import { editJson, machineOf } from "../../support/machine-state.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { CARD, GUARD, guardedProject, installed, newProject, publish, trust, write } from "../../support/projects.ts";

/** Another machine with the same registry and a clone of the project, where nothing is consented to. */
async function buildMachine(of: TestHost): Promise<TestHost> {
  const ci = testHost({ env: { CI: "true" } });
  fs.cpSync(layout.registry(of.drwnHome), layout.registry(ci.drwnHome), { recursive: true });
  fs.cpSync(path.join(of.cwd, ".agents"), path.join(ci.cwd, ".agents"), { recursive: true });
  await installCards(ci, { frozen: true });
  return ci;
}

function trustFileOf(of: Host, host: TestHost, mode = 0o600): string {
  const file = path.join(machineOf(host), "trust.json");
  fs.writeFileSync(file, exportConsents(of).text);
  fs.chmodSync(file, mode);
  return file;
}

const standing = (host: Host) =>
  listConsents(host).consents.map(({ card, version, range, by, mode }) => [card, version, range, by, mode]);

describe("a machine without a person", () => {
  test("consents to nothing because it is one", async () => {
    const ci = await buildMachine(await guardedProject());
    const { plan } = await write(ci);
    expect(plan.policies).toEqual([]);
    expect(standing(ci)).toEqual([]);
  });
});

describe("a trust file", () => {
  test("carries consents to another machine, under their terms", async () => {
    const mine = newProject();
    await publish(mine);
    await addCards(mine, [CARD]);
    await trust(mine, { range: "^1.0.0" });
    const ci = await buildMachine(mine);
    const { accepted, passedOver } = await acceptTrustFile(ci, trustFileOf(mine, ci));
    expect(accepted).toMatchObject([{ card: CARD, version: "1.0.0" }]);
    expect(passedOver).toEqual([]);
    expect(standing(ci)).toEqual([[CARD, "1.0.0", "^1.0.0", "trust-file", "enforce"]]);
    expect((await write(ci)).plan.policies).toMatchObject([{ card: CARD, hook: "guard" }]);
    expect(readConsentHistory(ci, CARD).events).toMatchObject([{ what: "granted", by: "trust-file" }]);
  });

  test("brings the consent to a later version to a machine that has one to an earlier", async () => {
    const mine = await guardedProject();
    const ci = await buildMachine(mine);
    await acceptTrustFile(ci, trustFileOf(mine, ci));
    await publish(mine, { hooks: { guard: { matcher: "Bash" } }, version: "2.0.0" });
    await addCards(mine, [`${CARD}@^2.0.0`]);
    await trust(mine);
    fs.cpSync(layout.registry(mine.drwnHome), layout.registry(ci.drwnHome), { recursive: true });
    fs.cpSync(path.join(mine.cwd, ".agents"), path.join(ci.cwd, ".agents"), { recursive: true });
    await installCards(ci, { frozen: true });
    const { accepted, passedOver } = await acceptTrustFile(ci, trustFileOf(mine, ci));
    expect([accepted, passedOver]).toMatchObject([[{ card: CARD, version: "2.0.0" }], []]);
  });

  test("changes nothing where it says what is so, or what was withdrawn on that machine", async () => {
    const mine = await guardedProject();
    const ci = await buildMachine(mine);
    const file = trustFileOf(mine, ci);
    await acceptTrustFile(ci, file);
    expect((await acceptTrustFile(ci, file)).passedOver).toEqual([{ card: CARD, why: "consented-before" }]);
    await revokeConsent(ci, CARD);
    expect((await acceptTrustFile(ci, file)).passedOver).toEqual([{ card: CARD, why: "withdrawn-here" }]);
    expect(listConsents(ci).consents[0]?.revokedAt).not.toBeNull();
  });

  test.each<[string, string, (entry: Record<string, unknown>) => void]>([
    ["another content", "DRWN_CONSENT_MISMATCH", (one) => (one["tree"] = `drwn1-sha512-${"A".repeat(86)}`)],
    ["another source", "DRWN_CONSENT_MISMATCH", (one) => (one["source"] = "npm:https://evil.invalid/")],
    ["another publisher", "DRWN_CONSENT_MISMATCH", (one) => (one["publisher"] = `ed25519:${"A".repeat(43)}`)],
    ["a range for everything", "DRWN_RANGE_INVALID", (one) => (one["range"] = "*")],
    ["a range without the version", "DRWN_RANGE_EXCLUDES_VERSION", (one) => (one["range"] = "^2.0.0")],
    ["a mode that is none", "DRWN_FILE_INVALID", (one) => (one["mode"] = "anything")],
    ["a field that is none", "DRWN_FILE_INVALID", (one) => (one["yes"] = true)],
  ])("for %s is refused, and grants nothing", async (_, code, edit) => {
    const mine = await guardedProject();
    const ci = await buildMachine(mine);
    const file = trustFileOf(mine, ci);
    editJson<{ consents: Record<string, unknown>[] }>(file, ({ consents }) => consents.forEach(edit));
    expect((await problemOf(() => acceptTrustFile(ci, file))).code).toBe(code);
    expect(standing(ci)).toEqual([]);
  });

  test.each<[string, (ci: TestHost, file: string) => string]>([
    ["inside the project", (ci, file) => copyTo(file, path.join(ci.cwd, "trust.json"))],
    ["inside the project's own folder", (ci, file) => copyTo(file, path.join(ci.cwd, ".agents/drwn/trust-all.json"))],
    [
      "behind a link that leads into the project",
      (ci, file) => linkTo(copyTo(file, path.join(ci.cwd, "t.json")), `${file}.link`),
    ],
    ["writable by its group", (_, file) => withMode(file, 0o660)],
    ["writable by everybody", (_, file) => withMode(file, 0o606)],
    ["in a folder where everybody can write", (ci, file) => inOpenFolder(ci, file)],
    ["a folder", (ci) => machineOf(ci)],
    ["not there", (_, file) => `${file}.gone`],
  ])("that is %s is refused, and grants nothing", async (_, place) => {
    const mine = await guardedProject();
    const ci = await buildMachine(mine);
    const file = place(ci, trustFileOf(mine, ci));
    expect((await problemOf(() => acceptTrustFile(ci, file))).code).toBe("DRWN_TRUST_FILE_UNSAFE");
    expect(standing(ci)).toEqual([]);
  });
});

function copyTo(file: string, place: string): string {
  fs.copyFileSync(file, place);
  return place;
}

function linkTo(target: string, link: string): string {
  fs.symlinkSync(target, link);
  return link;
}

function withMode(file: string, mode: number): string {
  fs.chmodSync(file, mode);
  return file;
}

function inOpenFolder(host: TestHost, file: string): string {
  const folder = path.join(machineOf(host), "open");
  fs.mkdirSync(folder);
  fs.chmodSync(folder, 0o777);
  return copyTo(file, path.join(folder, "trust.json"));
}

describe("a digest on the command line", () => {
  test("is the content that is installed, or refused with both", async () => {
    const host = await installed(GUARD);
    const review = reviewConsent(host, { card: CARD, range: "installed" });
    expect(review.range).toBe("=1.0.0");
    requireDigest(review, review.tree);
    const other = `drwn1-sha512-${"A".repeat(86)}`;
    const problem = await problemOf(() => requireDigest(review, other));
    expect(problem.code).toBe("DRWN_CONSENT_MISMATCH");
    expect(textOf(problem)).toContain(other);
    expect(textOf(problem)).toContain(review.tree);
  });
});

test("a trust file is not accepted inside an agent's tool call", async () => {
  const mine = await guardedProject();
  const ci = await buildMachine(mine);
  const file = trustFileOf(mine, ci);
  const agent = { ...ci, env: { ...ci.env, CLAUDECODE: "1" } };
  expect((await problemOf(() => acceptTrustFile(agent, file))).code).toBe("DRWN_AGENT_SESSION");
  expect(standing(ci)).toEqual([]);
});
