import fs from "node:fs";
import { hookFactsShape } from "../card/hooks/hook-index.ts";
import { optionValuesSchema } from "../card/options.ts";
import { publisherKeyText } from "../card/signing/publisher-key.ts";
import { layout } from "../contract/layout.ts";
import {
  APPROVERS,
  ASK_FALLBACKS,
  DRWN_ITSELF,
  EXCEPTION_ID,
  type Exception,
  type Grant,
  LEDGER_VERSION,
  type Ledger,
  MODES,
  type ProjectIdentity,
} from "../contract/ledger.ts";
import { isManagedHome } from "../contract/scopes.ts";
import { advise, drwn } from "../kernel/advice.ts";
import { digestOf } from "../kernel/digest.ts";
import { listFolder, type NotedEdit, toFileSystemProblem, writeNoted } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { parseFormat, readFormat } from "../kernel/format/read.ts";
import { treeText } from "../kernel/format/schema.ts";
import * as z from "../kernel/format/zod.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { shellQuote } from "../kernel/text.ts";
import { AGENT_IDS } from "../policy/event.ts";
import { type OptionsWord, recordLedgerChange } from "./consent-log.ts";

/** The hook process reads no more. */
const LIMITS = { maximumBytes: 16 * 1024 * 1024 };

const instant = z.iso.datetime();
const digest = z.string().regex(/^sha256-[0-9a-f]{64}$/u);

/**
 * Every field is spelled out, and none has a default: if one is missing, somebody took it out. Only the consents to
 * skills and options, and the exceptions, may be missing: then there are none.
 */
export const ledgerSchema = z.strictObject({
  version: z.literal(LEDGER_VERSION),
  sequence: z.int().nonnegative(),
  project: z.strictObject({
    path: z.string(),
    gitCommonDir: z.string().nullable(),
    gitPath: z.string().nullable(),
    inode: z.string().nullable(),
  }),
  plan: digest.nullable(),
  pausedUntil: instant.nullable(),
  grants: z.array(
    z.strictObject({
      card: z.string(),
      source: z.string(),
      publisher: publisherKeyText.nullable(),
      range: z.string(),
      mode: z.enum(MODES),
      hooks: z.array(z.string()).nullable(),
      askFallback: z.enum(ASK_FALLBACKS),
      expiresAt: instant.nullable(),
      onYank: z.enum(["keep", "stand-down"]),
      runtimes: z.array(z.enum(AGENT_IDS)).min(1).nullable(),
      grantedAt: instant,
      revokedAt: instant.nullable(),
      ceiling: z.record(z.string(), z.strictObject(hookFactsShape)),
      skills: z.record(z.string(), digest).exactOptional(),
      options: optionValuesSchema.exactOptional(),
      approved: z.array(
        z.strictObject({
          cardVersion: z.string(),
          tree: z.string(),
          publisher: z.union([publisherKeyText, z.literal(DRWN_ITSELF)]).nullable(),
          bundles: z.record(z.string(), digest),
          hooks: z.array(z.strictObject({ name: z.string(), ...hookFactsShape })),
          skills: z.record(z.string(), treeText).exactOptional(),
          restrictOnly: z.boolean(),
          by: z.enum(APPROVERS),
          at: instant,
          yankedAt: instant.nullable(),
        }),
      ),
    }),
  ),
  exceptions: z
    .array(
      z.strictObject({
        id: z.string().regex(EXCEPTION_ID),
        card: z.string(),
        hook: z.string(),
        facts: z.string(),
        call: z.string().nullable(),
        like: z.strictObject({ folder: z.string(), words: z.array(z.string()).min(1) }).nullable(),
        isOnce: z.boolean(),
        session: z.string().nullable(),
        expiresAt: instant.nullable(),
        reason: z.string(),
        at: instant,
      }),
    )
    .exactOptional(),
});

export function newLedger(project: ProjectIdentity): Ledger {
  return { version: LEDGER_VERSION, sequence: 0, project, plan: null, pausedUntil: null, grants: [] };
}

/** In place of a lost one: it names a plan that no file holds, so that every call stays blocked until `write` makes one. */
export function replacementLedger(project: ProjectIdentity): Ledger {
  return { ...newLedger(project), plan: digestOf("") };
}

/**
 * Undefined if nobody ever consented to anything. A damaged or unsafe ledger is a problem, and never counts as empty.
 */
