import fs from "node:fs";
import os from "node:os";
import { layout } from "../contract/layout.ts";
import { APPROVERS, type Approval, type Grant, type Ledger, MODES } from "../contract/ledger.ts";
import { readBounded } from "../format/read.ts";
import { instantText } from "../format/schema.ts";
import * as z from "../format/zod.ts";
import { digestOf } from "../kernel/digest.ts";

const event = z.strictObject({
  /** The ledger that this made. */
  sequence: z.int().nonnegative(),
  time: instantText,
  what: z.enum(["granted", "approved", "yanked", "revoked", "paused", "resumed"]),
  /** null: the whole project. */
  card: z.string().nullable(),
  version: z.string().nullable(),
  tree: z.string().nullable(),
  range: z.string().nullable(),
  mode: z.enum(MODES).nullable(),
  /** Of an approval: on whose word. */
  by: z.enum(APPROVERS).nullable(),
  /** Of a pause: when it ends by itself. */
  until: instantText.nullable(),
  /** The user of the operating system. */
  user: z.string(),
});

const line = event.extend({
  /** sha256 of the line before; "" of the first. */
  previous: z.string(),
});

/** One change of what a project's user consented to. */
export type ConsentEvent = z.infer<typeof event>;

/** More than a project sees in years. */
const LIMITS = { maximumBytes: 64 * 1024 * 1024 };

/** What differs between two ledgers of one project, in words; none: nothing that concerns consent. */
function describeLedgerChange(before: Ledger | undefined, after: Ledger): Omit<ConsentEvent, "user">[] {
  const sequence = after.sequence + 1;
  return after.grants.flatMap((grant) => {
    const former = before?.grants.find(({ card }) => card === grant.card);
    return changesOfGrant(former, grant).map((change) => ({ sequence, card: grant.card, ...change }));
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
    if (known === undefined)
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
 * Notes what is about to become of the ledger; called before it is replaced, so that no consent is without its line. A
 * command that dies in between leaves a line of a ledger that never was; the next one has the same number.
 */
export function recordLedgerChange(
  { home, key }: { home: string; key: string },
  before: Ledger | undefined,
  after: Ledger,
): void {
  appendConsentEvents(home, key, describeLedgerChange(before, after));
}

export function appendConsentEvents(home: string, key: string, events: readonly Omit<ConsentEvent, "user">[]): void {
  if (events.length === 0) return;
  fs.mkdirSync(layout.ledgers(home), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = fs.constants;
  const fd = fs.openSync(layout.consentLog(home, key), O_APPEND | O_CREAT | O_NOFOLLOW | O_RDWR, 0o600);
  try {
    const text = fs.readFileSync(fd, "utf8");
    // What a killed process left of a line stays one line of its own, which no later line is mixed with.
    const isTorn = text !== "" && !text.endsWith("\n");
    let previous = linesOf(text).at(-1) ?? "";
    const user = userName();
    const added = events.map((one) => {
      previous = JSON.stringify({ ...one, user, previous: previous === "" ? "" : digestOf(previous) });
      return `${previous}\n`;
    });
    fs.writeSync(fd, `${isTorn ? "\n" : ""}${added.join("")}`);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

export interface ConsentLog {
  events: ConsentEvent[];
  /** Numbers of the lines that were edited, torn, or put after a line that is gone. */
  broken: number[];
}

/** The log, oldest first. Its lines are chained: one that was edited or taken out shows, as long as lines follow it. */
export function readConsentLog(home: string, key: string): ConsentLog {
  const text = readBounded(layout.consentLog(home, key), LIMITS)?.toString("utf8") ?? "";
  const log: ConsentLog = { events: [], broken: [] };
  let previous = "";
  linesOf(text).forEach((one, at) => {
    const parsed = parseLine(one);
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

function parseLine(text: string): z.infer<typeof line> | undefined {
  try {
    return line.safeParse(JSON.parse(text)).data;
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
