import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { rotateKey } from "../../../src/card/signing/signature.ts";
import { layout } from "../../../src/contract/layout.ts";
import { packCard, publishCard } from "../../../src/operations/author/publish.ts";
import { exportKey, listKeys, newKey, trustKey } from "../../../src/operations/machine/keys.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { reviewConsent } from "../../../src/operations/project/trust.ts";
import { openDefaultRegistry } from "../../../src/project/fetch/fetch-card.ts";
import { readLock, writeLock } from "../../../src/project/lock.ts";
import { readJoinFacts } from "../../../src/project/open/join-facts.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { decideActivations } from "../../../src/write/plan/activations.ts";
import { packedCard, sourceWith } from "../../support/cards.ts";
import { type TestHost, testHost } from "../../support/host.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { lockedVersions, newSigner, projectWith, publish, type Signer, trust } from "../../support/projects.ts";

const NAME = "@me/backend";
const GUARD = { hooks: { guard: {} } };

/** A project that has 1.0.0 installed, signed by `signer`. */
async function signedProject(): Promise<{ host: TestHost; signer: Signer }> {
  const host = await projectWith();
  const signer = newSigner();
  await publish(host, GUARD, signer);
  await addCards(host, [NAME]);
  return { host, signer };
}

function successorOf({ key, rotations }: Signer): Signer {
  const next = newSigner();
  return { key: next.key, rotations: [...rotations, rotateKey(key, next.key.publisher)] };
}

describe("adding a signed card", () => {
  test("locks its publisher, pins the key, and shows it in the review", async () => {
    const { host, signer } = await signedProject();
    expect(readLock(host.cwd)?.cards).toMatchObject([{ name: NAME, publisher: signer.key.publisher }]);
    expect(listKeys(host).cards).toEqual([{ card: NAME, publisher: signer.key.publisher, former: [] }]);
    expect(reviewConsent(host, { card: NAME, range: null }).publisher).toBe(signer.key.publisher);
  });

  test("takes a successor of the same key, and one of a key that it named", async () => {
    const { host, signer } = await signedProject();
    await publish(host, { ...GUARD, version: "1.0.1" }, signer);
    await addCards(host, [NAME]);
    const next = successorOf(signer);
    await publish(host, { ...GUARD, version: "1.0.2" }, next);
    await addCards(host, [NAME]);
    expect(lockedVersions(host)).toEqual([`${NAME}@1.0.2`]);
    expect(listKeys(host).cards).toEqual([
      { card: NAME, publisher: next.key.publisher, former: [signer.key.publisher] },
    ]);
  });

  test.each<[string, Signer | undefined, string]>([
    ["that is not signed", undefined, "DRWN_SIGNATURE_MISSING"],
    ["that somebody else signed", newSigner(), "DRWN_SIGNATURE_FOREIGN"],
  ])("stops at a successor %s, and changes nothing", async (_, other, code) => {
    const { host } = await signedProject();
    await publish(host, { ...GUARD, version: "1.0.1" }, other);
    const keys = listKeys(host);
    expect((await problemOf(() => addCards(host, [NAME]))).code).toBe(code);
    expect(lockedVersions(host)).toEqual([`${NAME}@1.0.0`]);
    expect(listKeys(host)).toEqual(keys);
  });

  test("goes on with another key once a person has entered it, with the command that the problem names", async () => {
    const { host } = await signedProject();
    const other = newSigner();
    await publish(host, { ...GUARD, version: "1.0.1" }, other);
    const { hint = "" } = await problemOf(() => addCards(host, [NAME]));
    const [, key = "", card = ""] = /drwn key trust (\S+) (\S+)$/u.exec(hint) ?? [];
    await trustKey(host, { key, for: card });
    await addCards(host, [NAME]);
    expect(lockedVersions(host)).toEqual([`${NAME}@1.0.1`]);
  });

  test("asks for the scope's key from the first card on, where a person has entered one", async () => {
    const host = await projectWith({ name: "@me/plain" });
    const signer = newSigner();
    await publish(host, GUARD, signer);
    await trustKey(host, { key: signer.key.publisher, for: "@me" });
    expect((await problemOf(() => addCards(host, ["@me/plain"]))).code).toBe("DRWN_SIGNATURE_MISSING");
    await addCards(host, [NAME]);
    expect(lockedVersions(host)).toEqual([`${NAME}@1.0.0`]);
  });

  test("leaves no pin when another card of the same command is refused", async () => {
    const host = await projectWith();
    await publish(host, GUARD, newSigner());
    await problemOf(() => addCards(host, [NAME, "@me/none"]));
    expect(listKeys(host).cards).toEqual([]);
  });

  test("refuses a stripped signature, where the registry's record names the publisher", async () => {
    const host = await projectWith();
    await publish(host, GUARD, newSigner());
    await swapTarball(host, await packedCard(GUARD));
    expect((await problemOf(() => addCards(host, [NAME]))).code).toBe("DRWN_SIGNATURE_INVALID");
  });

  test("refuses the signature of another publisher than the registry's record names", async () => {
    const host = await projectWith();
    await publish(host, GUARD, newSigner());
    const record = path.join(layout.registry(host.drwnHome), "cards", NAME, "1.0.0.json");
    edit(record, { publisher: newSigner().key.publisher });
    const { code, message } = await problemOf(() => addCards(host, [NAME]));
    expect([code, message]).toEqual(["DRWN_SIGNATURE_INVALID", expect.stringContaining("by somebody other")]);
  });
});

