import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toCardFiles, treeDigest } from "../../src/card/files.ts";

describe("the tree digest", () => {
  const trees = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}(\/[a-z]{1,5})?$/u), fc.uint8Array({ maxLength: 20 }), {
    noNullPrototype: true,
  });

  test("does not depend on the order in which the files came", () => {
    fc.assert(
      fc.property(trees, fc.infiniteStream(fc.nat()), (tree, random) => {
        const entries = Object.entries(tree);
        const shuffled = entries.map((entry) => [random.next().value, entry] as const).sort((a, b) => a[0] - b[0]);
        const one = new Map(entries.map(([path, bytes]) => [path, Buffer.from(bytes)]));
        const other = new Map(shuffled.map(([, [path, bytes]]) => [path, Buffer.from(bytes)]));
        expect(treeDigest(other)).toBe(treeDigest(one));
      }),
    );
  });

  test("differs when any byte, name or file differs", () => {
    const digest = treeDigest(toCardFiles([["a", Buffer.from("x")]]));
    for (const tree of [
      [["a", Buffer.from("y")]],
      [["b", Buffer.from("x")]],
      [["a", Buffer.from("x\n")]],
      [],
      [
        ["a", Buffer.from("x")],
        ["b", Buffer.from("")],
      ],
    ] as const) {
      expect(treeDigest(toCardFiles(tree))).not.toBe(digest);
    }
  });

  test("a name with line breaks cannot pose as another file", () => {
    const two = treeDigest(
      toCardFiles([
        ["a", Buffer.from("x")],
        ["b", Buffer.from("y")],
      ]),
    );
    const line = (path: string, content: string) => `${sha512(content)} ${content.length} ${JSON.stringify(path)}`;
    const posing = `a"\n${line("b", "y").slice(0, -1)}`;
    expect(treeDigest(toCardFiles([[posing, Buffer.from("x")]]))).not.toBe(two);
  });

  test("is the same on every machine", () => {
    expect(
      treeDigest(
        toCardFiles([
          ["b/ü.txt", Buffer.from("ü")],
          ["a", Buffer.alloc(0)],
        ]),
      ),
    ).toMatchInlineSnapshot(
      `"drwn1-sha512-btowBeeOFkWhuwd9_yHAt63dmpDKByadolyRc8n9xhzvgE9HEnhrpnFQgu-phdXSw_MH7e0KLXkqV2UCxGdGIA"`,
    );
  });
});

function sha512(text: string): string {
  return createHash("sha512").update(text).digest("hex");
}
