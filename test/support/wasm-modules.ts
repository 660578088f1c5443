/**
 * Extism modules, assembled byte by byte. Each function takes nothing and returns an i32, as Extism expects; the pieces
 * below make up what it does.
 */
type Code = readonly number[];

const [I32, I64] = [0x7f, 0x7e] as const;
const [LOOP, END, BRANCH, BRANCH_IF, NOTHING] = [0x03, 0x0b, 0x0c, 0x0d, 0x40] as const;
const [I64_ADD, I64_LESS] = [0x7c, 0x54] as const;

/** Host functions in numerical order, with parameters and results. */
const HOST = [
  ["input_length", [], [I64]],
  ["input_load_u8", [I64], [I32]],
  ["alloc", [I64], [I64]],
  ["store_u8", [I64, I32], []],
  ["output_set", [I64, I64], []],
  ["error_set", [I64], []],
] as const;
const [INPUT_LENGTH, INPUT_LOAD, ALLOC, STORE, OUTPUT_SET, ERROR_SET] = HOST.map((_, number) => number) as [
  number,
  number,
  number,
  number,
  number,
  number,
];

/** Variables of each function. */
const [BLOCK, AT] = [0, 1] as const;

interface ModuleParts {
  functions: Record<string, Code>;
  /** How many pages of 64 KiB its memory has at first. */
  pages?: number;
  /** Another host function that it needs: it takes nothing and returns an i32. */
  wants?: { module: string; name: string };
}

export function extismModule({ functions, pages = 1, wants }: ModuleParts): Uint8Array {
  const own = HOST.length;
  const types = [...HOST.map(([, parameters, results]) => functionType(parameters, results)), functionType([], [I32])];
  const imports = HOST.map(([name], type) => [...text("extism:host/env"), ...text(name), 0, type]);
  if (wants !== undefined) {
    types.push(functionType([], [I32]));
    imports.push([...text(wants.module), ...text(wants.name), 0, types.length - 1]);
  }
  const names = Object.keys(functions);
  const exported = names.map((name, number) => [...text(name), 0, ...unsigned(imports.length + number)]);
  const bodies = Object.values(functions).map((code) => {
    const body = [1, 2, I64, ...code, END];
    return [...unsigned(body.length), ...body];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, types),
    ...section(2, imports),
    ...section(
      3,
      names.map(() => [own]),
    ),
    ...section(5, [[0, ...unsigned(pages)]]),
    ...section(7, [...exported, [...text("memory"), 2, 0]]),
    ...section(10, bodies),
  ]);
}

/** Gives this text as its output. */
export function say(output: string): Code {
  return [...lay(output), ...get(BLOCK), ...long(Buffer.byteLength(output)), ...call(OUTPUT_SET), ...int(0)];
}

/** Reports an error, and returns 1. */
export function report(error: string): Code {
  return [...lay(error), ...get(BLOCK), ...call(ERROR_SET), ...int(1)];
}

/** Gives its input as its output. */
export const ECHO: Code = [
  ...[...call(INPUT_LENGTH), ...call(ALLOC), ...set(BLOCK)],
  ...[LOOP, NOTHING],
  ...[...get(BLOCK), ...get(AT), I64_ADD, ...get(AT), ...call(INPUT_LOAD), ...call(STORE)],
  ...[...get(AT), ...long(1), I64_ADD, ...set(AT), ...get(AT), ...call(INPUT_LENGTH), I64_LESS, BRANCH_IF, 0],
  END,
  ...[...get(BLOCK), ...call(INPUT_LENGTH), ...call(OUTPUT_SET), ...int(0)],
];

/** Returns a number and says nothing. */
export function giveBack(code: number): Code {
  return int(code);
}

export const TRAP: Code = [0x00];
export const LOOP_FOREVER: Code = [LOOP, NOTHING, BRANCH, 0, END, ...int(0)];
/** Asks for one page of memory after the other, and traps when it gets none. */
export const GROW_FOREVER: Code = [
  ...[LOOP, NOTHING, ...int(1), 0x40, 0, ...int(-1), 0x47, BRANCH_IF, 0, END],
  ...TRAP,
];
/** Asks the host for one block after the other. */
export const HOARD: Code = [LOOP, NOTHING, ...long(65_536), ...call(ALLOC), 0x1a, BRANCH, 0, END, ...int(0)];
/** Counts its calls in its memory, and returns the number. */
export const COUNT: Code = [
  ...[...int(0), ...int(0), 0x28, 2, 0, ...int(1), 0x6a, 0x36, 2, 0],
  ...[...int(0), 0x28, 2, 0],
];

/** Puts the text into a block of the host. */
function lay(content: string): Code {
  const bytes = [...Buffer.from(content)];
  return [
    ...[...long(bytes.length), ...call(ALLOC), ...set(BLOCK)],
    ...bytes.flatMap((byte, at) => [...get(BLOCK), ...long(at), I64_ADD, ...int(byte), ...call(STORE)]),
  ];
}

function call(number: number): Code {
  return [0x10, number];
}

function get(variable: number): Code {
  return [0x20, variable];
}

function set(variable: number): Code {
  return [0x21, variable];
}

function int(value: number): Code {
  return [0x41, ...signed(value)];
}

function long(value: number): Code {
  return [0x42, ...signed(value)];
}

function functionType(parameters: Code, results: Code): Code {
  return [0x60, parameters.length, ...parameters, results.length, ...results];
}

function text(content: string): Code {
  const bytes = [...Buffer.from(content)];
  return [...unsigned(bytes.length), ...bytes];
}

function section(id: number, items: readonly Code[]): Code {
  const content = [...unsigned(items.length), ...items.flat()];
  return [id, ...unsigned(content.length), ...content];
}

function unsigned(value: number): Code {
  return value < 128 ? [value] : [128 + (value % 128), ...unsigned(Math.floor(value / 128))];
}

function signed(value: number): Code {
  const low = value & 127;
  const rest = value >> 7;
  return (rest === 0 && low < 64) || (rest === -1 && low >= 64) ? [low] : [128 + low, ...signed(rest)];
}
