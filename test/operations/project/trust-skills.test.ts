import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { layout } from "../../../src/contract/layout.ts";
import { drwn } from "../../../src/kernel/advice.ts";
import { diagnoseProject } from "../../../src/operations/diagnose/diagnose.ts";
import { explainCard } from "../../../src/operations/diagnose/why.ts";
import { acceptTrustFile, exportConsents } from "../../../src/operations/machine/portable-consents.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards } from "../../../src/operations/project/install.ts";
import { listAwaitingConsent } from "../../../src/operations/project/list.ts";
import { removeCard } from "../../../src/operations/project/remove.ts";
import { grantConsent, reviewConsent } from "../../../src/operations/project/trust.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { isWaiting, writeProject } from "../../../src/operations/project/write.ts";
import { projectFiles } from "../../../src/project/identity.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { putCard } from "../../../src/registry/store.ts";
import type { TestHost } from "../../support/host.ts";
import { editJson } from "../../support/machine-state.ts";
import { problemOf } from "../../support/problems.ts";
import { CARD, type CardParts, GUARD, installed, publish, trust, write } from "../../support/projects.ts";

const GUARD_HOOKS = { guard: { matcher: "Bash" } };
const HEAD = "---\nname: review\ndescription: d\n";
const CODE = `${HEAD}allowed-tools: Bash\n---\nSay:\n!\`date\`\n`;

/** A card with a skill of this text, and one beside it that is only text. */
function cardWith(text: string, { version = "1.0.0", hooks = {} }: Partial<CardParts> = {}): CardParts {
  return {
    version,
    hooks,
    manifest: { skills: { include: ["review", "plain"] } },
    files: {
      "skills/review/SKILL.md": text,
      "skills/plain/SKILL.md": "# Plain\n",
      "hooks/guard/README.md": "guard\n",
    },
  };
}

const skillAt = (host: TestHost, folder = ".claude") => path.join(host.cwd, folder, "skills/review/SKILL.md");
const has = (host: TestHost, skill = "review") =>
  fs.existsSync(path.join(host.cwd, `.claude/skills/${skill}/SKILL.md`));
const textOf = (host: TestHost) => fs.readFileSync(skillAt(host), "utf8");

const isSkillLeftOut = ({ code }: { code: string }) => code.startsWith("skill-");

async function upgrade(host: TestHost, parts: CardParts): Promise<void> {
  await publish(host, parts);
  await addCards(host, [CARD]);
}