export function readLedger(home: string, key: string): Ledger | undefined {
  const file = layout.ledger(home, key);
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const owner = isManagedHome(home) ? 0 : process.getuid?.();
  refuseUnsafe(file, stat, owner);
  refuseUnsafe(layout.ledgers(home), fs.lstatSync(layout.ledgers(home)), owner);
  try {
    return readFormat(file, ledgerSchema, LIMITS);
  } catch (error) {
    if (!isProblem(error)) throw unreadable(error);
    throw new Problem("DRWN_LEDGER_INVALID", `the record of your consents is damaged: ${error.message}`, {
      details: error.details,
      hint: advise`restore ${file} from a backup, or run: ${drwn("trust")}, or ${drwn("card untrust", "<card>", "--hooks")} and ${drwn("write")}`,
      cause: error,
    });
  }
}

function unreadable(error: unknown): unknown {
  const refused = toFileSystemProblem(error);
  if (refused === undefined) return error;
  const { message, hint, details } = refused;
  const said = { details, cause: error, ...(hint === undefined ? {} : { hint }) };
  return new Problem("DRWN_LEDGER_UNSAFE", `the record of your consents can't be used: ${message}`, said);
}

/** The same; a damaged one, which a consent may replace, is undefined. An unsafe one is a problem all the same. */
function readReplaced(home: string, key: string): Ledger | undefined {
  try {
    return readLedger(home, key);
  } catch (error) {
    if (isProblem(error) && error.code === "DRWN_LEDGER_INVALID") return undefined;
    throw error;
  }
}

/** The text of the next ledger. Refuses one that drwn could not read again: every call would be blocked. */
export function printNextLedger(home: string, key: string, ledger: Ledger): string {
  const text = formatJson({ ...ledger, sequence: ledger.sequence + 1 });
  parseFormat(text, ledgerSchema, { file: layout.ledger(home, key), ...LIMITS });
  return text;
}

/**
 * The only way to change a ledger: its sequence grows by one, the consent log notes what concerns consent, and then one
 * rename replaces it.
 */
export function writeLedger(home: string, key: string, ledger: Ledger): void {
  writeNoted(prepareLedger(home, key, ledger));
}

/** The next ledger, for a caller that commits it together with other files; its note is for the consent log. */
export function prepareLedger(
  home: string,
  key: string,
  { word, ...ledger }: Ledger & { word?: OptionsWord },
): NotedEdit {
  const content = printNextLedger(home, key, ledger);
  fs.mkdirSync(layout.ledgers(home), { recursive: true, mode: 0o700 });
  const before = readReplaced(home, key);
  const note = (): void => recordLedgerChange({ home, key }, { before, after: ledger }, word);
  return { file: layout.ledger(home, key), content, mode: 0o600, note };
}

const LEDGER_FILE = /^([0-9a-f]{64})\.json$/u;

/** The ledgers of all projects. If one can't be read, that is a problem: nobody knows what it says. */
export function readLedgers(home: string): Ledger[] {
  return listFolder(layout.ledgers(home)).flatMap((file) => {
    const [, key] = LEDGER_FILE.exec(file) ?? [];
    return (key === undefined ? undefined : readLedger(home, key)) ?? [];
  });
}

export function activeGrant(ledger: Ledger | undefined, card: string): Grant | undefined {
  return ledger?.grants.find((grant) => grant.card === card && grant.revokedAt === null);
}

/** Replaces the card's former grant, revoked or not. */
export function replaceGrant(ledger: Ledger, grant: Grant): Ledger {
  const at = ledger.grants.findIndex(({ card }) => card === grant.card);
  return { ...ledger, grants: at < 0 ? [...ledger.grants, grant] : ledger.grants.with(at, grant) };
}

/** The ledger with only the exceptions that `isKept` keeps, and with `more`. */
export function withExceptions(
  { exceptions = [], ...ledger }: Ledger,
  isKept: (exception: Exception) => boolean,
  more: readonly Exception[] = [],
): Ledger {
  const next = [...exceptions.filter(isKept), ...more];
  return next.length === 0 ? ledger : { ...ledger, exceptions: next };
}

function refuseUnsafe(file: string, stat: fs.Stats, owner: number | undefined): void {
  const fault = stat.isSymbolicLink()
    ? "is a symbolic link"
    : stat.uid !== (owner ?? stat.uid)
      ? "belongs to another user"
      : (stat.mode & 0o022) !== 0
        ? "can be changed by other users"
        : undefined;
  if (fault === undefined) return;
  throw new Problem("DRWN_LEDGER_UNSAFE", `${file} ${fault}`, {
    hint: stat.isSymbolicLink()
      ? "look at who made it and at what it leads to, and put the file itself in its place"
      : stat.uid !== (owner ?? stat.uid)
        ? `look at who changed it, then: sudo chown ${owner} ${shellQuote(file)}`
        : `look at who changed it, then: chmod go-w ${shellQuote(file)}`,
  });
}
