import type { Probe } from "./probe.ts";

/** Things that lead out of the guard, by the name of their class or by a method. */
const CLASSES =
  "AbortController AbortSignal AsyncResource Blob BroadcastChannel MessageChannel MessagePort Module Performance PerformanceObserver " +
  "Readable ReadableStream Script Worker Writable";
const METHODS = "binding compileFunction dlopen fromWeb reallyExit";

const MODULES = "assert buffer crypto events path punycode querystring string_decoder url util";

/**
 * Follows every property and every prototype of everything that a policy has, and of what the classes of `node:crypto`
 * make.
 */
export const REACH_PROBE: Probe = {
  name: "a stream, a signal, a port or a binding by any property of anything",
  attempt: `(() => {
    const classes = new Set(${JSON.stringify(CLASSES.split(" "))});
    const methods = ${JSON.stringify(METHODS.split(" "))};
    const crypto = require("node:crypto");
    const zeros = Buffer.alloc(16);
    const seen = new Set([process]);
    const waiting = [
      globalThis, module, require,
      ...${JSON.stringify(MODULES.split(" "))}.map((name) => require("node:" + name)),
      crypto.createHash("sha1"), crypto.createHmac("sha1", "k"), crypto.createSign("sha256"), crypto.createVerify("sha256"),
      crypto.createCipheriv("aes-128-cbc", zeros, zeros), crypto.createDecipheriv("aes-128-cbc", zeros, zeros),
      crypto.createECDH("secp256k1"), crypto.getDiffieHellman("modp14"), crypto.createSecretKey(zeros),
    ];
    while (waiting.length > 0) {
      const one = waiting.pop();
      if ((typeof one !== "object" && typeof one !== "function") || one === null || seen.has(one)) continue;
      seen.add(one);
      if (typeof one === "function" && classes.has(one.name)) return one.name;
      for (const key of Reflect.ownKeys(one)) {
        try {
          if (methods.includes(key) && typeof one[key] === "function") return key;
          waiting.push(one[key], Reflect.getOwnPropertyDescriptor(one, key).get);
        } catch {}
      }
      waiting.push(Object.getPrototypeOf(one));
    }
    return false;
  })()`,
};