describe("a skill that would make an agent do something by itself", () => {
  test("is left out without a consent, with everything else of its card written, and the command is named", async () => {
    const host = await installed(cardWith(CODE));
    const { findings } = await write(host);
    expect([has(host), has(host, "plain")]).toEqual([false, true]);
    const left = { code: "skill-not-applied", subject: CARD, hint: drwn("card trust", CARD, "--hooks") };
    expect(findings.filter(isWaiting)).toEqual([expect.objectContaining(left)]);
    const diagnosis = await diagnoseProject(host);
    expect(diagnosis.hookIssues).toEqual([]);
    expect(diagnosis.findings).toContainEqual(expect.objectContaining(left));
    expect(explainCard(host, CARD).brings?.withheldSkills).toMatchObject([{ skill: "review" }]);
    expect(listAwaitingConsent(host)).toEqual([CARD]);
  });

  test("is shown line by line before the consent, also of a card without hooks", async () => {
    const host = await installed(cardWith(CODE));
    const [skill, ...others] = reviewConsent(host, { card: CARD, range: null }).skills;
    expect(others).toEqual([]);
    expect(skill).toMatchObject({
      name: "review",
      change: null,
      code: [
        { file: "skills/review/SKILL.md", line: 4, why: "frontmatter", text: "allowed-tools: Bash" },
        { file: "skills/review/SKILL.md", line: 7, why: "shell", text: "!`date`" },
      ],
    });
  });

  test("is written after the consent, into the folders of all agents, and nothing waits any more", async () => {
    const host = await installed(cardWith(CODE));
    await trust(host);
    const { findings } = await writeProject(host, {
      wiring: undefined,
      runtimes: ["claude-code", "codex"],
    });
    expect(findings).toEqual([]);
    expect(textOf(host)).toBe(CODE);
    expect(fs.readFileSync(skillAt(host, ".agents"), "utf8")).toBe(CODE);
    expect(listAwaitingConsent(host)).toEqual([]);
    expect((await write(host)).changes).toEqual([]);
  });

  test("is taken out after untrust, and the reason is said", async () => {
    const host = await installed(cardWith(CODE));
    await trust(host);
    await write(host);
    expect(await revokeConsent(host, CARD)).toEqual({ card: CARD, revoked: true, skills: ["review"] });
    const { findings } = await write(host);
    expect([has(host), has(host, "plain")]).toEqual([false, true]);
    expect(findings.filter(isSkillLeftOut)).toEqual([
      expect.objectContaining({ message: expect.stringContaining("revoked") }),
    ]);
    expect(listAwaitingConsent(host)).toEqual([]);
  });

  test("is taken out when the consent has ended", async () => {
    const host = await installed(cardWith(CODE));
    await grantConsent(host, reviewConsent(host, { card: CARD, range: null, expires: "1h" }));
    await write(host);
    expect(has(host)).toBe(true);
    host.advance(2 * 60 * 60 * 1000);
    await write(host);
    expect(has(host)).toBe(false);
  });

  test("goes with its card, and no guard is said to have stayed", async () => {
    const host = await installed(cardWith(CODE));
    await trust(host);
    await write(host);
    await removeCard(host, CARD);
    const { findings } = await write(host);
    expect([has(host), has(host, "plain")]).toEqual([false, false]);
    expect(findings).toEqual([]);
  });

  test("is consented to by each machine: a clone asks again", async () => {
    const host = await installed(cardWith(CODE));
    await trust(host);
    const { key } = openProject(host);
    fs.rmSync(layout.ledger(host.drwnHome, key));
    fs.rmSync(layout.consentLog(host.drwnHome, key));
    fs.rmSync(path.join(host.drwnHome, "roots"), { recursive: true });
    await write(host);
    expect(has(host)).toBe(false);
  });
});

describe("a consent that is carried to another machine", () => {
  async function acceptedOn(edit: (consent: Record<string, unknown>) => void): Promise<TestHost> {
    const host = await installed(cardWith(CODE, { hooks: GUARD_HOOKS }));
    await trust(host);
    const { text } = exportConsents(host);
    const file = path.join(host.home, "consents.json");
    fs.writeFileSync(file, text, { mode: 0o600 });
    editJson(file, ({ consents }: { consents: Record<string, unknown>[] }) =>
      consents.forEach((one) => void edit(one)),
    );
    const { key } = openProject(host);
    fs.rmSync(layout.ledger(host.drwnHome, key));
    fs.rmSync(layout.consentLog(host.drwnHome, key));
    fs.rmSync(path.join(host.drwnHome, "roots"), { recursive: true });
    await acceptTrustFile(host, file);
    await write(host);
    return host;
  }

  test("brings the skills that it names", async () => {
    expect(has(await acceptedOn(() => {}))).toBe(true);
  });

  test.each([
    ["may name none", (consent: Record<string, unknown>) => delete consent["skills"]],
    ["may name others", (consent: Record<string, unknown>) => Object.assign(consent, { skills: {} })],
  ])("%s: they are left out, and the hooks are in force", async (_, edit) => {
    const host = await acceptedOn(edit);
    expect(has(host)).toBe(false);
    expect((await write(host)).plan.policies).toHaveLength(1);
    expect(listAwaitingConsent(host)).toEqual([CARD]);
  });
});

