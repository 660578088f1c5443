import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHasher, digestOfFile, digestWords, LONGEST, MODULE } from "../../src/hook-base/digest.ts";
import { digestOf as kernelDigestOf } from "../../src/kernel/digest.ts";
import { assembleSha256 } from "./sha256-module.ts";

const fast = createHasher() ?? (() => new Int32Array(8));

describe.each([
  ["in TypeScript", digestWords],
  ["in WebAssembly", fast],
])("our own SHA-256 %s", (_, wordsOf) => {
  const hexOf = (message: Uint8Array) =>
    [...wordsOf(message)].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");

  test.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
  ])("gives the digest that the standard gives of %j", (message, digest) => {
    expect(hexOf(Buffer.from(message))).toBe(digest);
  });

  test.each([54, 55, 56, 57, 63, 64, 65, 119, 120, 128])("pads a message of %i bytes as node:crypto does", (length) => {
    const message = Buffer.alloc(length, 0xa5);
    expect(hexOf(message)).toBe(createHash("sha256").update(message).digest("hex"));
  });

  test("agrees with node:crypto on whatever bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (message) => {
        expect(hexOf(message)).toBe(createHash("sha256").update(message).digest("hex"));
      }),
    );
  });
});

describe("the digest of a file", () => {
  // The hook process is one CommonJS file.
  beforeAll(() => {
    Object.assign(globalThis, { require: createRequire(import.meta.url) });
  });
  afterAll(() => {
    Reflect.deleteProperty(globalThis, "require");
  });

  test("is made by the module that the listing assembles to", () => {
    expect(Buffer.from(assembleSha256()).toString("base64")).toBe(MODULE);
  });

  test("is right after a longer one", () => {
    for (const length of [100_000, 3, 70_000, 0]) {
      const bytes = Buffer.alloc(length, "drwn");
      expect(digestOfFile(bytes)).toBe(kernelDigestOf(bytes));
    }
  });

  test("is right where there is no WebAssembly", () => {
    const assembly: unknown = Reflect.get(globalThis, "WebAssembly");
    Reflect.deleteProperty(globalThis, "WebAssembly");
    try {
      expect(createHasher()).toBeNull();
    } finally {
      Object.assign(globalThis, { WebAssembly: assembly });
    }
  });

  test.each([0, 100, LONGEST - 1, LONGEST, LONGEST + 1])("digests a file of %i bytes as the CLI does", (length) => {
    const bytes = Buffer.alloc(length, "drwn");
    expect(digestOfFile(bytes)).toBe(kernelDigestOf(bytes));
  });
});
