import { copyBytes, decodeBase64, floor, lengthOfBytes } from "./primordials.ts";

/** Created for the first digest; null: this Node has no WebAssembly. */
let hasher: Hasher | null | undefined;

/**
 * The same as in `kernel/digest.ts`: `sha256-` and 64 hex digits. Call it only before foreign code runs. Loading
 * node:crypto costs more than everything else that the hook does, so it is only used for files larger than anybody has.
 */
export function digestOfFile(bytes: Uint8Array): string {
  if (bytes.length > LONGEST) {
    const { createHash }: typeof import("node:crypto") = require("node:crypto");
    return `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
  }
  if (hasher === undefined) hasher = createHasher();
  return `sha256-${digestLate(bytes)}`;
}

/**
 * 64 hex digits, for text that is made after policies ran: it loads nothing, and relies on no built-in that a policy
 * could have replaced.
 */
export function digestLate(bytes: Uint8Array): string {
  const fast = lengthOfBytes(bytes) > LONGEST ? null : (hasher ?? null);
  return hexOfWords(fast === null ? digestWords(bytes) : fast(bytes));
}

/**
 * SHA-256 as a WebAssembly module: creating it and digesting an event's files takes a quarter of the time of our
 * JavaScript. Its listing is `test/hook-base/sha256-module.ts`; a test compares these bytes with it.
 */
export const MODULE =
  "AGFzbQEAAAABBgFgAn9/AAMCAQAFBAEBBQUHCQIBbQIAAWYAAAr/CgH8CgELfwNAQQAhCgNAIAAgCmooAgAhCyAKIAtBGHYgC0EIdHJB/4H8B3EgC0" +
  "EIdiALQRh0ckGA/oN4cXI2AgAgCkEEaiIKQcAASQ0AC0EAIQoDQCAKKAIEIQsgCigCOCEMIAogCigCACAKKAIkaiALQQd2IAtBGXRyIAtBEnYgC0EO" +
  "dHJzIAtBA3ZzaiAMQRF2IAxBD3RyIAxBE3YgDEENdHJzIAxBCnZzajYCQCAKQQRqIgpBwAFJDQALQQAoAoAEIQJBACgChAQhA0EAKAKIBCEEQQAoAo" +
  "wEIQVBACgCkAQhBkEAKAKUBCEHQQAoApgEIQhBACgCnAQhCUEAIQoDQCAJIAZBBnYgBkEadHIgBkELdiAGQRV0cnMgBkEZdiAGQQd0cnNqIAYgByAI" +
  "c3EgCHNqIAooAoACaiAKKAIAaiILIAVqIQUgCyACQQJ2IAJBHnRyIAJBDXYgAkETdHJzIAJBFnYgAkEKdHJzaiACIANxIAIgA3IgBHFyaiEJIAggBU" +
  "EGdiAFQRp0ciAFQQt2IAVBFXRycyAFQRl2IAVBB3Ryc2ogBSAGIAdzcSAHc2ogCigChAJqIAooAgRqIgsgBGohBCALIAlBAnYgCUEedHIgCUENdiAJ" +
  "QRN0cnMgCUEWdiAJQQp0cnNqIAkgAnEgCSACciADcXJqIQggByAEQQZ2IARBGnRyIARBC3YgBEEVdHJzIARBGXYgBEEHdHJzaiAEIAUgBnNxIAZzai" +
  "AKKAKIAmogCigCCGoiCyADaiEDIAsgCEECdiAIQR50ciAIQQ12IAhBE3RycyAIQRZ2IAhBCnRyc2ogCCAJcSAIIAlyIAJxcmohByAGIANBBnYgA0Ea" +
  "dHIgA0ELdiADQRV0cnMgA0EZdiADQQd0cnNqIAMgBCAFc3EgBXNqIAooAowCaiAKKAIMaiILIAJqIQIgCyAHQQJ2IAdBHnRyIAdBDXYgB0ETdHJzIA" +
  "dBFnYgB0EKdHJzaiAHIAhxIAcgCHIgCXFyaiEGIAUgAkEGdiACQRp0ciACQQt2IAJBFXRycyACQRl2IAJBB3Ryc2ogAiADIARzcSAEc2ogCigCkAJq" +
  "IAooAhBqIgsgCWohCSALIAZBAnYgBkEedHIgBkENdiAGQRN0cnMgBkEWdiAGQQp0cnNqIAYgB3EgBiAHciAIcXJqIQUgBCAJQQZ2IAlBGnRyIAlBC3" +
  "YgCUEVdHJzIAlBGXYgCUEHdHJzaiAJIAIgA3NxIANzaiAKKAKUAmogCigCFGoiCyAIaiEIIAsgBUECdiAFQR50ciAFQQ12IAVBE3RycyAFQRZ2IAVB" +
  "CnRyc2ogBSAGcSAFIAZyIAdxcmohBCADIAhBBnYgCEEadHIgCEELdiAIQRV0cnMgCEEZdiAIQQd0cnNqIAggCSACc3EgAnNqIAooApgCaiAKKAIYai" +
  "ILIAdqIQcgCyAEQQJ2IARBHnRyIARBDXYgBEETdHJzIARBFnYgBEEKdHJzaiAEIAVxIAQgBXIgBnFyaiEDIAIgB0EGdiAHQRp0ciAHQQt2IAdBFXRy" +
  "cyAHQRl2IAdBB3Ryc2ogByAIIAlzcSAJc2ogCigCnAJqIAooAhxqIgsgBmohBiALIANBAnYgA0EedHIgA0ENdiADQRN0cnMgA0EWdiADQQp0cnNqIA" +
  "MgBHEgAyAEciAFcXJqIQIgCkEgaiIKQYACSQ0AC0EAQQAoAoAEIAJqNgKABEEAQQAoAoQEIANqNgKEBEEAQQAoAogEIARqNgKIBEEAQQAoAowEIAVq" +
  "NgKMBEEAQQAoApAEIAZqNgKQBEEAQQAoApQEIAdqNgKUBEEAQQAoApgEIAhqNgKYBEEAQQAoApwEIAlqNgKcBCAAQcAAaiIAIAFJDQALCw==";

/** The longest message, since the whole message must fit into the module's memory. */
export const LONGEST = 256 * 1024;

const BLOCK_BYTES = 64;
/** Addresses in the module's memory. */
const CONSTANTS = 256;
const HASH = 512;
const MESSAGE = 1024;
const WORD_BYTES = 4;
const HASH_WORDS = 8;

/** The parts of WebAssembly that are used here. Only the types for browsers declare them, not Node's. */
interface Assembly {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: Exports };
}

interface Exports {
  m: { buffer: ArrayBuffer };
  f: (at: number, end: number) => void;
}

/** The eight words of the digest of a message of at most `LONGEST` bytes. */
type Hasher = (message: Uint8Array) => Int32Array;

const Words = Int32Array;

/**
 * A hasher that relies on no built-in that a policy could have replaced. Null if WebAssembly isn't available: without a
 * compiler, or with too little address space.
 */
export function createHasher(): Hasher | null {
  try {
    const { Instance, Module }: Assembly = Reflect.get(globalThis, "WebAssembly");
    const { m, f } = new Instance(new Module(decodeBase64(MODULE))).exports;
    const words = new Int32Array(m.buffer);
    const bytes = new Uint8Array(m.buffer);
    words.set(K, CONSTANTS / WORD_BYTES);
    return (message) => {
      const first = HASH / WORD_BYTES;
      for (let i = 0; i < HASH_WORDS; i++) words[first + i] = HASH_START[i] as number;
      f(MESSAGE, layIn(bytes, message));
      const hash = new Words(HASH_WORDS);
      for (let i = 0; i < HASH_WORDS; i++) hash[i] = words[first + i] as number;
      return hash;
    };
  } catch {
    return null;
  }
}

/**
 * FIPS 180-4, section 5.1.1: the message, a one bit, zeros, and the length in bits. Returns the end of the last block.
 */
function layIn(bytes: Uint8Array, message: Uint8Array): number {
  const length = lengthOfBytes(message);
  const end = MESSAGE + (floor((length + 8) / BLOCK_BYTES) + 1) * BLOCK_BYTES;
  copyBytes(bytes, message, MESSAGE);
  for (let i = MESSAGE + length; i < end; i++) bytes[i] = 0;
  bytes[MESSAGE + length] = 0x80;
  const bits = length * 8;
  for (let i = 1; i <= WORD_BYTES; i++) bytes[end - i] = bits >>> (8 * (i - 1));
  return end;
}

/** SHA-256 as in FIPS 180-4, with the names used there. */

const ROUNDS = 64;
const WORDS = 8;
const DIGITS = "0123456789abcdef";

/** Section 4.2.2. */
const K = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

/** Section 5.3.3. */
const HASH_START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

const Bytes = Uint8Array;

/** The eight 32-bit words of the digest. Relies on no built-in that a policy could have replaced. */
export function digestWords(message: Uint8Array): Int32Array {
  const padded = pad(message);
  const hash = new Words(WORDS);
  for (let i = 0; i < WORDS; i++) hash[i] = HASH_START[i] as number;
  const schedule = new Words(ROUNDS);
  const total = lengthOfBytes(padded);
  for (let block = 0; block < total; block += BLOCK_BYTES) {
    expand(schedule, padded, block);
    compress(hash, schedule);
  }
  return hash;
}

/** Eight words as 64 hex digits. */
function hexOfWords(words: Int32Array): string {
  let hex = "";
  for (let i = 0; i < WORDS; i++) {
    const word = words[i] as number;
    for (let shift = 28; shift >= 0; shift -= 4) hex += DIGITS[(word >>> shift) & 15];
  }
  return hex;
}

/** Section 5.1.1: a one bit, zeros, and the length in bits, to a whole number of blocks. */
function pad(message: Uint8Array): Uint8Array {
  const length = lengthOfBytes(message);
  const blocks = floor((length + 8) / BLOCK_BYTES) + 1;
  const padded = new Bytes(blocks * BLOCK_BYTES);
  copyBytes(padded, message, 0);
  padded[length] = 0x80;
  const end = blocks * BLOCK_BYTES;
  const high = floor(length / 0x2000_0000);
  const low = (length << 3) >>> 0;
  for (let i = 0; i < 4; i++) {
    padded[end - 8 + i] = high >>> (24 - i * 8);
    padded[end - 4 + i] = low >>> (24 - i * 8);
  }
  return padded;
}

// The hook process ends before V8 compiles any of this to machine code. Rotations are written out, although a function
// would read better, because every call costs the interpreter time.

/** Section 6.2.2, step 1. */
function expand(schedule: Int32Array, padded: Uint8Array, block: number): void {
  for (let t = 0, i = block; t < 16; t++, i += 4) {
    const high = ((padded[i] as number) << 24) | ((padded[i + 1] as number) << 16);
    schedule[t] = high | ((padded[i + 2] as number) << 8) | (padded[i + 3] as number);
  }
  for (let t = 16; t < ROUNDS; t++) {
    const x = schedule[t - 15] as number;
    const y = schedule[t - 2] as number;
    const sigma0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const sigma1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[t] = (schedule[t - 16] as number) + sigma0 + (schedule[t - 7] as number) + sigma1;
  }
}

/** Section 6.2.2, steps 2 to 4. */
function compress(hash: Int32Array, schedule: Int32Array): void {
  let a = hash[0] as number;
  let b = hash[1] as number;
  let c = hash[2] as number;
  let d = hash[3] as number;
  let e = hash[4] as number;
  let f = hash[5] as number;
  let g = hash[6] as number;
  let h = hash[7] as number;
  for (let t = 0; t < ROUNDS; t++) {
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + sum1 + ((e & f) ^ (~e & g)) + (K[t] as number) + (schedule[t] as number)) | 0;
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + sum0 + ((b & c) ^ (b & d) ^ (c & d))) | 0;
  }
  add(hash, 0, a);
  add(hash, 1, b);
  add(hash, 2, c);
  add(hash, 3, d);
  add(hash, 4, e);
  add(hash, 5, f);
  add(hash, 6, g);
  add(hash, 7, h);
}

function add(hash: Int32Array, place: number, word: number): void {
  hash[place] = (hash[place] as number) + word;
}