describe("installing from a lock", () => {
  test("fetches a signature that is gone, and verifies it", async () => {
    const { host } = await signedProject();
    fs.rmSync(path.join(host.drwnHome, "signatures"), { recursive: true });
    expect((await problemOf(() => reviewConsent(host, { card: NAME, range: null }))).hint).toBe("drwn install");
    await installCards(host, { frozen: true });
    expect(reviewConsent(host, { card: NAME, range: null }).publisher).toMatch(/^ed25519:/u);
  });

  test("goes on with what was locked before the publisher changed keys", async () => {
    const { host, signer } = await signedProject();
    await publish(host, { ...GUARD, version: "1.0.1" }, successorOf(signer));
    const other = host.at(fs.mkdtempSync(path.join(host.home, "project-")));
    copyProject(host, other);
    await addCards(host, [NAME]);
    await installCards(other, { frozen: true });
    expect(lockedVersions(other)).toEqual([`${NAME}@1.0.0`]);
  });

  test.each<[string, string | null, string]>([
    ["claims to be signed by somebody else", newSigner().key.publisher, "DRWN_SIGNATURE_FOREIGN"],
    ["claims not to be signed", null, "DRWN_SIGNATURE_MISSING"],
  ])("refuses a lock that %s", async (_, publisher, code) => {
    const { host } = await signedProject();
    const lock = readLock(host.cwd);
    writeLock(host.cwd, { lockfileVersion: 1, cards: (lock?.cards ?? []).map((card) => ({ ...card, publisher })) });
    expect((await problemOf(() => installCards(host, { frozen: true }))).code).toBe(code);
  });
});

describe("a consent", () => {
  const activation = (host: TestHost) => {
    const { lock, ledger } = openProject(host);
    return decideActivations(lock.cards, ledger, readJoinFacts(host))[0]?.activation;
  };

  test("is for the publisher: a version of the same key joins", async () => {
    const { host, signer } = await signedProject();
    await trust(host);
    await publish(host, { ...GUARD, version: "1.0.1" }, signer);
    await addCards(host, [NAME]);
    expect(activation(host)).toEqual({ state: "joins" });
  });

  test("waits for a person when the publisher has changed keys, and the review names both", async () => {
    const { host, signer } = await signedProject();
    await trust(host);
    const next = successorOf(signer);
    await publish(host, { ...GUARD, version: "1.0.1" }, next);
    await addCards(host, [NAME]);
    const [from, to] = [signer.key.publisher, next.key.publisher];
    expect(activation(host)).toMatchObject({
      state: "waits",
      approval: { cardVersion: "1.0.0" },
      why: { because: "publisher", from, to },
    });
    expect(reviewConsent(host, { card: NAME, range: null })).toMatchObject({ publisher: to, formerPublisher: from });
    await trust(host);
    expect(activation(host)).toMatchObject({ state: "active", approval: { cardVersion: "1.0.1" } });
  });

  test("to an unsigned card waits when it comes signed", async () => {
    const host = await projectWith(GUARD);
    await addCards(host, [NAME]);
    await trust(host);
    const { key, rotations } = newSigner();
    await publish(host, { ...GUARD, version: "1.0.1" }, { key, rotations });
    await addCards(host, [NAME]);
    expect(activation(host)).toMatchObject({ state: "waits", why: { from: null, to: key.publisher } });
  });
});