describe("a later version of a card with such a skill", () => {
  test.each<[how: string, text: string, hooks: NonNullable<CardParts["hooks"]>]>([
    ["with the same lines in another text", CODE.replace("Say:", "Say this:\n\nNow:"), {}],
    ["with the same lines and hooks", CODE.replace("Say:", "Say this:"), GUARD_HOOKS],
    ["whose skill is text", `${HEAD}---\nSay\n`, {}],
  ])("%s joins", async (_, text, hooks) => {
    const host = await installed(cardWith(CODE, { hooks }));
    await trust(host);
    await write(host);
    await upgrade(host, cardWith(text, { version: "1.1.0", hooks }));
    const { findings, joined } = await write(host);
    expect(findings.filter(isSkillLeftOut)).toEqual([]);
    expect(joined).toEqual([`${CARD}@1.1.0`]);
    expect(textOf(host)).toBe(text);
  });

  test.each<[how: string, text: string, hooks: NonNullable<CardParts["hooks"]>]>([
    ["with other lines", CODE.replace("date", "touch x"), {}],
    ["with a line more", `${CODE}!\`date\`\n`, {}],
    ["with other lines, and hooks", CODE.replace("date", "touch x"), GUARD_HOOKS],
    ["that permits more", CODE.replace("Bash", "Bash, Write"), {}],
  ])("%s waits, and the skill of the approved version stays", async (_, text, hooks) => {
    const host = await installed(cardWith(CODE, { hooks }));
    await trust(host);
    await write(host);
    await upgrade(host, cardWith(text, { version: "1.1.0", hooks }));
    const { findings, joined, plan } = await write(host);
    expect(joined).toEqual([]);
    expect(textOf(host)).toBe(CODE);
    expect(plan.policies.map(({ cardVersion }) => cardVersion)).toEqual(Object.keys(hooks).map(() => "1.0.0"));
    expect(findings.filter(isSkillLeftOut)).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(/1\.0\.0 stays in force.*the one from 1\.0\.0/u),
      }),
    ]);
    expect(listAwaitingConsent(host)).toEqual([CARD]);
    expect(reviewConsent(host, { card: CARD, range: null }).skills).toMatchObject([{ change: "other" }]);
    await trust(host);
    await write(host);
    expect(textOf(host)).toBe(text);
  });

  test("waits where its skill was text when it was consented to", async () => {
    const host = await installed(cardWith("# Review\n", GUARD));
    await trust(host);
    await write(host);
    await upgrade(host, cardWith(CODE, { version: "1.1.0", ...GUARD }));
    const { joined, findings } = await write(host);
    expect([joined, has(host)]).toEqual([[], false]);
    expect(findings.filter(isSkillLeftOut)).toHaveLength(1);
  });
});

describe("a skill that could be read in two ways", () => {
  const BAD = CODE.replaceAll(/^(?=name|desc|allowed)/gmu, "  ");

  /** In the store, in the lock and where the agents look, as a lock that somebody edited brings it. */
  async function letThrough(): Promise<TestHost> {
    const host = await installed(cardWith("# Review\n", GUARD));
    await trust(host);
    await write(host);
    const { files, tree, integrity, index } = await publish(host, cardWith(BAD, { version: "1.0.1", ...GUARD }));
    await putCard(host.drwnHome, files, tree);
    editJson(projectFiles.lock(host.cwd), ({ cards }: { cards: object[] }) => {
      cards[0] = { ...cards[0], version: "1.0.1", tree, integrity, hooks: index.hooks };
    });
    return host;
  }

  test("is refused by install and by the review", async () => {
    const host = await letThrough();
    expect((await problemOf(() => reviewConsent(host, { card: CARD, range: null }))).code).toBe("DRWN_SKILL_INVALID");
    expect((await problemOf(() => installCards(host, { frozen: false }))).code).toBe("DRWN_SKILL_INVALID");
  });

  test("is taken out by write, which says so and writes everything else", async () => {
    const host = await letThrough();
    const { findings, plan } = await write(host);
    expect([has(host), has(host, "plain")]).toEqual([false, true]);
    const refused = { code: "skill-refused", severity: "error", message: expect.stringContaining("line 2") };
    expect(findings.filter(isWaiting)).toEqual([expect.objectContaining(refused)]);
    expect(plan.policies).toHaveLength(1);
  });
});
