import { layout } from "../contract/layout.ts";
import { formatJson } from "../format/write.ts";
import type { AgentId } from "../policy/event.ts";
import { type Change, planFile } from "../wiring/changes.ts";
import type { ServersRecord } from "../wiring/servers.ts";
import type { SkillsRecord } from "../wiring/skills.ts";
import type { WriteRecord } from "../wiring/write-record.ts";

/** The two changes of the record of what was written. */
export interface WrittenSteps {
  /** Before anything else in the project changes: it lists what is there and what will be. */
  opening: Change[];
  /** When everything is done: it forgets files that are gone. */
  closing: Change[];
}

interface StepsRequest {
  home: string;
  key: string;
  before: WriteRecord;
  after: WriteRecord;
}

/** With two steps, a killed process leaves nothing that the next `write` would take for somebody else's. */
export function planWrittenSteps({ home, key, before, after }: StepsRequest): WrittenSteps {
  const path = layout.written(home, key);
  const record = { path, what: "record of what was written", mode: 0o600 };
  const between = joinRecords(before, after);
  const bytes = Buffer.from(formatJson(after));
  if (isSame(before, between)) return { opening: [], closing: isSame(between, after) ? [] : planRecord(record, bytes) };
  const joined = Buffer.from(formatJson(between));
  const opening = planRecord(record, joined);
  const closing: Change = { action: "update", ...record, before: joined, after: bytes };
  return { opening, closing: joined.equals(bytes) ? [] : [closing] };
}

function planRecord(record: Omit<Change, "action" | "before" | "after">, after: Buffer): Change[] {
  const change = planFile({ ...record, after });
  return change === undefined ? [] : [change];
}

function isSame(one: WriteRecord, other: WriteRecord): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A record that is true however many of the changes between the two have been made. */
function joinRecords(before: WriteRecord, after: WriteRecord): WriteRecord {
  return {
    ...after,
    runtimes: [...new Set([...after.runtimes, ...before.runtimes])].sort(),
    skills: joinEach(before.skills, after.skills, joinSkills),
    servers: joinEach<ServersRecord, AgentId>(before.servers, after.servers, joinServers),
  };
}

function joinEach<Value, Key extends string = string>(
  before: Partial<Record<Key, Value>>,
  after: Partial<Record<Key, Value>>,
  join: (before: Value, after: Value) => Value,
): Record<Key, Value> {
  const joined: Partial<Record<Key, Value>> = { ...after };
  for (const [key, value] of Object.entries<Value | undefined>(before) as [Key, Value][]) {
    const next = after[key];
    joined[key] = next === undefined ? value : join(value, next);
  }
  return joined as Record<Key, Value>;
}

function joinSkills(before: SkillsRecord, after: SkillsRecord): SkillsRecord {
  return {
    folders: [...new Set([...before.folders, ...after.folders])].sort(),
    files: joinEach(before.files, after.files, joinItems),
  };
}

function joinServers(before: ServersRecord, after: ServersRecord): ServersRecord {
  return { ...after, servers: joinEach(before.servers, after.servers, joinItems) };
}

interface Item {
  digest: string;
  former?: string;
  isAdopted: boolean;
}

function joinItems(before: Item, after: Item): Item {
  return before.digest === after.digest ? after : { ...after, former: before.digest };
}
