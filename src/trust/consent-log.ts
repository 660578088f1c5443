import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import { APPROVERS, type Approval, type Grant, type Ledger, MODES } from "../contract/ledger.ts";
import { digestOf } from "../kernel/digest.ts";
import { modeAt, openRegular, refuseSize } from "../kernel/files.ts";
import { readBounded } from "../kernel/format/read.ts";
import { instantText } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { decideOptions, type OptionsByHook, optionChanges, printOption } from "./options.ts";

/** The fields that every line of a log has, besides its own. */
const lineShape = {
  time: instantText,
  /** The user of the operating system. */
  user: z.string(),
  /** sha256 of the line before; "" in the first line. */
  previous: z.string(),
};

const line = z.strictObject({
  ...lineShape,
  /** The sequence of the ledger that this change made. */
  sequence: z.int().nonnegative(),
  what: z.enum([
    "granted",
    "approved",
    "held",
    "yanked",
    "revoked",
    "paused",
    "resumed",
    "set",
    "allowed",
    "disallowed",
  ]),
  /** null: the whole project. */
  card: z.string().nullable(),
  version: z.string().nullable(),
  tree: z.string().nullable(),
  range: z.string().nullable(),
  mode: z.enum(MODES).nullable(),
  /** For an approval: on whose word. */
  by: z.enum([...APPROVERS, "project"]).nullable(),
  /** For a pause: when it ends by itself. */
  until: instantText.nullable(),
  /** For a version that was held back: the one that stays in force. */
  inForce: z.string().exactOptional(),
  /** For an option that was set: `hook.option=value`. */
  option: z.string().exactOptional(),
  /** For an exception: its id, which hook it passes, for what, and why. */
  exception: z.string().exactOptional(),
});

/** One change of what a project's user consented to. */
export type ConsentEvent = Omit<z.infer<typeof line>, "previous">;

/** The differences between two ledgers of one project, as events; none: nothing that concerns consent. */
function describeLedgerChange(
  before: Ledger | undefined,
  after: Ledger,
  word: OptionsWord | undefined,
): Omit<ConsentEvent, "user">[] {
  const sequence = after.sequence + 1;
  return after.grants.flatMap((grant) => {
    const former = before?.grants.find(({ card }) => card === grant.card);
    const changes = [...changesOfGrant(former, grant), ...changesOfOptions(former, grant, word)];
    return changes.map((change) => ({ sequence, card: grant.card, ...change }));
  });
}

/** The options whose values changed; at the first consent, those whose values differ from what the card declares. */
function changesOfOptions(former: Grant | undefined, grant: Grant, word: OptionsWord | undefined): Change[] {
  if (grant.revokedAt !== null) return [];
  const last = grant.approved.at(-1);
  const before = { ...declaredDefaults(grant), ...(former?.revokedAt === null ? former.options : {}) };
  const { by, time } = word ?? { by: last?.by ?? null, time: grant.grantedAt };
  return optionChanges(before, grant.options).map(({ hook, option, to }) => {
    return { ...about(grant, last), what: "set", time, by, option: printOption(hook, option, to) };
  });
}

function declaredDefaults({ ceiling }: Grant): OptionsByHook {
  return decideOptions({
    hooks: Object.entries(ceiling).map(([name, facts]) => ({ ...facts, name })),
    set: {},
    former: undefined,
  });
}

type Change = Omit<ConsentEvent, "user" | "sequence" | "card">;

function changesOfGrant(former: Grant | undefined, grant: Grant): Change[] {
  const last = grant.approved.at(-1);
  if (grant.revokedAt !== null) {
    if (former !== undefined && former.revokedAt !== null) return [];
    return [{ ...about(grant, last), what: "revoked", time: grant.revokedAt, by: null }];
  }
  const stands = former !== undefined && former.revokedAt === null;
  if (!stands || former.grantedAt !== grant.grantedAt || termsText(former) !== termsText(grant)) {
    return [{ ...about(grant, last), what: "granted", time: grant.grantedAt, by: last?.by ?? null }];
  }
  return grant.approved.flatMap((approval): Change[] => {
    const known = former.approved.find(({ tree }) => tree === approval.tree);
    // A version that was approved before may come into force again by itself.
    const isBack = approval === last && former.approved.at(-1)?.tree !== approval.tree;
    if (known === undefined || isBack)
      return [{ ...about(grant, approval), what: "approved", time: approval.at, by: approval.by }];
    if (approval.yankedAt === null || known.yankedAt !== null) return [];
    return [{ ...about(grant, approval), what: "yanked", time: approval.yankedAt, by: null }];
  });
}

function termsText({ range, publisher, source, mode, hooks, askFallback, expiresAt, onYank, runtimes }: Grant): string {
  return JSON.stringify([range, publisher, source, mode, hooks, askFallback, expiresAt, onYank, runtimes]);
}

function about({ range, mode }: Grant, approval: Approval | undefined) {
  return { version: approval?.cardVersion ?? null, tree: approval?.tree ?? null, range, mode, until: null };
}

/**
 * Notes a change of the ledger that is about to happen, before the ledger is replaced: so every consent has its line.
 * If the command dies in between, the log has a line for a ledger that never existed; the next ledger gets the same
 * number.
 */
export function recordLedgerChange(
  { home, key }: { home: string; key: string },
  { before, after }: { before: Ledger | undefined; after: Ledger },
  word?: OptionsWord,
): void {
  appendConsentEvents(home, key, describeLedgerChange(before, after, word));
}

/** On whose word options change, and when; absent: on that of the consent. */
export interface OptionsWord {
  by: "person" | "project";
  time: string;
}

