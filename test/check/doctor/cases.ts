import fs from "node:fs";
import path from "node:path";
import { layout } from "../../../src/contract/layout.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { revokeConsent } from "../../../src/operations/project/untrust.ts";
import { writeConfig } from "../../../src/project/config.ts";
import { projectFiles } from "../../../src/project/identity.ts";
import { EMPTY_LOCK, writeLock } from "../../../src/project/lock.ts";
import { openProject } from "../../../src/project/open/open-project.ts";
import { readLedger } from "../../../src/trust/ledger-file.ts";
import { markersOf } from "../../../src/trust/project-key.ts";
import { writeTree } from "../../support/cards.ts";
import type { TestHost } from "../../support/host.ts";
import { editJson, ledgerFile, openProjectKey, userSettings } from "../../support/machine-state.ts";
import { CARD, GUARD, plant, publish } from "../../support/projects.ts";

export interface Spoiled {
  /** Exactly these codes are found, in this order, each once or more. */
  codes: string[];
  ok: boolean;
  /** Of the first hook issue; null: there is none. */
  reason: RegExp | null;
  fix?: string;
  spoil: (host: TestHost) => void | Promise<unknown>;
}

export function planFile(host: TestHost): string {
  const key = openProjectKey(host);
  return layout.plan(host.drwnHome, key, readLedger(host.drwnHome, key)?.plan ?? "");
}

export function bundleFile(host: TestHost): string {
  const key = openProjectKey(host);
  const [bundle = ""] = Object.values(readLedger(host.drwnHome, key)?.grants[0]?.approved[0]?.bundles ?? {});
  return layout.bundle(host.drwnHome, key, bundle);
}

function storedPolicy(host: TestHost): string {
  const tree = JSON.parse(fs.readFileSync(projectFiles.lock(host.cwd), "utf8")).cards[0].tree;
  return path.join(layout.store(host.drwnHome), tree, "hooks/guard/policy.ts");
}

function damage(file: string): void {
  fs.chmodSync(file, 0o644);
  fs.appendFileSync(file, "\n");
}

export function journal(host: TestHost, lines: readonly string[]): void {
  fs.writeFileSync(layout.journal(host.drwnHome, openProjectKey(host)), lines.map((line) => `${line}\n`).join(""));
}

function addSettings(file: string, settings: Record<string, unknown>): void {
  const former = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : {};
  writeTree(path.dirname(file), { [path.basename(file)]: JSON.stringify({ ...former, ...settings }, null, 2) });
}

export const failing = (time: string, failure: string | undefined, kind = "enforcement") =>
  JSON.stringify({ time, policies: [{ policy: `${CARD}@1.0.0#guard`, kind, bundle: "x", failure }] });

const NOT_WRITTEN = { codes: ["not-written"], ok: false, fix: "drwn write" };
const DISABLED = { codes: ["hooks-disabled"], ok: false, reason: /disableAllHooks/u };

