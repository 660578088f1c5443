import fs from "node:fs";
import path from "node:path";
import { layout } from "../../contract/layout.ts";
import type { Grant, Ledger } from "../../contract/ledger.ts";
import { advise, drwn } from "../../kernel/advice.ts";
import { openRegular } from "../../kernel/files.ts";
import * as z from "../../kernel/format/zod.ts";
import type { Finding } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { CONSENT_DEFAULTS, readConsentSettings } from "../../registry/settings.ts";
import {
  type ConsentEvent,
  type ConsentLog,
  type ConsentTaking,
  readSettingsLog,
  recordedTaking,
  settingsApart,
} from "../../trust/consent-log.ts";

/** Doctor looks only at the newest part of the journal. */
const LOOKED_AT_BYTES = 256 * 1024;

const journaled = z.object({
  time: z.string(),
  policies: z.array(
    z.object({ policy: z.string(), kind: z.string().optional(), failure: z.string().nullable().optional() }),
  ),
});

/** Whether the hook notes calls, and which enforcement policies failed lately. */
export function checkJournal(home: string, key: string): Finding[] {
  return [...findUnwritable(home, key), ...findFailures(home, key)];
}

/** What keeps the hook process from noting calls. It changes no decision, so nothing else would show it. */
function findUnwritable(home: string, key: string): Finding[] {
  const unmade = nearestExisting(layout.project(home, key));
  if (!isWritable(unmade)) return [unwritable(unmade, "it isn't writable", "a folder")];
  const file = layout.journal(home, key);
  const why = whyUnwritable(file);
  return why === null ? [] : [unwritable(file, why, "a file")];
}

function unwritable(place: string, why: string, kind: string): Finding {
  const message = `the hook notes no calls in this project's journal, since ${why}`;
  const hint = `make it ${kind} that you may write to, or move it away`;
  return { code: "journal-unwritable", severity: "warning", subject: clean(place), message, hint };
}

/** The folder; if it doesn't exist yet, the nearest one above that does. */
function nearestExisting(folder: string): string {
  let existing = folder;
  while (!fs.existsSync(existing) && existing !== path.dirname(existing)) existing = path.dirname(existing);
  return existing;
}

function whyUnwritable(file: string): string | null {
  const isLink = fs.lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
  if (isLink === undefined) return null;
  if (isLink) return "it is a symbolic link";
  return isWritable(file) ? null : "it isn't writable";
}

