import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { toCardFiles } from "../../../src/card/files.ts";
import { digestOfHook } from "../../../src/card/hooks/hook-index.ts";
import { layout } from "../../../src/contract/layout.ts";
import { DEFAULT_TERMS } from "../../../src/contract/ledger.ts";
import { formatJson } from "../../../src/kernel/format/json.ts";
import { withLock } from "../../../src/kernel/mutex.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { listCards } from "../../../src/operations/project/list.ts";
import { grantConsent, reviewConsent } from "../../../src/operations/project/trust.ts";
import { openDefaultRegistry } from "../../../src/project/fetch/fetch-card.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { readTrustRequest } from "../../../src/project/trust-request.ts";
import { readLedger } from "../../../src/trust/ledger-file.ts";
import { markersOf, writeMarkers } from "../../../src/trust/project-key.ts";
import { denyingPolicy, packedCard } from "../../support/cards.ts";
import { someFacts } from "../../support/grants.ts";
import type { TestHost } from "../../support/host.ts";
import { editJson, ledgerFile, machineOf, openProjectKey, snapshot } from "../../support/machine-state.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import {
  anotherProject,
  CARD,
  GUARD,
  guardedProject,
  installed,
  newProject,
  publish,
  trust,
  write,
} from "../../support/projects.ts";

const grantOf = (host: TestHost) => readLedger(host.drwnHome, openProjectKey(host))?.grants[0];

test("a review shows the card, its source, and each hook with facts, size, digest and its README's first line", async () => {
  const host = newProject();
  const files = { "hooks/guard/README.md": "\n# Says no to Bash\n\nmore" };
  const card = await publish(host, { ...GUARD, manifest: { description: "Guards" }, files });
  await addCards(host, [CARD]);
  const [hook] = card.index.hooks;
  expect(reviewConsent(host, { card: CARD, range: null })).toEqual({
    card: CARD,
    version: "1.0.0",
    options: {},
    formerOptions: {},
    askedOptions: [],
    isOfProject: true,
    source: "folder:default",
    publisher: null,
    isSourceSeen: true,
    formerPublisher: null,
    tree: card.tree,
    range: "^1.0.0",
    later: { join: "published-here", afterHours: 0 },
    publishedBy: "person",
    description: "Guards",
    terms: DEFAULT_TERMS,
    formerTerms: null,
    restrictOnly: false,
    formerRestrictOnly: null,
    leftOut: [],
    unasked: [],
    asks: [{ title: "Claude Code", becomes: "ask", unless: null }],
    skills: [],
    yanked: false,
    deprecated: null,
    code: {
      from: null,
      files: expect.arrayContaining([expect.objectContaining({ path: "hooks/guard/policy.ts", change: "added" })]),
    },
    hooks: [
      {
        ...hook,
        size: card.files.get("hooks/guard/policy.ts")?.length,
        cases: { cases: 0, refused: 0, rewritten: 0 },
        summary: "Says no to Bash",
      },
    ],
    differences: [],
    replaces: null,
    goesBack: false,
  });
});

test("a review of a later version shows what differs from what was consented to", async () => {
  const host = await guardedProject();
  await publish(host, { version: "2.0.0", hooks: { guard: { matcher: "Bash", kind: "observer" }, more: {} } });
  await addCards(host, [`${CARD}@2.0.0`]);
  const review = reviewConsent(host, { card: CARD, range: null });
  expect(review.replaces).toBe("1.0.0");
  expect(review.differences).toEqual([
    { hook: "guard", what: "kind", from: "enforcement", to: "observer" },
    { hook: "more", what: "added", from: "", to: "enforcement on every tool, pre-tool" },
  ]);
});

test("a consent is recorded on the machine, asked for in the project, and compiled", async () => {
  const host = await installed(GUARD);
  host.advance(1_000);
  const grant = await trust(host, { range: "~1.0.0" });
  expect(grant).toMatchObject({ card: CARD, source: "folder:default", range: "~1.0.0", revokedAt: null });
  expect(grant.grantedAt).toBe("2026-03-01T12:00:01.000Z");
  expect(grantOf(host)).toEqual(grant);
  expect(readTrustRequest(host.cwd).requests).toEqual({ [CARD]: { hooks: "~1.0.0" } });
  const bundle = grant.approved[0]?.bundles["guard"] ?? "";
  const file = layout.bundle(host.drwnHome, openProjectKey(host), bundle);
  expect(fs.readFileSync(file, "utf8")).toContain("guard of 1.0.0");
  expect(fs.statSync(file).mode & 0o777).toBe(0o400);
});

