import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { Script } from "node:vm";
import { hookLayout } from "../../contract/hook-layout.ts";
import {
  FORETOLD,
  LARGEST_KEPT_SHARDS,
  LONGEST_PLACES,
  MARK_BYTES,
  SHARD_NAME,
  type ShardPlaces,
} from "../../contract/kept-code.ts";
import { decodeLatin1, nodeProcess, parseJson } from "../../hot/primordials.ts";
import { readRange } from "../../hot/read-file.ts";
import { lineOfNode } from "./wrap.ts";

/** The file in which V8 keeps a plan's shards, open while the shards are read. */
export interface KeptShards {
  fd: number;
  size: number;
  places: ShardPlaces;
  /** A buffer that is used again for each shard, since V8 collects garbage after a megabyte of buffers. */
  room: Uint8Array;
}

const END_OF_LINE = 10;

/** Null: there is no such file for this plan and this Node, or it is refused. */
export function openKept(
  home: string,
  plan: string,
  refuse: ((stat: Stats) => string | undefined) | undefined,
): KeptShards | null {
  const kind = nodeProcess.execArgv.includes(FORETOLD) ? "foretold" : "brief";
  let fd = -1;
  try {
    const links = refuse === undefined ? 0 : constants.O_NOFOLLOW;
    fd = openSync(hookLayout.keptShards(home, plan, kind), constants.O_RDONLY | constants.O_NONBLOCK | links);
    const stat = fstatSync(fd);
    const { size } = stat;
    if (size > LARGEST_KEPT_SHARDS || refuse?.(stat) !== undefined) throw new Error("too large, or another's");
    const line = lineOfNode();
    const head = readRange(fd, MARK_BYTES, MARK_BYTES + line.length + LONGEST_PLACES);
    if (decodeLatin1(head, 0, line.length) !== line) throw new Error("of another Node");
    const places = decodeLatin1(head, line.length, head.indexOf(END_OF_LINE, line.length));
    return { fd, size, places: parseJson(places), room: new Uint8Array(0) };
  } catch {
    if (fd >= 0) closeSync(fd);
    return null;
  }
}

export function closeKept(kept: KeptShards | null): void {
  if (kept !== null) closeSync(kept.fd);
}

/** The shard as V8 kept it, if the kept code is whole and belongs to exactly this text. */
export function takeKept(kept: KeptShards | null, digest: string, shard: ShardText): Script | undefined {
  try {
    // The places in the file are unchecked.
    const place = kept?.places[digest];
    if (kept === null || place === undefined) return undefined;
    const [start, length] = place;
    const end = start + 2 * length + shard.bytes.length;
    if (end > kept.size) return undefined;
    const whole = readInto(kept, start, end);
    const cachedData = whole.subarray(0, length);
    if (!isSame(whole.subarray(2 * length), shard.bytes)) return undefined;
    if (!isSame(cachedData, whole.subarray(length, 2 * length))) return undefined;
    return new Script(shard.text, { filename: SHARD_NAME, cachedData });
  } catch {
    return undefined;
  }
}

function readInto(kept: KeptShards, start: number, end: number): Uint8Array {
  if (kept.room.length < end - start) kept.room = new Uint8Array(end - start);
  return kept.room.subarray(0, readSync(kept.fd, kept.room, 0, end - start, start));
}

interface ShardText {
  bytes: Uint8Array;
  /** The bytes, decoded. */
  text: string;
}

const { compare } = Buffer;

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return compare(one, other) === 0;
}
