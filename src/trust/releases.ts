import { layout } from "../contract/layout.ts";
import type { Approval, Ledger } from "../contract/ledger.ts";
import { drwn } from "../kernel/advice.ts";
import { writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { readRecordIfThere } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import type { JoinFacts } from "./activation.ts";

const instant = z.iso.datetime();

const schema = z.strictObject({
  version: z.literal(1),
  tree: z.string(),
  firstSeenAt: instant,
  /** When this machine learned that it was yanked; null: it isn't yanked. */
  yankedAt: instant.nullable(),
  /** Why not to use it, as its publisher said last; absent: this machine knows of no reason. */
  deprecated: z.string().exactOptional(),
  /** Present: a registry's record says that it was published inside an agent's tool call. */
  isByAgent: z.literal(true).exactOptional(),
  /** The sources from which this machine itself has got it; a project's vendor folder isn't one. */
  sources: z.array(z.string()).exactOptional(),
});

/** What this machine remembers about one content of a card, from any source. Projects share it, and none can set it. */
type Release = z.infer<typeof schema>;

/** Undefined when the machine has never seen this content. */
export function readRelease(home: string, tree: string): Release | undefined {
  return readRecordIfThere(layout.release(home, tree), schema, drwn("install"));
}

/** Notes when the machine first saw this content; doesn't change what it already knows. */
export function rememberRelease(home: string, tree: string, now: Date): void {
  if (readRelease(home, tree) === undefined) {
    writeRelease(home, { version: 1, tree, firstSeenAt: now.toISOString(), yankedAt: null });
  }
}

/** Notes what a version's publisher says about it now, if the machine has seen its content. */
export function rememberNotes(
  home: string,
  { tree, yanked, deprecated }: { tree: string; yanked: boolean; deprecated: string | null },
  now: Date,
): void {
  const known = readRelease(home, tree);
  if (known === undefined) return;
  const { deprecated: former = null, ...others } = known;
  const isSame = (known.yankedAt !== null) === yanked && former === deprecated;
  if (isSame) return;
  const yankedAt = yanked ? (known.yankedAt ?? now.toISOString()) : null;
  writeRelease(home, { ...others, yankedAt, ...(deprecated === null ? {} : { deprecated }) });
}

/** Notes that an agent published a content that the machine has seen, from any source; nobody can take that back. */
export function rememberAgent(home: string, tree: string): void {
  const known = readRelease(home, tree);
  if (known !== undefined && known.isByAgent !== true) writeRelease(home, { ...known, isByAgent: true });
}

/** Notes that this machine got a content, which it has seen, from this source. */
export function rememberOrigin(home: string, tree: string, source: string): void {
  const known = readRelease(home, tree);
  if (known === undefined || known.sources?.includes(source) === true) return;
  writeRelease(home, { ...known, sources: [...(known.sources ?? []), source] });
}

/** Whether this machine has got the content from this source: a lock or a vendor folder only claims it. */
export function isSeenFrom(home: string, { tree, source }: { tree: string; source: string }): boolean {
  return readRelease(home, tree)?.sources?.includes(source) === true;
}

function writeRelease(home: string, release: Release): void {
  writeAtomic(layout.release(home, release.tree), formatJson(release), 0o600);
}

/** The ledger with everything that this machine knows about yanked versions; the same object if nothing is new. */
export function withYanks(ledger: Ledger, releaseOf: JoinFacts["releaseOf"]): Ledger {
  const grants = ledger.grants.map((grant) => {
    if (grant.revokedAt !== null) return grant;
    const approved = grant.approved.map((approval) => withYank(approval, releaseOf));
    return approved.some((approval, at) => approval !== grant.approved[at]) ? { ...grant, approved } : grant;
  });
  return grants.some((grant, at) => grant !== ledger.grants[at]) ? { ...ledger, grants } : ledger;
}

/** A content that the machine doesn't know stays as it is. */
function withYank(approval: Approval, releaseOf: JoinFacts["releaseOf"]): Approval {
  const release = releaseOf(approval.tree);
  return release === undefined || release.yankedAt === approval.yankedAt
    ? approval
    : { ...approval, yankedAt: release.yankedAt };
}