const REFUSED: [string, { card?: string; range?: string }, string, string | undefined][] = [
  ["a card that is not installed", { card: "@me/none" }, "DRWN_CARD_NOT_INSTALLED", "drwn add @me/none"],
  ["a card without hooks", { card: "@me/plain" }, "DRWN_CARD_HAS_NO_HOOKS", "drwn write"],
  ["what isn't a card name", { card: "backend" }, "DRWN_NAME_INVALID", undefined],
  [
    "a range above the version",
    { range: "^2.0.0" },
    "DRWN_RANGE_EXCLUDES_VERSION",
    `drwn card trust ${CARD} --hooks --range "^1.0.0"`,
  ],
  [
    "a range below the version",
    { range: "<1.0.0" },
    "DRWN_RANGE_EXCLUDES_VERSION",
    `drwn card trust ${CARD} --hooks --range "^1.0.0"`,
  ],
  ["a range that is none", { range: "latest" }, "DRWN_RANGE_INVALID", undefined],
  ["an empty range", { range: "" }, "DRWN_RANGE_INVALID", undefined],
  ...["*", "x", ">=1.0.0", ">0", "^1.0.0 || >=2.0.0", "1.x || *", ">=1.0.0 <9007199254740991.0.0", "<=11"].map(
    (range): (typeof REFUSED)[number] => [
      `the range ${range}, which has no end near it`,
      { range },
      "DRWN_RANGE_INVALID",
      `drwn card trust ${CARD} --hooks --range "^1.0.0"`,
    ],
  ),
];

test.each(REFUSED)("consent to %s is refused with a hint, and records nothing", async (_, request, code, hint) => {
  const host = await installed(GUARD);
  await publish(host, { name: "@me/plain" });
  await addCards(host, ["@me/plain"]);
  const before = snapshot(machineOf(host));
  const problem = await problemOf(() => trust(host, request));
  expect([problem.code, problem.hint]).toEqual([code, hint]);
  expect(snapshot(machineOf(host))).toEqual(before);
});

test("a card that changes between the review and the yes is refused, and both digests are named", async () => {
  const host = await installed(GUARD);
  const review = reviewConsent(host, { card: CARD, range: "^1.0.0" });
  const second = await publish(host, { ...GUARD, version: "1.1.0" });
  await addCards(host, [CARD]);
  const before = snapshot(machineOf(host));
  const problem = await problemOf(() => grantConsent(host, review));
  expect(problem.code).toBe("DRWN_CONSENT_NEEDED");
  expect(problem.details).toEqual([`reviewed: ${review.tree}`, `installed: ${second.tree}`]);
  expect(snapshot(machineOf(host))).toEqual(before);
});

test("a card that comes from elsewhere since the review is refused", async () => {
  const host = await installed(GUARD);
  const review = reviewConsent(host, { card: CARD, range: null });
  const problem = await problemOf(() => grantConsent(host, { ...review, source: "folder:other" }));
  expect(problem.code).toBe("DRWN_CONSENT_NEEDED");
  expect(problem.details).toEqual(["reviewed: folder:other", "installed: folder:default"]);
});

test.each([
  ["fewer files than", ["hooks/guard/policy.ts"]],
  ["as many other files as", ["harmless.ts", "hooks/guard/policy.ts"]],
])("an index that lists %s the policy is made of is no ground for a consent", async (_, listed) => {
  const host = newProject();
  const sources = {
    "harmless.ts": "export default {};\n",
    "hooks/guard/policy.ts": `export { default } from "../../lib.ts";\n`,
    "lib.ts": denyingPolicy("Bash"),
  };
  const packed = toCardFiles(Object.entries(sources).map(([name, text]) => [name, Buffer.from(text)]));
  const digest = digestOfHook(packed, listed);
  const index = { version: 1 as const, hooks: [{ ...someFacts(), name: "guard", files: listed, digest }] };
  const files = { ...sources, "hooks/index.json": formatJson(index) };
  await openDefaultRegistry(host).publish({ ...(await packedCard({ ...GUARD, files })), index }, host.now());
  await addCards(host, [CARD]);
  const problem = await problemOf(() => trust(host));
  expect(problem.code).toBe("DRWN_INDEX_STALE");
  expect(problem.details).toEqual([`listed: ${listed.join(", ")}`, "used: hooks/guard/policy.ts, lib.ts"]);
  expect(readLedger(host.drwnHome, openProjectKey(host))).toBeUndefined();
});

