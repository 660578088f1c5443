import { copyBytes, decodeBase64, floor, lengthOfBytes } from "./primordials.ts";
import { HASH_START, K } from "./sha256.ts";

/**
 * SHA-256 as a WebAssembly module: creating it and digesting an event's files takes a quarter of the time of our
 * JavaScript. Its listing is `test/runtime/sha256-module.ts`; a test compares these bytes with it.
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
export type Hasher = (message: Uint8Array) => Int32Array;

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
