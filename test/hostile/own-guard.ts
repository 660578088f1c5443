import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import type { Ledger } from "../../src/contract/ledger.ts";
import { removeTree } from "../../src/kernel/files.ts";
import { diagnoseProject } from "../../src/operations/diagnose/diagnose.ts";
import { openProject } from "../../src/project/open/open-project.ts";
import type { TestHost } from "../support/host.ts";
import { editJson, ledgerFile, openProjectKey, userSettings } from "../support/machine-state.ts";
import { guardedProject } from "../support/projects.ts";
import { callTool } from "./machine.ts";

/** What an agent can do to its own guard with the tools that it has: it runs as the user. */
export interface Edit {
  what: string;
  edit: (host: TestHost) => void;
  /** The next call. */
  call: "blocked" | "denied by the guard" | "silence";
  /** The code of a finding of doctor; null: nothing is wrong. */
  doctor: string | null;
}

const planFile = (host: TestHost): string => {
  const { key, ledger } = openProject(host);
  return layout.plan(host.drwnHome, key, ledger?.plan ?? "");
};
const bundleFile = (host: TestHost): string => {
  const { key, ledger } = openProject(host);
  return layout.bundle(host.drwnHome, key, Object.values(ledger?.grants[0]?.approved[0]?.bundles ?? {})[0] ?? "");
};
const forceWrite = (file: string, text: string): void => {
  fs.rmSync(file, { force: true });
  fs.writeFileSync(file, text);
};
const replaceLauncher = (host: TestHost, text: string): void => {
  forceWrite(layout.launcher(host.drwnHome), text);
  fs.chmodSync(layout.launcher(host.drwnHome), 0o755);
};
const edited = (file: string, from: string | RegExp, to: string): void =>
  forceWrite(file, fs.readFileSync(file, "utf8").replace(from, to));
export const ledgerWith = (host: TestHost, change: (ledger: Ledger) => void): void =>
  editJson(ledgerFile(host), change);

