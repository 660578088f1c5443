import { CAPABILITY_MODULES, type Capability, FREE_MODULES, SDK_MODULE } from "../../contract/plan.ts";
import {
  apply,
  codeUnitAt,
  freeze,
  getField,
  newList,
  ObjectPrototype,
  setPrototypeOf,
  sliceText,
} from "../../hook-base/primordials.ts";
import { takeAway } from "./confine.ts";

export type PolicyRequire = (name: unknown) => unknown;

/** The SDK that the policies of one plan share. It is loaded when the first of them asks for it. */
export interface SharedSdk {
  load: (require: PolicyRequire) => unknown;
  exported: { value: unknown } | null;
}

/**
 * The `require` of a policy: it gives the free modules, and those of the capabilities that the user consented to.
 * Without capabilities, some of the free ones show less, and each policy gets an object of its own for them.
 */
export function createRequire(capabilities: readonly Capability[], sdk?: SharedSdk): PolicyRequire {
  const shown: Record<string, unknown> = Object.create(null);
  const policyRequire: PolicyRequire = (name) => {
    if (name === SDK_MODULE && sdk !== undefined) {
      sdk.exported ??= { value: sdk.load(policyRequire) };
      return sdk.exported.value;
    }
    if (typeof name !== "string" || !isOpen(name, capabilities)) {
      throw new Error(`the module ${typeof name === "string" ? name : ""} is not available`);
    }
    if (capabilities.length > 0) return loadModule(name);
    shown[name] ??= exposeModule(name, loadModule(name) as Record<string, unknown>);
    return shown[name];
  };
  return policyRequire;
}

function isOpen(name: string, capabilities: readonly Capability[]): boolean {
  if (isAmong(name, FREE_MODULES)) return true;
  for (let i = 0; i < capabilities.length; i++) {
    const capability = capabilities[i];
    if (capability !== undefined && isAmong(name, CAPABILITY_MODULES[capability])) return true;
  }
  return false;
}

/** A loop, because policies that ran before may have replaced the methods of lists. */
function isAmong(name: string, names: readonly string[]): boolean {
  for (let i = 0; i < names.length; i++) if (names[i] === name) return true;
  return false;
}

/** Loads an open module when it is asked for. */
function loadModule(name: string): unknown {
  switch (name) {
    case "node:assert":
      return require("node:assert");
    case "node:assert/strict":
      return require("node:assert/strict");
    case "node:buffer":
      return require("node:buffer");
    case "node:crypto":
      return require("node:crypto");
    case "node:events":
      return require("node:events");
    case "node:path":
      return require("node:path");
    case "node:path/posix":
      return require("node:path/posix");
    case "node:path/win32":
      return require("node:path/win32");
    case "node:punycode":
      return require("node:punycode");
    case "node:querystring":
      return require("node:querystring");
    case "node:string_decoder":
      return require("node:string_decoder");
    case "node:url":
      return require("node:url");
    case "node:util":
      return require("node:util");
    default:
      return loadOutward(name);
  }
}

function loadOutward(name: string): unknown {
  switch (name) {
    case "node:child_process":
      return require("node:child_process");
    case "node:dgram":
      return require("node:dgram");
    case "node:dns":
      return require("node:dns");
    case "node:dns/promises":
      return require("node:dns/promises");
    case "node:fs":
      return require("node:fs");
    case "node:fs/promises":
      return require("node:fs/promises");
    case "node:http":
      return require("node:http");
    case "node:http2":
      return require("node:http2");
    case "node:https":
      return require("node:https");
    case "node:net":
      return require("node:net");
    case "node:os":
      return require("node:os");
    case "node:tls":
      return require("node:tls");
    default:
      return undefined;
  }
}

type Module = Readonly<Record<string, unknown>>;
type Callable = (...given: unknown[]) => unknown;

const OF_BUFFER = "Buffer INSPECT_MAX_BYTES atob btoa constants isAscii isUtf8 kMaxLength kStringMaxLength transcode";

const OF_UTIL =
  "TextDecoder TextEncoder callbackify debug debuglog deprecate diff format formatWithOptions getSystemErrorName inherits " +
  "inspect isArray isDeepStrictEqual parseArgs promisify stripVTControlCharacters styleText toUSVString types";

/**
 * Functions that compute and return. Engines, FIPS mode, Web Crypto and everything that answers from another thread are
 * left out.
 */
const OF_CRYPTO =
  "Certificate Cipheriv Decipheriv DiffieHellman DiffieHellmanGroup ECDH Hash Hmac KeyObject Sign Verify X509Certificate " +
  "checkPrimeSync constants createCipheriv createDecipheriv createDiffieHellman createDiffieHellmanGroup createECDH " +
  "createHash createHmac createPrivateKey createPublicKey createSecretKey createSign createVerify generateKeyPairSync " +
  "generateKeySync generatePrimeSync getCipherInfo getCiphers getCurves getDiffieHellman getHashes hash hkdfSync " +
  "pbkdf2Sync privateDecrypt privateEncrypt publicDecrypt publicEncrypt randomFillSync randomUUID scryptSync timingSafeEqual";
/** The same for functions that would answer from another thread if they got a callback. */
const OF_CRYPTO_WITHOUT_CALLBACK = "diffieHellman randomBytes randomInt sign verify";
const STREAMS_OF_CRYPTO = "Cipheriv Decipheriv Hash Hmac Sign Verify";

/**
 * What a policy without capabilities gets instead of a module. No deadline guards the turns in which callbacks come
 * from Node's other threads and timers, so everything that causes such turns is left out; each face lists what it
 * holds. A face may be made after another policy has run.
 */
function exposeModule(name: string, module: Module): unknown {
  switch (name) {
    case "node:buffer":
      return freeze(pick(module, OF_BUFFER));
    case "node:crypto":
      return faceOfCrypto(module);
    case "node:events":
      takeAway(module, "EventEmitterAsyncResource");
      return module;
    case "node:util":
      return freeze(pick(module, OF_UTIL));
    default:
      return module;
  }
}

function faceOfCrypto(module: Module): unknown {
  // As streams they lead to all of Node's streams, whose callbacks get an AbortSignal, which leads to a timer.
  const streams = wordsOf(STREAMS_OF_CRYPTO);
  for (let i = 0; i < streams.length; i++) cutOffStream(module[streams[i] ?? ""]);
  const face = pick(module, OF_CRYPTO);
  const names = wordsOf(OF_CRYPTO_WITHOUT_CALLBACK);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? "";
    const work = module[name];
    if (typeof work === "function") face[name] = withoutCallback(name, work as Callable);
  }
  return freeze(face);
}

function cutOffStream(stream: unknown): void {
  if (typeof stream !== "function") return;
  const prototype = stream.prototype as object;
  // If Node has deprecated a class, the module exports a function around it.
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

function pick(module: Module, words: string): Record<string, unknown> {
  const names = wordsOf(words);
  const face: Record<string, unknown> = {};
  for (let i = 0; i < names.length; i++) {
    const name = names[i] ?? "";
    if (name in module) face[name] = module[name];
  }
  return face;
}

const SPACE = 0x20;

/** Splits the names only when a policy asks for such a module, so that other calls don't wait for it. */
function wordsOf(text: string): string[] {
  const words = newList(0, "");
  let start = 0;
  for (let end = 0; end <= text.length; end++) {
    if (end < text.length && codeUnitAt(text, end) !== SPACE) continue;
    words[words.length] = sliceText(text, start, end);
    start = end + 1;
  }
  return words;
}
