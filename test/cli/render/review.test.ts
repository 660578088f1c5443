import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import CardShow from "../../../src/cli/commands/card/show.ts";
import CardTrust from "../../../src/cli/commands/card/trust.ts";
import Doctor from "../../../src/cli/commands/doctor.ts";
import List from "../../../src/cli/commands/list.ts";
import Outdated from "../../../src/cli/commands/outdated.ts";
import Write from "../../../src/cli/commands/write.ts";
import { renderReview } from "../../../src/cli/render/review.ts";
import { makeStyle, wrapLine } from "../../../src/cli/terminal/style.ts";
import { deprecateCard, yankCard } from "../../../src/operations/author/annotate.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { reviewConsent } from "../../../src/operations/project/trust.ts";
import { updateCards } from "../../../src/operations/project/update.ts";
import { sourceWith } from "../../support/cards.ts";
import { runCommand } from "../../support/cli.ts";
import { CARD, GUARD, guardedProject, installed, newProject, publish, trust } from "../../support/projects.ts";

describe("a review", () => {
  test("of a card that nobody ever approved shows its code on demand, and says so", async () => {
    const { stderr } = await runCommand(await installed(GUARD), CardTrust, CARD, "--diff", "--yes", "--verbose");
    expect(stderr).toContain(`${CARD}@1.0.0: no version of this card was ever approved here\n`);
    expect(stderr).toContain("+export default defineToolPolicy(");
    expect(stderr).toMatch(/^ {2}proven .*; \d+ files, \d+ lines$/mu);
  });

  test("of what is approved already says that, and not that other code replaces it", async () => {
    const { stderr } = await runCommand(await guardedProject(), CardTrust, CARD, "--diff", "--yes");
    expect(stderr).toContain("Already approved: this is the content of 1.0.0 that was consented to.");
    expect(stderr).not.toContain("other code");
  });

  test("of a version in which no hook differs doesn't speak of other code", async () => {
    const same = { "hooks/guard/policy.ts": "export default { beforeToolCall() {} };\n" };
    const host = await installed({ ...GUARD, files: same });
    await trust(host);
    await publish(host, { ...GUARD, version: "1.0.1", files: { ...same, "README.md": "more" } });
    await updateCards(host, { names: [], latest: false, dryRun: false });
    const { stderr } = await runCommand(host, CardTrust, CARD);
    expect(stderr).toContain("Replaces 1.0.0: the same facts, and the same code in its hooks.");
  });

  test("says in its first line that a version was yanked or deprecated, in the words of its publisher", async () => {
    const host = await installed(GUARD);
    await yankCard(host, `${CARD}@1.0.0`, true);
    await deprecateCard(host, CARD, "use @me/other");
    const [title] = (await runCommand(host, CardTrust, CARD)).stderr.split("\n");
    expect(title).toBe(
      `1 hook policy of ${CARD}@1.0.0, YANKED by its publisher, DEPRECATED: “use @me/other”; may say no, and may rewrite`,
    );
  });

  test.each([
    ["says what Codex does unasked, where it is guarded and a hook wants Bash", "Bash", ["--runtime", "codex"], true],
    ["doesn't say so of a hook that wants other tools", "Write", ["--runtime", "codex"], false],
    ["doesn't say so of a consent for another agent", "Bash", ["--runtime", "claude-code"], false],
  ])("%s", async (_, matcher, flags, isSaid) => {
    const host = await installed({ ...GUARD, hooks: { guard: { matcher } } });
    fs.mkdirSync(path.join(host.home, ".codex"), { recursive: true });
    const { stderr } = await runCommand(host, CardTrust, CARD, "--yes", ...flags);
    const line = "Not seen: Codex asks no hook about text that it types into a running shell (`write_stdin`)\n";
    expect(stderr.includes(line)).toBe(isSaid);
    expect(stderr.includes("write_stdin")).toBe(isSaid);
  });

  test("has at most a dozen lines a card for the whole catalogue at 80 columns, and no digest", async () => {
    const host = newProject();
    const cards = ["cloud", "data", "exec", "files", "git", "secrets", "self", "tests"].map((name) => `@drwn/${name}`);
    await addCards(host, cards);
    for (const card of cards) {
      const review = renderReview(reviewConsent(host, { card, range: null }), makeStyle(false));
      const lines = review.slice(0, -1).flatMap((line) => wrapLine(line, 80));
      expect([card, lines.length <= 12], lines.join("\n")).toEqual([card, true]);
      expect(lines.join("")).not.toContain("sha512");
    }
  });

  test("says what a guard's ask comes to in the agents here, and which calls it may rewrite", async () => {
    const cases =
      '{"id":"a","tool":"Bash","input":{"command":"ls"},"expect":"rewrite","updatedInput":{"command":"ls -a"}}\n';
    const host = await installed({ ...GUARD, files: { "hooks/guard/cases.jsonl": cases } });
    for (const agent of [".claude", ".codex"]) fs.mkdirSync(path.join(host.home, agent), { recursive: true });
    const { stderr } = await runCommand(host, CardTrust, CARD, "--yes");
    expect(stderr).toContain(
      "Where a guard asks: Claude Code asks you; Codex can't ask: the call is denied if it can't be undone, and else goes through\n",
    );
    expect(stderr).toContain("; may say no, and may rewrite\n");
    expect(stderr).toContain("proven       1 case: 0 refused, 1 rewritten, 0 let through; ");
    const limited = await runCommand(host, CardTrust, CARD, "--yes", "--restrict-only", "--ask-fallback", "deny");
    expect(limited.stderr).toContain(`1 hook policy of ${CARD}@1.0.0; may only say no\n`);
    expect(limited.stderr).toContain("Codex can't ask, and the call is denied\n");
  });

  test("puts first what guards less, if many facts differ", async () => {
    const hooks = Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [name, { matcher: "Bash" }]));
    const host = await installed({ ...GUARD, hooks });
    await trust(host);
    const other = Object.fromEntries(["a", "b", "c", "d", "e", "f"].map((name) => [name, { matcher: "Bash|Write" }]));
    await publish(host, { ...GUARD, version: "2.0.0", hooks: other });
    await addCards(host, [CARD]);
    const { stderr } = await runCommand(host, CardTrust, CARD);
    expect(stderr).toMatch(/Differs from 1\.0\.0:\n {4}g: .*\n(?: {4}.*\n){4} {4}and 2 more: --verbose\n/u);
  });

  test("that nobody could answer is asked for again with every flag that was given", async () => {
    const terms = ["--shadow", "--hook", "guard", "--ask-fallback", "deny", "--expires", "30d", "--runtime", "codex"];
    const { stderr } = await runCommand(await installed(GUARD), CardTrust, CARD, "--on-yank", "keep", ...terms);
    expect(stderr).toContain(
      `drwn card trust ${CARD} --hooks --range ^1.0.0 --shadow --hook guard --ask-fallback deny --on-yank keep --expires 30d --runtime codex --yes`,
    );
  });
});