export const EDITS: readonly Edit[] = [
  { what: "nothing", edit: () => undefined, call: "denied by the guard", doctor: null },
  {
    what: "takes the entry out of the settings",
    edit: (h) => fs.writeFileSync(userSettings(h), "{}"),
    call: "denied by the guard",
    doctor: "not-written",
  },
  {
    what: "removes the settings",
    edit: (h) => fs.rmSync(userSettings(h)),
    call: "denied by the guard",
    doctor: "not-written",
  },
  {
    what: "narrows the entry's matcher",
    edit: (h) => edited(userSettings(h), '"hooks": [', '"matcher": "Nothing", "hooks": ['),
    call: "denied by the guard",
    doctor: "not-written",
  },
  {
    what: "lets failures of the entry pass",
    edit: (h) => edited(userSettings(h), '"block"', '"continue"'),
    call: "denied by the guard",
    doctor: "not-written",
  },
  {
    what: "switches all hooks off",
    edit: (h) => edited(userSettings(h), "{", '{ "disableAllHooks": true,'),
    call: "denied by the guard",
    doctor: "hooks-disabled",
  },
  {
    what: "breaks the settings",
    edit: (h) => fs.appendFileSync(userSettings(h), "//"),
    call: "denied by the guard",
    doctor: "settings-invalid",
  },
  {
    what: "switches hooks off in the project's settings",
    edit: (h) => projectSettings(h, '{ "disableAllHooks": true }'),
    call: "denied by the guard",
    doctor: "hooks-disabled",
  },
  { what: "removes the plan", edit: (h) => fs.rmSync(planFile(h)), call: "blocked", doctor: "not-written" },
  {
    what: "empties the plan",
    edit: (h) => forceWrite(planFile(h), '{"version":2,"policies":[]}'),
    call: "blocked",
    doctor: "not-written",
  },
  {
    what: "makes the guard an observer in the plan",
    edit: (h) => edited(planFile(h), "enforcement", "observer"),
    call: "blocked",
    doctor: "not-written",
  },
  {
    what: "removes the compiled guard",
    edit: (h) => fs.rmSync(bundleFile(h)),
    call: "denied by the guard",
    doctor: "not-written",
  },
  {
    what: "replaces the compiled guard by one that allows",
    edit: (h) => forceWrite(bundleFile(h), "exports.default={policyKind:'enforcement'}"),
    call: "denied by the guard",
    doctor: "not-written",
  },
  { what: "removes the ledger", edit: (h) => fs.rmSync(ledgerFile(h)), call: "blocked", doctor: "consents-lost" },
  { what: "empties the ledger", edit: (h) => forceWrite(ledgerFile(h), ""), call: "blocked", doctor: "ledger-invalid" },
  {
    what: "takes the grant out of the ledger",
    edit: (h) =>
      ledgerWith(h, (l) => {
        l.grants = [];
      }),
    call: "blocked",
    doctor: "not-written",
  },
  {
    what: "makes the ledger a link",
    edit: (h) => {
      const to = `${ledgerFile(h)}.moved`;
      fs.renameSync(ledgerFile(h), to);
      fs.symlinkSync(to, ledgerFile(h));
    },
    call: "blocked",
    doctor: "ledger-unsafe",
  },
  {
    what: "lets others write to the ledger",
    edit: (h) => fs.chmodSync(ledgerFile(h), 0o666),
    call: "blocked",
    doctor: "ledger-unsafe",
  },
  {
    what: "pauses for years",
    edit: (h) =>
      ledgerWith(h, (l) => {
        l.pausedUntil = "2099-01-01T00:00:00.000Z";
      }),
    call: "blocked",
    doctor: "paused",
  },
  {
    what: "makes the grant a shadow in the ledger",
    edit: (h) =>
      ledgerWith(h, (l) => {
        for (const g of l.grants) g.mode = "shadow";
      }),
    call: "silence",
    doctor: "consent-log-differs",
  },
  {
    what: "approves another content in the ledger",
    edit: (h) =>
      ledgerWith(h, (l) => {
        for (const g of l.grants)
          g.approved.push(...g.approved.map((a) => ({ ...a, tree: `${a.tree.slice(0, -1)}_` })));
      }),
    call: "denied by the guard",
    doctor: "consent-log-differs",
  },
  {
    what: "widens the range in the ledger",
    edit: (h) =>
      ledgerWith(h, (l) => {
        for (const g of l.grants) g.range = ">=0.0.0";
      }),
    call: "denied by the guard",
    doctor: "consent-log-differs",
  },
  {
    what: "edits the consent log",
    edit: (h) => edited(layout.consentLog(h.drwnHome, openProjectKey(h)), '"granted"', '"revoked"'),
    call: "denied by the guard",
    doctor: "consent-log-differs",
  },
  {
    what: "names another plan in the ledger",
    edit: (h) =>
      ledgerWith(h, (l) => {
        l.plan = `sha256-${"0".repeat(64)}`;
      }),
    call: "blocked",
    doctor: "not-written",
  },
  {
    what: "removes the launcher",
    edit: (h) => fs.rmSync(layout.launcher(h.drwnHome)),
    call: "blocked",
    doctor: "not-written",
  },
  {
    what: "replaces the launcher by one that agrees",
    edit: (h) => replaceLauncher(h, "#!/bin/sh\nexit 0\n"),
    call: "blocked",
    doctor: "not-written",
  },
  {
    what: "empties the launcher",
    edit: (h) => fs.truncateSync(layout.launcher(h.drwnHome)),
    call: "blocked",
    doctor: "not-written",
  },
  {
    what: "replaces the launcher by one that lies as the entry wants it",
    edit: (h) => replaceLauncher(h, "#!/bin/sh\nexit 100\n"),
    call: "silence",
    doctor: "not-written",
  },
  {
    what: "takes the right to run from the launcher",
    edit: (h) => fs.chmodSync(layout.launcher(h.drwnHome), 0o644),
    call: "blocked",
    doctor: "not-written",
  },
  {
    what: "removes the hook process",
    edit: (h) => fs.rmSync(layout.hook(h.drwnHome)),
    call: "blocked",
    doctor: "not-written",
  },
  {
    what: "removes the journal, and links it to nowhere",
    edit: (h) => unlinkJournal(h),
    call: "denied by the guard",
    doctor: "journal-unwritable",
  },
  {
    what: "removes all of drwn's state",
    edit: (h) => removeTree(h.drwnHome),
    call: "blocked",
    doctor: "card-not-installed",
  },
  {
    what: "drops the guard from the lock and the config",
    edit: (h) => dropFromLock(h),
    call: "denied by the guard",
    doctor: "guard-left-the-lock",
  },
];

function projectSettings(host: TestHost, text: string): void {
  const file = path.join(host.cwd, ".claude", "settings.json");
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

function unlinkJournal(host: TestHost): void {
  const file = layout.journal(host.drwnHome, openProjectKey(host));
  fs.rmSync(file, { force: true });
  fs.symlinkSync("/nowhere/at/all", file);
}

function dropFromLock(host: TestHost): void {
  editJson<{ cards: object }>(path.join(host.cwd, ".agents/drwn/config.json"), (config) => {
    config.cards = {};
  });
  editJson<{ cards: object[] }>(path.join(host.cwd, ".agents/drwn/card.lock"), (lock) => {
    lock.cards = [];
  });
}

/** The edit stops the call, or doctor names it. */
export async function expectSeen({ edit, call, doctor }: Edit): Promise<void> {
  const host = await guardedProject();
  edit(host);
  expect(callTool(host)).toBe(call);
  const { findings } = await diagnoseProject(host);
  const codes = findings.map(({ code }) => code);
  if (doctor === null) expect(codes).toEqual([]);
  else expect(codes).toContain(doctor);
}
