import fs from "node:fs";
import path from "node:path";
import { layout } from "../contract/layout.ts";
import * as z from "../format/zod.ts";
import type { Finding } from "../kernel/finding.ts";
import { openRegular } from "../kernel/read-file.ts";
import { clean } from "../kernel/text.ts";

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
