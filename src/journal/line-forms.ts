import { type JournalLine, type PolicyEntry, parseLine } from "./line.ts";

/** In a form these bytes stand for what differs from line to line. JSON never contains them unescaped. */
export const TEXT = 0x01;
export const NUMBER = 0x02;
export const MOST_SLOTS = 256;

/** Lines that differ only in their slots. */
export interface Form {
  /** A line of this form; the values of its slots mean nothing. */
  sample: JournalLine;
  /** The slot of each field. */
  slots: { time: number; hash: number; ms: number } & Readonly<Record<OptionalSlot, number | undefined>>;
  named: { digest: number | undefined; session: number | undefined };
  entries: readonly FormEntry[];
}

type OptionalSlot = "call" | "session" | "overruled" | "reason" | "context" | "rewritten" | "input" | "problem";

export interface FormEntry {
  sample: PolicyEntry;
  ms: number;
  failure: number | undefined;
  /** Entries that were made from it, by their `ms`. */
  known: Map<number, PolicyEntry>;
}

/** The shared beginning of several forms, up to the byte in which they differ. */
export interface Branch {
  /** Whether they continue with a slot of this kind; null: they continue with text. */
  slot: typeof TEXT | typeof NUMBER | null;
  text: DataView;
  /** The branches that follow, by their first byte. */
  next: Map<number, Branch>;
  /** The branch that follows, if there is only one. */
  only: Branch | null;
  /** The form that ends here. */
  form: Form | null;
}

/** In JSON, a quote after `{` or `,` and before a letter begins a key. */
const SLOT =
  /(?<=[{,])(?:("(?:time|call|session|overruled|failure|reason|rewritten|input|digest|problem|prev|hash)":")(?:[^"\\]|\\.)*"|("(?:pid|context|ms|at)":)(?:0|[1-9]\d{0,14})(?:\.\d)?(?=[,}]))/gu;
/** A number in any other field, which could not be told apart from a slot's. */
const OTHER_NUMBER = /"\s*:\s*-?\d/u;
const MARK = "\\u0000";

/** What lines like this one have in common, and how to read them; undefined: the hook process writes no such lines. */
export function formOf(line: string): { text: Buffer; form: Form } | undefined {
  const text = fillSlots(
    line,
    () => String.fromCharCode(TEXT),
    () => String.fromCharCode(NUMBER),
  );
  if (text.includes(MARK) || OTHER_NUMBER.test(text)) return undefined;
  let slots = 0;
  // `parseLine` gets the line with the numbers of the slots in them, and so says which field each slot is.
  const sample = parseLine(
    fillSlots(
      line,
      () => `${MARK}${slots++}`,
      () => `${slots++}`,
    ),
  );
  const form = sample === undefined || slots > MOST_SLOTS ? undefined : findSlots(sample);
  return form === undefined ? undefined : { text: Buffer.from(text), form };
}

function fillSlots(line: string, text: () => string, number: () => string): string {
  return line.replace(SLOT, (_, key?: string, ofNumber?: string) =>
    key === undefined ? `${ofNumber}${number()}` : `${key}${text()}"`,
  );
}

function findSlots(sample: JournalLine): Form | undefined {
  const { named, policies, ms, context } = sample;
  const [time, hash] = [slotOf(sample.time), slotOf(sample.hash)];
  if (time === undefined || hash === undefined) return undefined;
  const slots = {
    ...{ time, hash, ms, context },
    call: slotOf(sample.call),
    session: slotOf(sample.session),
    overruled: slotOf(sample.overruled),
    reason: slotOf(sample.reason),
    rewritten: slotOf(sample.rewritten),
    input: slotOf(sample.input),
    problem: slotOf(sample.problem),
  };
  return {
    sample,
    slots,
    named: { digest: slotOf(named?.digest), session: slotOf(named?.session) },
    entries: policies.map((entry) => {
      return { sample: entry, ms: entry.ms, failure: slotOf(entry.failure), known: new Map() };
    }),
  };
}

function slotOf(value: string | true | undefined): number | undefined {
  return typeof value === "string" && value.startsWith("\0") ? Number(value.slice(1)) : undefined;
}

/** A branch that begins with this text; `addForm` adds forms to it. */
export function newBranch(text: Uint8Array = new Uint8Array()): Branch {
  const slot = text[0] === TEXT || text[0] === NUMBER ? text[0] : null;
  return { slot, text: viewOf(text), next: new Map(), only: null, form: null };
}

export function addForm(root: Branch, text: Uint8Array, form: Form): void {
  let branch = root;
  for (let at = 0; ; ) {
    const shared = sharedLength(branch.text, text.subarray(at));
    if (shared < branch.text.byteLength) splitBranch(branch, shared);
    at += shared;
    const first = text[at];
    if (first === undefined) {
      branch.form = form;
      return;
    }
    const next = branch.next.get(first) ?? newBranch(text.subarray(at, endOfPart(text, at)));
    addNext(branch, first, next);
    branch = next;
  }
}

/** Where the part that begins at `start` ends: a slot, or the text up to the next one. */
function endOfPart(text: Uint8Array, start: number): number {
  const isSlot = (at: number): boolean => text[at] === TEXT || text[at] === NUMBER;
  let end = start + 1;
  while (end < text.length && !isSlot(start) && !isSlot(end)) end++;
  return end;
}

function sharedLength(one: DataView, other: Uint8Array): number {
  let length = 0;
  while (length < one.byteLength && one.getUint8(length) === other[length]) length++;
  return length;
}

function splitBranch(branch: Branch, at: number): void {
  const { buffer, byteOffset, byteLength } = branch.text;
  const rest = { ...branch, text: new DataView(buffer, byteOffset + at, byteLength - at) };
  branch.text = new DataView(buffer, byteOffset, at);
  branch.next = new Map();
  branch.form = null;
  addNext(branch, rest.text.getUint8(0), rest);
}

function addNext(branch: Branch, first: number, next: Branch): void {
  branch.next.set(first, next);
  branch.only = branch.next.size === 1 ? next : null;
}

export function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
