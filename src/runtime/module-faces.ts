import { takeAway } from "./policy-globals.ts";
import { apply, freeze, getField, ObjectPrototype, setPrototypeOf } from "./primordials.ts";

type Module = Readonly<Record<string, unknown>>;
type Callable = (...given: unknown[]) => unknown;

const OF_BUFFER =
  "Buffer INSPECT_MAX_BYTES atob btoa constants isAscii isUtf8 kMaxLength kStringMaxLength transcode".split(" ");

const OF_UTIL = (
  "TextDecoder TextEncoder callbackify debug debuglog deprecate diff format formatWithOptions getSystemErrorName inherits " +
  "inspect isArray isDeepStrictEqual parseArgs promisify stripVTControlCharacters styleText toUSVString types"
).split(" ");

/** What computes and returns. Engines, FIPS mode, Web Crypto and everything that answers from another thread is not here. */
const OF_CRYPTO = (
  "Certificate Cipheriv Decipheriv DiffieHellman DiffieHellmanGroup ECDH Hash Hmac KeyObject Sign Verify X509Certificate " +
  "checkPrimeSync constants createCipheriv createDecipheriv createDiffieHellman createDiffieHellmanGroup createECDH " +
  "createHash createHmac createPrivateKey createPublicKey createSecretKey createSign createVerify generateKeyPairSync " +
  "generateKeySync generatePrimeSync getCipherInfo getCiphers getCurves getDiffieHellman getHashes hash hkdfSync " +
  "pbkdf2Sync privateDecrypt privateEncrypt publicDecrypt publicEncrypt randomFillSync randomUUID scryptSync timingSafeEqual"
).split(" ");
/** The same, which would answer from another thread when they are given a callback. */
const OF_CRYPTO_WITHOUT_CALLBACK = "diffieHellman randomBytes randomInt sign verify".split(" ");
const STREAMS_OF_CRYPTO = "Cipheriv Decipheriv Hash Hmac Sign Verify".split(" ");

/**
 * What a policy without capabilities gets in place of a module. Callbacks from Node's other threads and timers come in turns
 * that no deadline guards, so whatever brings such turns is left out; each face names what is in it. A face may be made when
 * another policy has run already.
 */
export const FACES: Readonly<Record<string, (module: Module) => unknown>> = {
  "node:buffer": (module) => freeze(pick(module, OF_BUFFER)),
  "node:crypto": faceOfCrypto,
  "node:events": (module) => {
    takeAway(module, "EventEmitterAsyncResource");
    return module;
  },
  "node:util": (module) => freeze(pick(module, OF_UTIL)),
};

function faceOfCrypto(module: Module): unknown {
  // As streams they lead to all of Node's streams, whose callbacks are handed an AbortSignal, which leads to a timer.
  for (let i = 0; i < STREAMS_OF_CRYPTO.length; i++) cutOffStream(module[STREAMS_OF_CRYPTO[i] ?? ""]);
  const face = pick(module, OF_CRYPTO);
  for (let i = 0; i < OF_CRYPTO_WITHOUT_CALLBACK.length; i++) {
    const name = OF_CRYPTO_WITHOUT_CALLBACK[i] ?? "";
    const work = module[name];
    if (typeof work === "function") face[name] = withoutCallback(name, work as Callable);
  }
  return freeze(face);
}

function cutOffStream(stream: unknown): void {
  if (typeof stream !== "function") return;
  const prototype = stream.prototype as object;
  // Of a class that Node warns of, the module has a function around it.
  const inner = getField(prototype, "constructor");
  if (typeof inner === "function") setPrototypeOf(inner, Function.prototype);
  setPrototypeOf(prototype, ObjectPrototype);
  setPrototypeOf(stream, Function.prototype);
}

function withoutCallback(name: string, work: Callable): Callable {
  return (...given) => {
    for (let i = 0; i < given.length; i++) {
      if (typeof given[i] === "function") throw new TypeError(`crypto.${name} takes no callback in a policy`);
    }
    return apply(work, undefined, given);
  };
}

function pick(module: Module, names: readonly string[]): Record<string, unknown> {
  const face: Record<string, unknown> = {};
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? "";
    if (name in module) face[name] = module[name];
  }
  return face;
}