function isWritable(place: string): boolean {
  try {
    fs.accessSync(place, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Enforcement policies that failed lately. Before a call, that blocked it; after a call, nothing could. */
function findFailures(home: string, key: string): Finding[] {
  const failures = new Map<string, { count: number; last: string; failure: string }>();
  for (const line of readTail(layout.journal(home, key)).split("\n")) {
    for (const { policy, failure, time } of failuresIn(line)) {
      failures.set(policy, { count: (failures.get(policy)?.count ?? 0) + 1, last: time, failure });
    }
  }
  return [...failures].map(([policy, { count, last, failure }]) => ({
    code: "policy-failed",
    severity: "warning",
    subject: policy,
    message: `failed ${count === 1 ? "once" : `${count} times`} lately, last at ${last}: ${failure}`,
    hint: null,
  }));
}

function failuresIn(line: string): { policy: string; failure: string; time: string }[] {
  try {
    const { time, policies } = journaled.parse(JSON.parse(line));
    return policies.flatMap(({ policy, kind, failure }) =>
      kind === "enforcement" && failure ? [{ policy, failure, time }] : [],
    );
  } catch {
    // A torn or foreign line says nothing about a policy.
    return [];
  }
}

function readTail(file: string): string {
  const fd = openRegular(file);
  if (fd === undefined) return "";
  try {
    const { size } = fs.fstatSync(fd);
    const length = Math.min(size, LOOKED_AT_BYTES);
    const bytes = Buffer.alloc(length);
    fs.readSync(fd, bytes, 0, length, size - length);
    return bytes.toString("utf8");
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Compares the ledger with the log of how it came about. drwn writes both. If somebody, an agent for example, edits one
 * by hand, the two differ.
 */
export function checkConsentLog(ledger: Ledger | undefined, { events, broken }: ConsentLog): Finding[] {
  const faults = broken.map((line) => `line ${line} of the log does not follow from the one before it`);
  // A ledger that is older than its log has nothing to be compared with.
  if (ledger !== undefined && events.length > 0) {
    for (const grant of ledger.grants) faults.push(...compareGrant(grant, events));
    for (const card of new Set(events.map((event) => event.card))) {
      if (card !== null && !ledger.grants.some((grant) => grant.card === card))
        faults.push(`${card} is gone from the ledger`);
    }
  }
  return faults.map((fault) => ({
    code: "consent-log-differs",
    severity: "error",
    subject: "consents",
    message: `something other than drwn changed the record of your consents: ${fault}`,
    hint: advise`${drwn("trust")}, ${drwn("trust", "--log")}, then consent again to what you want`,
  }));
}

/** The events that make or change a consent; the others, such as an exception, leave its terms alone. */
const CONSENTS: ReadonlySet<ConsentEvent["what"]> = new Set(["granted", "approved", "set", "revoked"]);

function compareGrant(grant: Grant, events: readonly ConsentEvent[]): string[] {
  const { card, revokedAt, mode, range, approved } = grant;
  // Nobody approved a version that was held back.
  const own = events.filter((event) => event.card === card && event.what !== "held");
  const last = own.findLast(({ what }) => CONSENTS.has(what));
  if (last === undefined) return [`${card} is in the ledger, but nobody consented to it`];
  if ((revokedAt !== null) !== (last.what === "revoked")) {
    return [
      `${card} ${revokedAt === null ? "is in the ledger, but was withdrawn" : "is withdrawn, but nobody withdrew it"}`,
    ];
  }
  if (revokedAt !== null) return [];
  const unknown = approved.find(({ tree }) => !own.some((event) => event.tree === tree));
  return [
    ...(last.mode === mode ? [] : [`${card} is in the mode ${mode}, but the consent was for ${last.mode ?? "none"}`]),
    ...(last.range === range
      ? []
      : [`${card} has the range ${range}, but the consent was for ${last.range ?? "none"}`]),
    ...(unknown === undefined
      ? []
      : [`${card}@${unknown.cardVersion} is approved, but nobody approved it (${unknown.tree})`]),
  ];
}

interface Fault {
  fault: string;
  hint: string;
}

const FLAGS = {
  ancestry: ["the ancestry is", (on: boolean) => (on ? "--ancestry" : "--no-ancestry")],
  terminal: ["the terminal is", (on: boolean) => (on ? "--terminal" : "--no-terminal")],
  releaseAgeHours: ["the release age is", (hours: number) => `--release-age ${hours}`],
} as const;

/** Compares how this machine takes consents with the log of those settings: an agent can edit the file, too. */
export function checkSettingsLog(home: string): Finding[] {
  const log = readSettingsLog(home);
  const recorded = recordedTaking(log, CONSENT_DEFAULTS);
  const found = readConsentSettings(home);
  const faults = [
    ...log.broken.map((line) => ({
      fault: `line ${line} of its log does not follow from the one before it`,
      // New lines don't fix a broken one, so a person moves the log away, and drwn starts another.
      hint: advise`${drwn("trust", "--log")}, move ${clean(layout.settingsLog(home))} away, then set again what you want with drwn trust settings`,
    })),
    ...settingsApart(recorded, found).map((name) => settingFault(name, recorded, found)),
  ];
  return faults.map(({ fault, hint }) => ({
    code: "consent-settings-differ",
    severity: "error",
    subject: "consents",
    message: `something other than drwn changed how this machine takes consents: ${fault}`,
    hint,
  }));
}

function settingFault(name: keyof typeof FLAGS, recorded: ConsentTaking, found: ConsentTaking): Fault {
  const [what] = FLAGS[name];
  const setTo = (taking: ConsentTaking): string =>
    name === "releaseAgeHours" ? FLAGS[name][1](taking[name]) : FLAGS[name][1](taking[name]);
  const command = "drwn trust settings";
  return {
    fault: `${what} not what was set`,
    hint: `if you set it, ${command} ${setTo(found)}; otherwise ${command} ${setTo(recorded)}`,
  };
}
