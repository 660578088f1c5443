/**
 * The WebAssembly of `src/hook-base/digest.ts`, written out: one memory of five pages, `m`, and one function, `f(at, end)`,
 * which takes the blocks from `at` up to `end` into the hash. Words of the schedule lie at 0, the constants K at 256, the hash
 * at 512. Names and steps are those of FIPS 180-4, section 6.2.2.
 *
 * It is made for V8's first compiler, which nothing runs long enough here to leave: that one calls out for a rotation, and keeps
 * variables in registers only between the ends of a loop. So rotations are shifts, and eight rounds are one turn of the loop.
 */

const PAGES = 5;
const SCHEDULE = 0;
const K = 256;
const HASH = 512;

/** The function's parameters and variables, by number. */
const AT = 0;
const END = 1;
const [a, b, c, d, e, f, g, h] = [2, 3, 4, 5, 6, 7, 8, 9] as const;
const OFFSET = 10;
const X = 11;
const Y = 12;
const VARIABLES = 11;
const ROUNDS_AT_ONCE = 8;

type Code = readonly number[];

const [ADD, AND, OR, XOR, SHL, SHR, LESS] = [0x6a, 0x71, 0x72, 0x73, 0x74, 0x76, 0x49] as const;
const [I32, LOOP, NO_RESULT, BRANCH_IF, END_OF_BLOCK] = [0x7f, 0x03, 0x40, 0x0d, 0x0b] as const;

export function assembleSha256(): Uint8Array {
  const body = [1, VARIABLES, I32, ...whileLess(AT, 64, get(END), [...expand(), ...compress()]), END_OF_BLOCK];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 2, I32, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, PAGES, PAGES]),
    ...section(7, [2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

/** Step 1. The first sixteen words are the block, most significant byte first. */
function expand(): Code {
  const swapped = [
    ...[...rotated(X, 24), ...number(0x00ff00ff), AND],
    ...[...rotated(X, 8), ...number(0xff00ff00 | 0), AND, OR],
  ];
  const sigma0 = [...rotated(X, 7), ...rotated(X, 18), XOR, ...shifted(X, 3), XOR];
  const sigma1 = [...rotated(Y, 17), ...rotated(Y, 19), XOR, ...shifted(Y, 10), XOR];
  return [
    ...forOffsets(64, [
      ...get(AT),
      ...get(OFFSET),
      ADD,
      ...load(0),
      ...set(X),
      ...get(OFFSET),
      ...swapped,
      ...store(SCHEDULE),
    ]),
    ...forOffsets(192, [
      ...[...get(OFFSET), ...load(SCHEDULE + 4), ...set(X), ...get(OFFSET), ...load(SCHEDULE + 56), ...set(Y)],
      ...[...get(OFFSET), ...get(OFFSET), ...load(SCHEDULE), ...get(OFFSET), ...load(SCHEDULE + 36), ADD],
      ...[...sigma0, ADD, ...sigma1, ADD, ...store(SCHEDULE + 64)],
    ]),
  ];
}

/** Steps 2 to 4. */
function compress(): Code {
  const variables = [a, b, c, d, e, f, g, h];
  const word = (i: number): Code => [...number(0), ...load(HASH + 4 * i)];
  return [
    ...variables.flatMap((variable, i) => [...word(i), ...set(variable)]),
    ...forOffsets(256, rounds(), ROUNDS_AT_ONCE),
    ...variables.flatMap((variable, i) => [...number(0), ...word(i), ...get(variable), ADD, ...store(HASH + 4 * i)]),
  ];
}

/** Step 3, as often as there are variables: each time they have moved on by one, and so none has to be moved. */
function rounds(): Code {
  const variables = [a, b, c, d, e, f, g, h];
  return variables.flatMap((_, i) => round([...variables.slice(-i), ...variables.slice(0, -i)], 4 * i));
}

/** T1 lies in X. Ch and Maj are written with fewer steps. */
function round([a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0]: readonly number[], at: number): Code {
  const sum1 = [...rotated(e, 6), ...rotated(e, 11), XOR, ...rotated(e, 25), XOR];
  const ch = [...get(e), ...get(f), ...get(g), XOR, AND, ...get(g), XOR];
  const sum0 = [...rotated(a, 2), ...rotated(a, 13), XOR, ...rotated(a, 22), XOR];
  const maj = [...get(a), ...get(b), AND, ...get(a), ...get(b), OR, ...get(c), AND, OR];
  const constants = [...get(OFFSET), ...load(K + at), ADD, ...get(OFFSET), ...load(SCHEDULE + at), ADD];
  return [
    ...[...get(h), ...sum1, ADD, ...ch, ADD, ...constants, ...tee(X), ...get(d), ADD, ...set(d)],
    ...[...get(X), ...sum0, ADD, ...maj, ADD, ...set(h)],
  ];
}

function forOffsets(limit: number, body: Code, words = 1): Code {
  return [...number(0), ...set(OFFSET), ...whileLess(OFFSET, 4 * words, number(limit), body)];
}

/** Runs the body at least once; `variable` grows by `step` until it has reached the limit. */
function whileLess(variable: number, step: number, limit: Code, body: Code): Code {
  const again = [...get(variable), ...number(step), ADD, ...tee(variable), ...limit, LESS, BRANCH_IF, 0];
  return [LOOP, NO_RESULT, ...body, ...again, END_OF_BLOCK];
}

function get(variable: number): Code {
  return [0x20, variable];
}

function set(variable: number): Code {
  return [0x21, variable];
}

function tee(variable: number): Code {
  return [0x22, variable];
}

function rotated(variable: number, bits: number): Code {
  return [...shifted(variable, bits), ...get(variable), ...number(32 - bits), SHL, OR];
}

function shifted(variable: number, bits: number): Code {
  return [...get(variable), ...number(bits), SHR];
}

function load(offset: number): Code {
  return [0x28, 2, ...unsigned(offset)];
}

function store(offset: number): Code {
  return [0x36, 2, ...unsigned(offset)];
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** A constant, in as few bytes as keep its sign. */
function number(value: number): Code {
  return [0x41, ...signed(value)];
}

function signed(value: number): number[] {
  const isLast = (value >= 0 && value < 0x40) || (value < 0 && value >= -0x40);
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
