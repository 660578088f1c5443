import { describe, expect, test } from "vitest";
import KeyTrust from "../../../src/cli/commands/key/trust.ts";
import { findForgettable, forgetKey, listKeys, trustKey } from "../../../src/operations/machine/keys.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { runCommand } from "../../support/cli.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { lockedVersions, newSigner, projectWith, publish } from "../../support/projects.ts";

const NAME = "@me/backend";

async function pinnedProject() {
  const host = await projectWith();
  const signer = newSigner();
  await publish(host, {}, signer);
  await addCards(host, [NAME]);
  return { host, key: signer.key.publisher };
}

describe("forgetting a pinned key", () => {
  test("lets the card come with another one, which is pinned in its place", async () => {
    const { host, key } = await pinnedProject();
    const other = newSigner();
    await publish(host, { version: "1.0.1" }, other);
    expect((await problemOf(() => addCards(host, [NAME]))).code).toBe("DRWN_SIGNATURE_FOREIGN");
    expect(await forgetKey(host, { for: NAME, key: null })).toEqual({
      for: NAME,
      forgotten: [key],
      remaining: [],
    });
    await addCards(host, [NAME]);
    expect(lockedVersions(host)).toEqual([`${NAME}@1.0.1`]);
    expect(listKeys(host).cards).toEqual([{ card: NAME, publisher: other.key.publisher, former: [] }]);
  });

  test("leaves the keys of its scope, and says that they hold", async () => {
    const { host, key } = await pinnedProject();
    const entered = newSigner().key.publisher;
    await trustKey(host, { key: entered, for: "@me" });
    expect(await forgetKey(host, { for: NAME, key: null })).toMatchObject({
      forgotten: [key],
      remaining: [entered],
    });
    await publish(host, { version: "1.0.1" }, newSigner());
    expect((await problemOf(() => addCards(host, [NAME]))).code).toBe("DRWN_SIGNATURE_FOREIGN");
  });

  test("of a scope takes all of its keys, or the one that is named", async () => {
    const { host } = await pinnedProject();
    const keys = [newSigner().key.publisher, newSigner().key.publisher];
    for (const key of keys) await trustKey(host, { key, for: "@me" });
    await forgetKey(host, { for: "@me", key: keys[0] ?? "" });
    expect(listKeys(host).scopes).toEqual([{ scope: "@me", publishers: [keys[1]] }]);
    await forgetKey(host, { for: "@me", key: null });
    expect(listKeys(host).scopes).toEqual([]);
    expect(listKeys(host).cards).toHaveLength(1);
  });

  test.each<[string, { for: string; key: string | null }, string]>([
    ["a card without one", { for: "@me/other", key: null }, "DRWN_KEY_UNKNOWN"],
    ["a scope without one", { for: "@other", key: null }, "DRWN_KEY_UNKNOWN"],
    ["a key that the scope does not have", { for: "@me", key: newSigner().key.publisher }, "DRWN_KEY_UNKNOWN"],
    ["a name that is none", { for: "me", key: null }, "DRWN_NAME_INVALID"],
    ["a key that is none", { for: "@me", key: "ssh-ed25519" }, "DRWN_KEY_INVALID"],
    ["__proto__", { for: "__proto__", key: null }, "DRWN_NAME_INVALID"],
  ])("says that there is none of %s", async (_, request, code) => {
    const { host } = await pinnedProject();
    expect((await problemOf(() => findForgettable(host, request))).code).toBe(code);
  });

  test("is refused inside an agent's tool call", async () => {
    const { host } = await pinnedProject();
    const agent = { ...host, env: { ...host.env, CLAUDECODE: "1" } };
    const problem = await problemOf(() => forgetKey(agent, { for: NAME, key: null }));
    expect(textOf(problem)).toContain(`drwn key trust --undo ${NAME}`);
    expect(listKeys(host).cards).toHaveLength(1);
  });
});

describe("drwn key trust --undo", () => {
  test("asks before, and without a terminal says how to answer", async () => {
    const { host, key } = await pinnedProject();
    const asked = await runCommand(host, KeyTrust, "--undo", NAME);
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toContain(key);
    expect(asked.stderr).toContain(`drwn key trust --undo ${NAME} --yes`);
    expect(listKeys(host).cards).toHaveLength(1);
  });

  test("forgets nothing in a dry run, and says the same as without", async () => {
    const { host, key } = await pinnedProject();
    const dry = await runCommand(host, KeyTrust, "--undo", NAME, "--dry-run");
    expect(dry.stdout).toBe(`would forget ${key} for ${NAME}\n`);
    expect(listKeys(host).cards).toHaveLength(1);
    const done = await runCommand(host, KeyTrust, "--undo", NAME, "--yes", "--json");
    expect(JSON.parse(done.stdout)).toEqual({ for: NAME, forgotten: [key], remaining: [], dryRun: false });
    expect(listKeys(host).cards).toEqual([]);
  });
});
