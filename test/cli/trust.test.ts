import { expect, test } from "vitest";
import CardTrust from "../../src/cli/commands/card/trust.ts";
import type { Grant } from "../../src/contract/ledger.ts";
import { openProject } from "../../src/materialize/open-project.ts";
import { addCards } from "../../src/operations/add.ts";
import { newProject, publish, trust, write } from "../operations/world.ts";
import { runCommand } from "../support/cli.ts";
import type { TestHost } from "../support/host.ts";

const [ONE, TWO, PLAIN] = ["@me/one", "@me/two", "@me/plain"];
const HOSTILE = "\u001b]0;owned\u0007 \u202e red";

/** Three cards are installed; the first has two hooks, the last none. Nobody has consented to anything. */
async function project(): Promise<TestHost> {
  const host = newProject();
  await publish(host, { name: ONE, hooks: { guard: { matcher: "Bash" }, audit: { kind: "observer" } } });
  await publish(host, {
    name: TWO,
    hooks: { guard: {} },
    manifest: { hooks: { include: ["guard"], restrictOnly: true } },
  });
  await publish(host, { name: PLAIN });
  await addCards(host, [ONE, TWO, PLAIN]);
  return host;
}

const run = (host: TestHost, ...argv: string[]) => runCommand(host, CardTrust, ...argv, "--hooks", "--yes");
const grantsOf = (host: TestHost): Grant[] => openProject(host).ledger?.grants ?? [];

test("several cards are reviewed, and consented to, in one go", async () => {
  const host = await project();
  const { exitCode, stdout, stderr } = await run(host, TWO, ONE);
  expect([exitCode, stdout]).toEqual([
    0,
    `Consented to the hook policies of ${TWO} in the range ^1.0.0\nConsented to the hook policies of ${ONE} in the range ^1.0.0\nNext: drwn write\n`,
  ]);
  for (const said of [
    `1 hook policy of ${TWO}@1.0.0`,
    `2 hook policies of ${ONE}@1.0.0`,
    "binds itself to saying no",
  ]) {
    expect(stderr).toContain(said);
  }
  expect(grantsOf(host).map(({ card }) => card)).toEqual([TWO, ONE]);
  expect(openProject(host).ledger?.sequence).toBe(1);
});

test("--all is about every card that waits for a person, and not about one that a person has said no to", async () => {
  const host = await project();
  const { stdout } = await run(host, "--all", "--json");
  expect(JSON.parse(stdout).cards.map(({ card }: { card: string }) => card)).toEqual([ONE, TWO]);
  expect((await run(host, "--all")).stdout).toBe("No card waits for a consent\n");
});

test("where one of several cards cannot be consented to, none is", async () => {
  const host = await project();
  const { exitCode, stderr } = await run(host, ONE, PLAIN);
  expect([exitCode, stderr.includes(PLAIN)]).toEqual([1, true]);
  expect(openProject(host).ledger).toBeUndefined();
});

test("the terms are recorded, and shown before and after", async () => {
  const host = await project();
  const terms = [
    "--shadow",
    "--hook",
    "audit",
    "--ask-fallback",
    "deny",
    "--expires",
    "30d",
    "--on-yank",
    "stand-down",
  ];
  const { stdout, stderr } = await run(host, ONE, ...terms);
  const expiresAt = grantsOf(host)[0]?.expiresAt ?? "";
  expect(grantsOf(host)).toMatchObject([
    { mode: "shadow", hooks: ["audit"], askFallback: "deny", onYank: "stand-down", ceiling: { audit: {} } },
  ]);
  expect(Object.keys(grantsOf(host)[0]?.approved[0]?.bundles ?? {})).toEqual(["audit"]);
  expect(Date.parse(expiresAt)).toBeGreaterThan(host.now().getTime());
  for (const said of ["shadow: asked and journaled", "deny, where", "stands down", "not part of this consent: guard"]) {
    expect(stderr).toContain(said);
  }
  expect(stdout).toContain(`until ${expiresAt}`);
});

test("a consent again keeps the terms, and says what it changes", async () => {
  const host = await project();
  await run(host, ONE, "--restrict-only", "--hook", "guard");
  const again = await run(host, ONE);
  expect(again.stderr).toContain("restrict-only");
  expect(again.stderr).not.toContain("so far");
  expect(grantsOf(host)).toMatchObject([{ mode: "restrict-only", hooks: ["guard"] }]);
  const wider = await run(host, ONE, "--enforce", "--all-hooks");
  expect(wider.stderr).toMatch(/enforce: .*\(so far: restrict-only/u);
  expect(wider.stderr).toContain("audit: added");
  expect(grantsOf(host)).toMatchObject([{ mode: "enforce", hooks: null }]);
});

test("what was limited at trust is limited in the plan", async () => {
  const host = await project();
  await run(host, ONE, "--hook", "guard", "--shadow");
  await run(host, TWO);
  const { plan } = await write(host);
  expect(plan.policies.map(({ card, hook, mode }) => [card, hook, mode])).toEqual([
    [ONE, "guard", "shadow"],
    [TWO, "guard", "restrict-only"],
  ]);
});

test("after an upgrade the review says how much code differs, --diff shows it, and nothing in it acts on the terminal", async () => {
  const host = await project();
  await trust(host, { card: ONE });
  const files = { "lib/more.txt": `new\n${HOSTILE}\n` };
  await publish(host, { name: ONE, version: "2.0.0", hooks: { guard: {}, audit: { kind: "observer" } }, files });
  await addCards(host, [`${ONE}@2.0.0`]);
  const { stderr } = await run(host, ONE, "--diff");
  for (const said of [
    "guard: matcher Bash → every tool",
    "files differ from 1.0.0",
    "added lib/more.txt",
    "+new",
    "\\u{1b}",
  ]) {
    expect(stderr).toContain(said);
  }
  expect(stderr).not.toMatch(/\u001b\]|\u202e/u);
});

test.each([
  ["no card", []],
  ["--all and a card", ["--all", ONE]],
  ["a range for two cards", [ONE, TWO, "--range", "^1.0.0"]],
  ["two modes", [ONE, "--shadow", "--restrict-only"]],
  ["some hooks and all hooks", [ONE, "--hook", "guard", "--all-hooks"]],
  ["a fallback that there is not", [ONE, "--ask-fallback", "maybe"]],
])("a consent that names %s is a usage error, and records nothing", async (_, argv) => {
  const host = await project();
  expect((await run(host, ...argv)).exitCode).toBe(2);
  expect(openProject(host).ledger).toBeUndefined();
});
