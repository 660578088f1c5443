import fs from "node:fs";
import path from "node:path";
import { layout } from "../../src/contract/layout.ts";
import type { TestHost } from "../support/host.ts";
import { userSettings } from "../support/machine-state.ts";
import { anotherProject, CARD, cloneOf, GUARD, newProject, projectWith, publish } from "../support/projects.ts";
import { guarded, succeed } from "./hinted.ts";

export const TWO = { ...GUARD, name: "@me/two" };
const MAJOR = { ...GUARD, version: "2.0.0" };
export type Situation = () => Promise<{ host: TestHost; line: string }>;

/** Where a project is guarded, with nothing left to do, once every hint was followed. */
export const TO_A_GUARD: Readonly<Record<string, Situation>> = {
  "a card that was added": async () => ({ host: await withCard(), line: `add ${CARD}` }),
  "two cards that a clone brings": async () => {
    const host = await guarded(GUARD, TWO);
    return { host: clonedOn(host), line: "init" };
  },
  "a clone that is asked where it stands": async () => ({ host: clonedOn(await guarded(GUARD)), line: "status" }),
  "a clone that was installed": async () => ({ host: clonedOn(await guarded(GUARD)), line: "install" }),
  "a clone that is looked through": async () => ({ host: clonedOn(await guarded(GUARD)), line: "doctor" }),
  "a later version outside of the consent": async () => {
    const host = await guarded(GUARD);
    await publish(host, MAJOR);
    return { host, line: "outdated" };
  },
  "a later version that is only listed": async () => {
    const host = await guarded(GUARD);
    await publish(host, { ...GUARD, version: "1.1.0" });
    return { host, line: "outdated" };
  },
  "a lock that somebody else has moved on": async () => {
    const host = await guarded(GUARD);
    const old = cloneOf(host);
    await publish(host, MAJOR);
    await succeed(host, "update --latest");
    const later = cloneOf(host);
    for (const [from, line] of [
      [old, "install"],
      [later, ""],
    ] as const) {
      fs.cpSync(path.join(from, ".agents"), path.join(host.cwd, ".agents"), { recursive: true, force: true });
      if (line !== "") await succeed(host, line);
    }
    return { host, line: "install" };
  },
  "a consent in other terms, without a terminal": async () => ({
    host: await guarded(GUARD),
    line: `card trust ${CARD} --hooks --restrict-only --expires 30d`,
  }),
  "cards that wait for a consent": async () => {
    const host = await withCard();
    await succeed(host, `add ${CARD}`);
    return { host, line: "card trust" };
  },
  "a consent that was withdrawn": async () => {
    const host = await guarded(GUARD);
    await succeed(host, `card untrust ${CARD}`);
    return { host, line: "status" };
  },
  "a guard that isn't in force": async () => {
    const host = await withCard();
    await succeed(host, `add ${CARD}`);
    return { host, line: `why ${CARD}` };
  },
  "consents that the repository asks for": async () => {
    const host = await withCard();
    await succeed(host, `add ${CARD}`);
    const requests = { [CARD]: { hooks: "^1.0.0" } };
    fs.writeFileSync(path.join(host.cwd, ".agents/drwn/trust.json"), JSON.stringify({ version: 1, requests }));
    return { host, line: "trust" };
  },
  "settings without drwn's entry": async () => {
    const host = await guarded(GUARD);
    fs.writeFileSync(userSettings(host), "{}");
    return { host, line: "status" };
  },
  "a ledger that is gone": async () => {
    const host = await guarded(GUARD);
    fs.rmSync(path.join(host.drwnHome, "ledger"), { recursive: true });
    return { host, line: "status" };
  },
  "a damaged copy of a card": async () => {
    const host = await guarded(GUARD);
    const [file = ""] = fs
      .readdirSync(layout.store(host.drwnHome), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith("policy.ts"))
      .map((name) => path.join(layout.store(host.drwnHome), name));
    fs.chmodSync(path.dirname(file), 0o700);
    fs.rmSync(file);
    return { host, line: "write" };
  },
};

/** Elsewhere the last one has done what there was to do. */
export const TO_AN_END: Readonly<Record<string, Situation>> = {
  "a card that was taken out": async () => ({ host: await guarded(GUARD, TWO), line: `remove ${CARD}` }),
  "a folder that moved": async () => {
    const host = await guarded(GUARD);
    const elsewhere = `${host.cwd}-moved`;
    fs.renameSync(host.cwd, elsewhere);
    return { host: host.at(elsewhere), line: "status" };
  },
  "a source that was cloned": async () => {
    const host = newProject();
    await succeed(host, "card new @me/own --into own");
    return { host, line: "card source use ./own/own" };
  },
  "a folder without a project": async () => {
    const host = newProject();
    fs.mkdirSync(path.join(host.home, "elsewhere"));
    return { host: host.at(path.join(host.home, "elsewhere")), line: "list" };
  },
};

async function withCard(): Promise<TestHost> {
  const host = await projectWith(GUARD);
  fs.mkdirSync(path.join(host.home, ".claude"), { recursive: true });
  return host;
}

/** Another folder of the same machine with what the project commits. */
function clonedOn(host: TestHost): TestHost {
  const clone = anotherProject(host, "clone");
  fs.cpSync(path.join(cloneOf(host), ".agents"), path.join(clone.cwd, ".agents"), { recursive: true, force: true });
  return clone;
}