export function appendConsentEvents(home: string, key: string, events: readonly Omit<ConsentEvent, "user">[]): void {
  appendLines(layout.consentLog(home, key), events);
}

/** A version that a lock brings and that waits for a person. */
export interface HeldVersion {
  grant: Grant;
  version: string;
  tree: string;
  /** The version that stays in force meanwhile, or `nothing`. */
  inForce: string;
}

/** Notes each version once, however often `write` finds it held back. */
export function recordHeld(
  { home, key }: { home: string; key: string },
  { sequence }: Ledger,
  { held, now }: { held: readonly HeldVersion[]; now: Date },
): void {
  if (held.length === 0) return;
  const { events } = readConsentLog(home, key);
  const news = held.flatMap(({ grant: { card, range, mode }, version, tree, inForce }) => {
    const last = events.findLast((event) => event.card === card);
    if (last?.what === "held" && last.tree === tree) return [];
    const about = { sequence, card, version, tree, range, mode, by: null, until: null, inForce };
    return [{ ...about, what: "held" as const, time: now.toISOString() }];
  });
  if (news.length > 0) appendConsentEvents(home, key, news);
}

export type ConsentLog = ChainedLog<ConsentEvent>;

export function readConsentLog(home: string, key: string): ConsentLog {
  return readLines(layout.consentLog(home, key), line);
}

/** More than a machine writes in years. */
const LIMITS = { maximumBytes: 64 * 1024 * 1024 };

/** Appends lines, each naming the one before it, to a file that only grows. They are on disk when it returns. */
function appendLines(file: string, events: readonly object[]): void {
  if (events.length === 0) return;
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = fs.constants;
  const fd = openRegular(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, modeAt(file, 0o600));
  if (fd === undefined) throw new Problem("DRWN_FILE_INVALID", `${clean(file)} was removed while drwn was working`);
  try {
    const { size } = fs.fstatSync(fd);
    refuseSize(file, size, LIMITS.maximumBytes);
    const text = fs.readFileSync(fd, "utf8");
    // Part of a line, left by a killed process, stays a line by itself: no later line is mixed with it.
    const isTorn = text !== "" && !text.endsWith("\n");
    let previous = linesOf(text).at(-1) ?? "";
    const user = userName();
    const added = events.map((one) => {
      previous = JSON.stringify({ ...one, user, previous: previous === "" ? "" : digestOf(previous) });
      return `${previous}\n`;
    });
    appendWhole(fd, size, `${isTorn ? "\n" : ""}${added.join("")}`);
  } finally {
    fs.closeSync(fd);
  }
}

/** If the disk is full, none of the text stays: the change that it belongs to won't be made. */
function appendWhole(fd: number, size: number, text: string): void {
  try {
    fs.writeFileSync(fd, text);
    fs.fsyncSync(fd);
  } catch (error) {
    fs.ftruncateSync(fd, size);
    throw error;
  }
}

export interface ChainedLog<Event> {
  events: Event[];
  /** Numbers of the lines that were edited or torn, or that follow a line that is gone. */
  broken: number[];
}

/** The log, oldest first. Its lines are chained: an edited or missing line shows, as long as lines follow it. */
function readLines<Line extends { previous: string }>(
  file: string,
  schema: z.ZodType<Line>,
): ChainedLog<Omit<Line, "previous">> {
  const text = readBounded(file, LIMITS)?.toString("utf8") ?? "";
  const log: ChainedLog<Omit<Line, "previous">> = { events: [], broken: [] };
  let previous = "";
  linesOf(text).forEach((one, at) => {
    const parsed = parseLine(one, schema);
    if (parsed === undefined || parsed.previous !== (previous === "" ? "" : digestOf(previous)))
      log.broken.push(at + 1);
    if (parsed !== undefined) {
      const { previous: _, ...rest } = parsed;
      log.events.push(rest);
    }
    previous = one;
  });
  return log;
}

function parseLine<Line>(text: string, schema: z.ZodType<Line>): Line | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((one) => one !== "");
}

function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}

const settingsLine = z.strictObject({
  ...lineShape,
  ancestry: z.boolean(),
  terminal: z.boolean(),
  releaseAgeHours: z.int().nonnegative(),
});

/** One change of how this machine takes consents, with the settings from then on. */
export type SettingsEvent = Omit<z.infer<typeof settingsLine>, "previous">;

/** Notes a change of the settings that is about to happen, before they are replaced: so every change has its line. */
export function recordSettingsChange(home: string, event: Omit<SettingsEvent, "user">): void {
  appendLines(layout.settingsLog(home), [event]);
}

export function readSettingsLog(home: string): ChainedLog<SettingsEvent> {
  return readLines(layout.settingsLog(home), settingsLine);
}

/** How a machine takes consents: how sure it wants to be that a person gives them. */
export type ConsentTaking = Omit<SettingsEvent, "time" | "user">;

const NAMES = ["ancestry", "terminal", "releaseAgeHours"] as const satisfies (keyof ConsentTaking)[];

/** What was set last; `first` if nothing ever was. */
export function recordedTaking({ events }: ChainedLog<SettingsEvent>, first: ConsentTaking): ConsentTaking {
  const { ancestry, terminal, releaseAgeHours } = events.at(-1) ?? first;
  return { ancestry, terminal, releaseAgeHours };
}

/** Names of the settings that differ. */
export function settingsApart(one: ConsentTaking, other: ConsentTaking): (keyof ConsentTaking)[] {
  return NAMES.filter((name) => one[name] !== other[name]);
}