test("a matcher that no plan could carry is refused before it is consented to", async () => {
  const host = newProject();
  await publish(host, { hooks: { guard: { matcher: "Bas[h" } } });
  await addCards(host, [CARD]);
  expect((await problemOf(() => trust(host))).code).toBe("DRWN_MATCHER_INVALID");
  expect(readLedger(host.drwnHome, openProjectKey(host))).toBeUndefined();
});

test("a consent again fixes a compiled policy that was damaged", async () => {
  const host = await guardedProject();
  const [bundle = ""] = Object.values(grantOf(host)?.approved[0]?.bundles ?? {});
  const file = layout.bundle(host.drwnHome, openProjectKey(host), bundle);
  const compiled = fs.readFileSync(file, "utf8");
  fs.chmodSync(file, 0o600);
  fs.writeFileSync(file, compiled.replace("deny", "none"));
  await trust(host);
  expect(fs.readFileSync(file, "utf8")).toBe(compiled);
});

test("a consent again replaces the former one and keeps what was approved before", async () => {
  const host = await guardedProject();
  await publish(host, { ...GUARD, version: "2.0.0" });
  await addCards(host, [`${CARD}@2.0.0`]);
  const grant = await trust(host);
  expect(grant.range).toBe("^2.0.0");
  expect(grant.approved.map(({ cardVersion, by }) => [cardVersion, by])).toEqual([
    ["1.0.0", "person"],
    ["2.0.0", "person"],
  ]);
  expect(readLedger(host.drwnHome, openProjectKey(host))?.grants).toHaveLength(1);
});

test("a consent in one project is none in another", async () => {
  const host = await guardedProject();
  const other = anotherProject(host);
  await addCards(other, [CARD]);
  expect(listCards(other).cards[0]?.consent?.state).toBe("off");
  expect((await write(other)).plan.policies).toEqual([]);
});

test("a repository that asks for consent, or brings a ledger of its own, is granted nothing", async () => {
  const host = await installed(GUARD);
  const ledger = await guardedProject();
  fs.mkdirSync(path.join(host.cwd, ".agents/drwn/ledger"));
  fs.copyFileSync(ledgerFile(ledger), path.join(host.cwd, ".agents/drwn/ledger", path.basename(ledgerFile(host))));
  fs.writeFileSync(
    path.join(host.cwd, ".agents/drwn/trust.json"),
    JSON.stringify({ version: 1, requests: { [CARD]: { hooks: "^1.0.0" } } }),
  );
  expect(listCards(host).cards[0]?.consent?.state).toBe("off");
  expect((await write(host)).plan.policies).toEqual([]);
});

test("a consent that waited while another worktree's came first goes to the ledger that they share", async () => {
  const host = await installed(GUARD);
  const { identity, key } = openProject(host);
  const shared = "cd".repeat(32);
  const review = reviewConsent(host, { card: CARD, range: null });
  const waiting = await withLock(layout.lock(host.drwnHome, key), () => {
    const consent = grantConsent(host, review);
    writeMarkers(host.drwnHome, identity, shared);
    return { consent };
  });
  await waiting.consent;
  expect(openProjectKey(host)).toBe(shared);
  expect(grantOf(host)?.card).toBe(CARD);
  expect(fs.existsSync(layout.ledger(host.drwnHome, key))).toBe(false);
});

test("a folder that was moved is another project, and nothing runs in it unasked", async () => {
  const host = await guardedProject();
  const moved = path.join(machineOf(host), "moved");
  fs.renameSync(host.cwd, moved);
  const there = host.at(moved);
  expect(listCards(there).cards[0]?.consent?.state).toBe("off");
  expect((await write(there)).plan.policies).toEqual([]);
  expect(markersOf(host.drwnHome, openProject(there).identity).some((marker) => fs.existsSync(marker))).toBe(false);
});

test("text of a card's author does not reach a message uncleaned", async () => {
  const host = await installed(GUARD);
  editJson<{ version: number; requests: object }>(path.join(host.cwd, ".agents/drwn/config.json"), (config) => {
    Object.assign(config, { "\u001b[2Khidden": 1 });
  });
  expect(textOf(await problemOf(() => trust(host)))).not.toContain("\u001b");
});