export const CASES: Record<string, Spoiled> = {
  "a consent that was withdrawn and not written yet": {
    codes: ["hooks-not-applied", "not-written"],
    ok: false,
    reason: /the consent to its hooks was revoked/u,
    fix: `drwn card trust ${CARD} --hooks`,
    spoil: (host) => revokeConsent(host, CARD),
  },
  "a version that waits": {
    codes: ["hooks-not-applied"],
    ok: true,
    reason: /outside the range \^1\.0\.0.*1\.0\.0 stays in force/u,
    fix: `drwn card trust ${CARD} --hooks`,
    spoil: async (host) => {
      await publish(host, { ...GUARD, version: "2.0.0" });
      await addCards(host, [`${CARD}@2.0.0`]);
    },
  },
  "a version that waits, where nothing is in force": {
    codes: ["hooks-not-applied", "not-written"],
    ok: false,
    reason: /outside the range \^1\.0\.0.*nothing of it runs/u,
    spoil: async (host) => {
      await publish(host, { ...GUARD, version: "2.0.0" });
      await addCards(host, [`${CARD}@2.0.0`]);
      fs.rmSync(userSettings(host));
    },
  },
  "a version that joins and is not written yet": {
    ...NOT_WRITTEN,
    reason: /the consents are not written yet/u,
    spoil: async (host) => {
      await publish(host, { ...GUARD, version: "1.1.0" });
      await addCards(host, [CARD]);
    },
  },
  "a version without hooks in the place of a guard": {
    codes: ["hooks-not-applied"],
    ok: true,
    reason: /guard: removed/u,
    fix: `drwn card untrust ${CARD} --hooks`,
    spoil: async (host) => {
      await plant(host, { version: "1.1.0" });
      await addCards(host, [CARD]);
    },
  },
  "a guard that left the lock": {
    codes: ["guard-left-the-lock"],
    ok: true,
    reason: null,
    spoil: (host) => {
      writeConfig(host.cwd, { version: 1, cards: {} });
      writeLock(host.cwd, EMPTY_LOCK);
    },
  },
  "a compiled policy that is gone": {
    ...NOT_WRITTEN,
    reason: /a compiled policy is missing/u,
    spoil: (host) => fs.rmSync(bundleFile(host)),
  },
  "a compiled policy that was altered": {
    ...NOT_WRITTEN,
    reason: /a compiled policy was altered/u,
    spoil: (host) => damage(bundleFile(host)),
  },
  "a plan that is gone": {
    ...NOT_WRITTEN,
    reason: /not written yet/u,
    spoil: (host) => fs.rmSync(planFile(host)),
  },
  "a plan that was altered": {
    ...NOT_WRITTEN,
    reason: /not written yet/u,
    spoil: (host) => damage(planFile(host)),
  },
  "a note of an earlier version that one process is enough": {
    ...NOT_WRITTEN,
    reason: /not written yet/u,
    spoil: (host) => fs.writeFileSync(layout.confined(host.drwnHome, openProjectKey(host)), "10\n"),
  },
  "a marker that is gone": {
    ...NOT_WRITTEN,
    reason: /not written yet/u,
    spoil: (host) => {
      for (const marker of markersOf(host.drwnHome, openProject(host).identity)) fs.rmSync(marker);
    },
  },
  "a hook process that is gone": {
    ...NOT_WRITTEN,
    reason: /the hook process is missing or was altered/u,
    spoil: (host) => fs.rmSync(layout.hook(host.drwnHome)),
  },
  "a launcher that was altered": {
    ...NOT_WRITTEN,
    reason: /the hook launcher is missing or was altered/u,
    spoil: (host) => fs.writeFileSync(layout.launcher(host.drwnHome), "#!/bin/sh\nexit 0\n"),
  },
  "a launcher that cannot be run": {
    ...NOT_WRITTEN,
    reason: /the hook launcher is missing or was altered/u,
    spoil: (host) => fs.chmodSync(layout.launcher(host.drwnHome), 0o644),
  },
  "a hook entry that is gone": {
    ...NOT_WRITTEN,
    reason: /the hook entry is missing from .*settings\.json, or was edited/u,
    spoil: (host) => fs.rmSync(userSettings(host)),
  },
  "a hook entry for fewer tools": {
    ...NOT_WRITTEN,
    reason: /the hook entry is missing from .*settings\.json, or was edited/u,
    spoil: (host) =>
      editJson<{ hooks: { PreToolUse: { matcher: string }[] } }>(userSettings(host), ({ hooks }) => {
        for (const group of hooks.PreToolUse) group.matcher = "Read";
      }),
  },
  "disableAllHooks in the user's settings": {
    ...DISABLED,
    spoil: (host) => addSettings(userSettings(host), { disableAllHooks: true }),
  },
  "disableAllHooks in the project's settings": {
    ...DISABLED,
    spoil: (host) => addSettings(path.join(host.cwd, ".claude/settings.json"), { disableAllHooks: true }),
  },
  "disableAllHooks in the project's own settings": {
    ...DISABLED,
    spoil: (host) => addSettings(path.join(host.cwd, ".claude/settings.local.json"), { disableAllHooks: true }),
  },
  "a program that the project puts in front of the shell, which starts no hook of drwn's": {
    codes: [],
    ok: true,
    reason: null,
    spoil: (host) =>
      addSettings(path.join(host.cwd, ".claude/settings.json"), { env: { CLAUDE_CODE_SHELL_PREFIX: "./x.sh" } }),
  },
  "a user whose Claude Code starts without hooks": {
    codes: ["hooks-disabled"],
    ok: false,
    reason: /CLAUDE_CODE_SIMPLE makes Claude Code start without any hook/u,
    spoil: (host) => addSettings(userSettings(host), { env: { CLAUDE_CODE_SIMPLE: "1" } }),
  },
  "a project that would have it so, which Claude Code does not heed": {
    codes: [],
    ok: true,
    reason: null,
    spoil: (host) => addSettings(path.join(host.cwd, ".claude/settings.json"), { env: { CLAUDE_CODE_SAFE_MODE: "1" } }),
  },
  "settings of the project that are no JSON": {
    codes: ["settings-unreadable"],
    ok: false,
    reason: /settings\.json, line 1/u,
    spoil: (host) => void writeTree(host.cwd, { ".claude/settings.json": "{," }),
  },
  "user settings that are no JSON": {
    codes: ["settings-invalid"],
    ok: false,
    reason: /settings\.json, line 1/u,
    spoil: (host) => fs.writeFileSync(userSettings(host), "{,"),
  },
  "a lock out of step": {
    codes: ["lock-outdated"],
    ok: false,
    reason: /does not belong to config\.json/u,
    fix: "drwn install",
    spoil: (host) => writeConfig(host.cwd, { version: 1, cards: { [CARD]: "^2.0.0" } }),
  },
  "a store that was damaged": {
    codes: ["integrity-mismatch"],
    ok: false,
    reason: /was changed after it was stored/u,
    fix: "drwn install",
    spoil: (host) => damage(storedPolicy(host)),
  },
  "a ledger that was damaged": {
    codes: ["ledger-invalid"],
    ok: false,
    reason: /the record of your consents is damaged/u,
    spoil: (host) => fs.writeFileSync(ledgerFile(host), "{}"),
  },
  "a ledger that others may change": {
    codes: ["ledger-unsafe"],
    ok: false,
    reason: /can be changed by other users/u,
    spoil: (host) => fs.chmodSync(ledgerFile(host), 0o666),
  },
  "a folder of drwn's that others may change": {
    codes: ["home-open"],
    ok: false,
    reason: /bin can be changed by other users/u,
    spoil: (host) => fs.chmodSync(path.dirname(layout.launcher(host.drwnHome)), 0o777),
  },
  "an agent's folder that others may change": {
    codes: ["home-open"],
    ok: false,
    reason: /\.claude can be changed by other users, who could take drwn's entry away/u,
    spoil: (host) => fs.chmodSync(path.dirname(userSettings(host)), 0o777),
  },
  "a list of projects that another group may change": {
    codes: ["home-open"],
    ok: false,
    reason: /roots can be changed by other users/u,
    spoil: (host) => {
      // Whoever may not give a folder away leaves it to everybody.
      if (process.getuid?.() !== 0) return fs.chmodSync(layout.roots(host.drwnHome), 0o777);
      fs.chownSync(layout.roots(host.drwnHome), 0, 12_345);
      fs.chmodSync(layout.roots(host.drwnHome), 0o775);
    },
  },
  "a ledger that is gone": {
    codes: ["consents-lost", "hooks-not-applied", "not-written"],
    ok: false,
    reason: /consented/u,
    spoil: (host) => fs.rmSync(ledgerFile(host)),
  },
  "a journal that is a link, which no line is written to": {
    codes: ["journal-unwritable"],
    ok: true,
    reason: null,
    spoil: (host) => {
      journal(host, []);
      const file = layout.journal(host.drwnHome, openProjectKey(host));
      fs.renameSync(file, `${file}.elsewhere`);
      fs.symlinkSync(`${file}.elsewhere`, file);
    },
  },
  "policies that failed, in the journal": {
    codes: ["policy-failed"],
    ok: true,
    reason: null,
    spoil: (host) =>
      journal(host, [
        failing("2026-03-01T10:00:00.000Z", "first"),
        failing("2026-03-01T11:00:00.000Z", "second"),
        failing("2026-03-01T12:00:00.000Z", undefined),
        failing("2026-03-01T13:00:00.000Z", "seen by an observer", "observer"),
        '{"torn',
      ]),
  },
};