describe("a publisher's own key", () => {
  test("signs what is packed and published, without being named", async () => {
    const host = testHost();
    const { publisher, file } = await newKey(host, { scope: "@me", rotate: false });
    expect((fs.statSync(file).mode & 0o777).toString(8)).toBe("600");
    const published = await publishCard(host, { source: sourceWith(), key: null, dryRun: false });
    expect(published.publisher).toBe(publisher);
    expect(await openDefaultRegistry(host).versions(NAME)).toMatchObject([{ publisher }]);
  });

  test("is made once for a scope, and replaced by a statement of the former one", async () => {
    const host = testHost();
    const first = await newKey(host, { scope: "@me", rotate: false });
    expect((await problemOf(() => newKey(host, { scope: "@me", rotate: false }))).code).toBe("DRWN_KEY_EXISTS");
    const second = await newKey(host, { scope: "@me", rotate: true });
    expect(second.replaces).toEqual([first.publisher]);
    expect(listKeys(host).own).toMatchObject([{ scope: "@me", publisher: second.publisher }]);
    const { publisher } = await publishCard(host, { source: sourceWith(), key: null, dryRun: false });
    expect(publisher).toBe(second.publisher);
  });

  test("cannot replace a key that is not there", async () => {
    expect((await problemOf(() => newKey(testHost(), { scope: "@me", rotate: true }))).code).toBe("DRWN_KEY_MISSING");
  });

  test("goes to another machine as a file, which signs there", async () => {
    const [laptop, builder] = [testHost(), testHost()];
    const { publisher } = await newKey(laptop, { scope: "@me", rotate: false });
    expect(exportKey(laptop, { scope: "@me", secret: false })).toMatchObject({ publisher, keyFile: null });
    const { keyFile } = exportKey(laptop, { scope: "@me", secret: true });
    fs.writeFileSync(path.join(builder.cwd, "me.key"), keyFile ?? "", { mode: 0o600 });
    const published = await publishCard(builder, { source: sourceWith(), key: "me.key", dryRun: false });
    expect(published.publisher).toBe(publisher);
  });

  test.each<[string, (file: string) => void, string]>([
    ["others can read", (file) => fs.chmodSync(file, 0o640), "DRWN_KEY_INVALID"],
    ["has the secret of another key", (file) => edit(file, { secret: newSigner().key.secret }), "DRWN_KEY_INVALID"],
    ["has something more", (file) => edit(file, { note: "mine" }), "DRWN_FILE_INVALID"],
    ["is no JSON", (file) => fs.writeFileSync(file, "secret"), "DRWN_FILE_INVALID"],
    ["is for another scope", (file) => edit(file, { scope: "@you" }), "DRWN_KEY_INVALID"],
  ])("is refused when its file %s", async (_, spoil, code) => {
    const host = testHost();
    const { file } = await newKey(host, { scope: "@me", rotate: false });
    spoil(file);
    const problem = await problemOf(() => packCard(host, { source: sourceWith(), key: file }));
    expect(problem.code).toBe(code);
    expect(textOf(problem)).not.toContain(exportedSecret(file));
  });

  test("is not looked for in a device, whose mode nobody is told to change", async () => {
    const problem = await problemOf(() => packCard(testHost(), { source: sourceWith(), key: "/dev/null" }));
    expect(problem.code).toBe("DRWN_KEY_INVALID");
    expect(textOf(problem)).not.toContain("chmod");
  });

  test.each(["me", "@me/backend", "@ME", "../me", ""])("is not made for %j, which isn't a scope", async (scope) => {
    expect((await problemOf(() => newKey(testHost(), { scope, rotate: false }))).code).toBe("DRWN_NAME_INVALID");
  });

  test.each(["ed25519:", "rsa:x", `ed25519:${"A".repeat(44)}`, `ed25519:${"A".repeat(42)}B`])(
    "%j cannot be trusted: it is no key",
    async (key) => {
      expect((await problemOf(() => trustKey(testHost(), { key, for: "@me" }))).code).toBe("DRWN_KEY_INVALID");
    },
  );

  test("must not be left out, or exchanged, by who publishes the next version", async () => {
    const host = testHost();
    const source = sourceWith();
    await newKey(host, { scope: "@me", rotate: false });
    await publishCard(host, { source, key: null, dryRun: false });
    edit(path.join(source, "card.json"), { version: "1.0.1" });
    fs.renameSync(layout.ownKey(host.drwnHome, "@me"), path.join(host.home, "me.key"));
    const publish = () => publishCard(host, { source, key: null, dryRun: true });
    expect((await problemOf(publish)).code).toBe("DRWN_SIGNATURE_MISSING");
    await newKey(host, { scope: "@me", rotate: false });
    expect((await problemOf(publish)).code).toBe("DRWN_SIGNATURE_FOREIGN");
    const key = path.join(host.home, "me.key");
    expect(await publishCard(host, { source, key, dryRun: false })).toMatchObject({ version: "1.0.1" });
  });
});

function edit(file: string, fields: object): void {
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, "utf8")), ...fields }));
}

function exportedSecret(file: string): string {
  const secret = /"secret":\s*"([^"]+)"/u.exec(fs.readFileSync(file, "utf8"))?.[1];
  return secret ?? "no secret in this file";
}

function copyProject(from: TestHost, to: TestHost): void {
  fs.cpSync(path.join(from.cwd, ".agents"), path.join(to.cwd, ".agents"), { recursive: true });
}

/** Puts other bytes in the place of the published ones, and a record that names these bytes and all else as it was. */
async function swapTarball(
  host: TestHost,
  { tarball, integrity }: Awaited<ReturnType<typeof packedCard>>,
): Promise<void> {
  const registry = layout.registry(host.drwnHome);
  const record = path.join(registry, "cards", NAME, "1.0.0.json");
  edit(record, { integrity });
  const content = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
  fs.writeFileSync(path.join(registry, "blobs", `${content}.tgz`), tarball);
}
