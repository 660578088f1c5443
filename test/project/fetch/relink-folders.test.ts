import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { advise, drwn } from "../../../src/kernel/advice.ts";
import { readStatus } from "../../../src/operations/diagnose/status.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { listCards } from "../../../src/operations/project/list.ts";
import { grantConsent, reviewConsent } from "../../../src/operations/project/trust.ts";
import { isWaiting, previewWrite, writeProject } from "../../../src/operations/project/write.ts";
import { checkLinks } from "../../../src/project/fetch/relink-folders.ts";
import { readLock } from "../../../src/project/lock.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { denyingPolicy, temporaryFolder, writeTree } from "../../support/cards.ts";
import { newProject } from "../../support/projects.ts";
import { committedFiles } from "../../support/repositories.ts";

const AS_BEFORE = { wiring: undefined };

async function linkedProject() {
  const host = newProject();
  const folder = writeTree(temporaryFolder(), committedFiles({ hooks: { guard: { matcher: "Bash" } } }));
  await addCards(host, [`file:${folder}`]);
  await grantConsent(host, reviewConsent(host, { card: "@me/backend", range: null }));
  await writeProject(host, AS_BEFORE);
  return { host, folder, approved: treeIn(host.cwd) };
}

function treeIn(root: string): string {
  return readLock(root)?.cards[0]?.tree ?? "";
}

describe("a card that is linked from a folder", () => {
  test("runs as it was approved", async () => {
    const { host } = await linkedProject();
    expect(listCards(host).cards).toMatchObject([{ consent: { state: "active", inForce: "1.0.0" } }]);
    expect(await checkLinks(host, openProject(host))).toEqual([]);
  });

  test("that changes is locked anew by write, and waits for a person while the approved policy stays", async () => {
    const { host, folder, approved } = await linkedProject();
    const former = listCards(host).cards[0]?.consent;
    writeTree(folder, committedFiles({ version: "1.0.1", hooks: { guard: { matcher: "Bash" } } }));
    expect((await previewWrite(host, AS_BEFORE)).findings).toMatchObject([{ code: "linked-card-changed" }]);
    expect(treeIn(host.cwd)).toBe(approved);
    const written = await writeProject(host, AS_BEFORE);
    expect(treeIn(host.cwd)).not.toBe(approved);
    expect(written.joined).toEqual([]);
    expect(written.plan.policies).toMatchObject([{ card: "@me/backend", cardVersion: former?.inForce }]);
    expect(listCards(host).cards).toMatchObject([{ version: "1.0.1", consent: { state: "waits", inForce: "1.0.0" } }]);
  });

  test("that changes under the same version waits all the same", async () => {
    const { host, folder } = await linkedProject();
    writeTree(folder, committedFiles({ hooks: { guard: { matcher: "*" } } }));
    expect((await writeProject(host, AS_BEFORE)).findings.filter(isWaiting)).toMatchObject([
      { subject: "@me/backend" },
    ]);
    expect(listCards(host).cards).toMatchObject([{ consent: { state: "waits" } }]);
  });

  test("that was consented to again under the same version is told as not in force until it is written", async () => {
    const { host, folder } = await linkedProject();
    const files = { "hooks/guard/policy.ts": denyingPolicy("Bash", "for another reason") };
    writeTree(folder, committedFiles({ hooks: { guard: { matcher: "Bash" } }, files }));
    await writeProject(host, AS_BEFORE);
    await grantConsent(host, reviewConsent(host, { card: "@me/backend", range: null }));
    const because = { message: expect.stringContaining("1.0.0 as it was before judges until 1.0.0") };
    expect(readStatus(host).guarding).toMatchObject({ ok: false, agents: [{ state: "guarded", because }] });
    await writeProject(host, AS_BEFORE);
    expect(readStatus(host).guarding).toMatchObject({ ok: true, agents: [{ because: null }], replaced: [] });
  });

  test("that somebody is at work in stays as it was locked and approved, and write says what comes next", async () => {
    const { host, folder, approved } = await linkedProject();
    fs.appendFileSync(path.join(folder, "hooks/guard/policy.ts"), "// changed\n");
    const { findings, plan, guarding } = await writeProject(host, AS_BEFORE);
    expect({ policies: plan.policies.length, tree: treeIn(host.cwd), ok: guarding.ok }).toEqual({
      policies: 1,
      tree: approved,
      ok: true,
    });
    const hint = advise`drwn card source doctor ${folder} && ${drwn("write")}`;
    expect(findings).toMatchObject([{ code: "linked-card-edited", severity: "warning", hint }]);
    expect(await checkLinks(host, openProject(host))).toMatchObject([{ code: "linked-card-edited" }]);
  });

  test("that is not on this machine stays as it was locked, and that is said", async () => {
    const { host, folder } = await linkedProject();
    fs.rmSync(folder, { recursive: true });
    expect((await writeProject(host, AS_BEFORE)).plan.policies).toHaveLength(1);
    expect(await checkLinks(host, openProject(host))).toMatchObject([
      { code: "linked-card-unusable", severity: "warning" },
    ]);
    fs.mkdirSync(folder);
  });
});