test("no command offers the review of a version that its publisher took back, and each says that he did", async () => {
  const host = await guardedProject();
  await publish(host, { ...GUARD, version: "2.0.0" });
  await addCards(host, [CARD]);
  expect((await runCommand(host, Outdated)).stdout).toContain(`Next: drwn card trust ${CARD} --hooks`);
  await yankCard(host, `${CARD}@2.0.0`, true);
  const { stdout } = await runCommand(host, Outdated);
  expect(stdout).toMatch(/1\.0\.0 active, this one is yanked$/mu);
  const list = (await runCommand(host, List)).stdout;
  expect(list).toContain("1.0.0 active, this one is yanked");
  const written = await runCommand(host, Write);
  const doctor = (await runCommand(host, Doctor)).stdout;
  for (const printed of [stdout, list, written.stdout + written.stderr, doctor])
    expect(printed).not.toContain("card trust");
  expect(doctor).toContain(`hint: drwn update ${CARD}\n`);
  const shown = (await runCommand(host, CardShow, `${CARD}@2.0.0`)).stdout;
  expect(shown).toMatch(
    /^@me\/backend@2\.0\.0, YANKED by its publisher\n(?:.*\n)* +versions +1\.0\.0, 2\.0\.0 \(yanked\)\n/u,
  );
});

test("a source that nobody published has no day on which it was", async () => {
  const { stdout } = await runCommand(newProject(), CardShow, sourceWith());
  expect(stdout).toContain("published   not in a registry\n");
});
