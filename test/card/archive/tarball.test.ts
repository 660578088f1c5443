import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packTarball, readTarball } from "../../../src/card/archive/tarball.ts";
import { toCardFiles, treeDigest } from "../../../src/card/files.ts";
import { checkCardPaths } from "../../../src/card/safe-path.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { MINIMUM, paxRecord, type RawEntry, rawTar, rawTarball } from "../../support/tarballs.ts";

const file = (path: string, content = "x"): RawEntry => ({ path: `package/${path}`, content });

describe("a packed tarball", () => {
  const names = fc.oneof(
    fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}\.ts$/u),
    fc
      .tuple(fc.constantFrom("ü", "日本", "😀", "a b"), fc.integer({ min: 1, max: 40 }))
      .map(([text, times]) => `x/${text.repeat(times)}.md`),
    fc.integer({ min: 80, max: 240 }).map((length) => `${"n".repeat(length)}/${"m".repeat(length)}`),
  );
  const trees = fc
    .uniqueArray(fc.tuple(names, fc.uint8Array({ maxLength: 2_000 })), { selector: ([path]) => path, maxLength: 8 })
    .filter((entries) => {
      try {
        checkCardPaths(entries.map(([path]) => path));
        return true;
      } catch {
        return false;
      }
    });

  test("is read as the files it was made of, long and foreign names included", async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (entries) => {
        const files = toCardFiles(entries);
        const read = await readTarball(await packTarball(files));
        expect([...read]).toEqual([...files].map(([path, bytes]) => [path, Buffer.from(bytes)]));
        expect(treeDigest(read)).toBe(treeDigest(files));
      }),
      { numRuns: 25 },
    );
  });

  test("has the same bytes whatever the order of the files, and names no machine", async () => {
    const entries = [
      ["b.md", Buffer.from("b")],
      ["a.md", Buffer.from("a")],
    ] as const;
    const one = await packTarball(toCardFiles(entries));
    const other = await packTarball(toCardFiles([...entries].reverse()));
    expect(one.equals(other)).toBe(true);
    expect([...one.subarray(4, 8), one[9]]).toEqual([0, 0, 0, 0, 255]);
  });
});

describe("a tarball that others made", () => {
  test("may have folders, a comment of git, old file headers and long names", async () => {
    const long = `package/${"l".repeat(150)}.md`;
    const tarball = rawTarball([
      { path: "pax_global_header", type: "GlobalExtendedHeader", content: paxRecord("comment", "abc") },
      { path: "package/", type: "Directory" },
      ...MINIMUM,
      { path: "package/lib/", type: "Directory" },
      { path: "package/lib/old.ts", type: "OldFile", content: "old" },
      { path: "PaxHeader/x", type: "ExtendedHeader", content: paxRecord("path", long) },
      { path: "package/short.md", content: "long one" },
      { path: "././@LongLink", type: "NextFileHasLongPath", content: `${long}2\0` },
      { path: "package/short.md", content: "long two" },
    ]);
    const files = await readTarball(tarball);
    expect([...files.keys()]).toEqual(
      ["card.json", "lib/old.ts", `${"l".repeat(150)}.md`, `${"l".repeat(150)}.md2`, "package.json"].sort(),
    );
  });

  test("may have a name and an extra field in its gzip header", async () => {
    const tarball = rawTarball(MINIMUM);
    const header = Buffer.from(tarball.subarray(0, 10));
    header[3] = 4 | 8 | 16;
    const more = Buffer.concat([Buffer.from([2, 0, 1, 1]), Buffer.from("name\0comment\0")]);
    expect((await readTarball(Buffer.concat([header, more, tarball.subarray(10)]))).size).toBe(2);
  });

  test.each<[string, RawEntry[]]>([
    ["climbing path", [file("../x")]],
    ["climbing path inside", [file("a/../../../x")]],
    ["absolute path", [{ path: "/etc/passwd", content: "x" }]],
    ["path outside of package/", [{ path: "other/x", content: "x" }]],
    ["path that only begins like package/", [{ path: "packages/x", content: "x" }]],
    ["path with a dot part", [file("./x")]],
    ["path with a backslash", [file("..\\x")]],
    ["path with a drive", [file("C:x")]],
    ["path with a line break", [file("a\nb")]],
    ["device name", [file("nul.txt")]],
    ["file twice", [file("a"), file("a")]],
    ["manifest twice", [file("card.json", "{}")]],
    ["file in two cases", [file("a"), file("A")]],
    ["file in two compositions", [file("\u00e9"), file("e\u0301")]],
    ["file that is a folder too", [file("a"), file("a/b")]],
    ["folder in two cases", [file("Lib/a"), file("lib/b")]],
    ["climbing folder", [{ path: "package/../../x/", type: "Directory" }]],
    ["folder elsewhere", [{ path: "../x/", type: "Directory" }]],
    ["symbolic link", [{ path: "package/policy.ts", type: "SymbolicLink", linkpath: "/etc/passwd" }]],
    ["link within the card", [{ path: "package/a", type: "SymbolicLink", linkpath: "card.json" }]],
    ["hard link", [{ path: "package/a", type: "Link", linkpath: "package/card.json" }]],
    ["character device", [{ path: "package/a", type: "CharacterDevice" }]],
    ["block device", [{ path: "package/a", type: "BlockDevice" }]],
    ["named pipe", [{ path: "package/a", type: "FIFO" }]],
    ["contiguous file", [{ path: "package/a", type: "ContiguousFile", content: "x" }]],
    ["sparse file", [{ path: "package/a", type: "SparseFile" as RawEntry["type"] & string }]],
    ["long link", [{ path: "x", type: "NextFileHasLongLinkpath", content: "/etc" }, file("a")]],
    [
      "path by an extended header",
      [{ path: "x", type: "ExtendedHeader", content: paxRecord("path", "package/../../x") }, file("a")],
    ],
    [
      "link by an extended header",
      [{ path: "x", type: "ExtendedHeader", content: paxRecord("linkpath", "/etc") }, file("a")],
    ],
    ["size by an extended header", [{ path: "x", type: "ExtendedHeader", content: paxRecord("size", "0") }, file("a")]],
    [
      "path for every file",
      [{ path: "x", type: "GlobalExtendedHeader", content: paxRecord("path", "package/a") }, file("a")],
    ],
    [
      "record that is longer than it claims",
      [{ path: "x", type: "ExtendedHeader", content: "9 path=package/x\n" }, file("a")],
    ],
    ["record without a number", [{ path: "x", type: "ExtendedHeader", content: "path=package/x\n" }, file("a")]],
    [
      "extended header of 1 MB",
      [{ path: "x", type: "ExtendedHeader", content: paxRecord("comment", "x".repeat(1_000_000)) }, file("a")],
    ],
    ["file of more than 8 MiB", [{ path: "package/a", content: Buffer.alloc(8 * 1024 * 1024 + 1) }]],
    ["file that is cut short", [{ path: "package/a", content: "", size: 10_000 }]],
    ["path of a folder in a file's header", [{ path: "package/a/", content: "x", size: 1 }]],
  ])("with a %s is refused whole", async (_, entries) => {
    const problem = await problemOf(() => readTarball(rawTarball([...MINIMUM, ...entries])));
    expect(problem.code).toBe("DRWN_TARBALL_INVALID");
    expect(textOf(problem).split("\n").join("")).not.toMatch(/[\u0000-\u001f]/u);
  });

  const good = rawTarball(MINIMUM);
  const plain = gunzipSync(good);
  const damagedHeader = Buffer.from(plain);
  damagedHeader[0] = 0x71;
  const badChecksum = Buffer.from(good);
  badChecksum[good.length - 8] = (badChecksum[good.length - 8] ?? 0) ^ 1;

  test.each<[string, Buffer, string]>([
    ["is empty", Buffer.alloc(0), "isn't gzip"],
    ["isn't gzip", Buffer.from("hello, this is not a gzip file"), "isn't gzip"],
    ["is a tar without gzip", plain, "isn't gzip"],
    ["is a zip", Buffer.from("PK\u0003\u0004".padEnd(40, "x")), "isn't gzip"],
    ["is cut short", good.subarray(0, good.length - 9), "damaged"],
    ["lacks its last byte", good.subarray(0, good.length - 1), "cut short"],
    ["has a wrong checksum", badChecksum, "damaged"],
    ["has a byte after its end", Buffer.concat([good, Buffer.from("x")]), "the last thing in it"],
    ["has zeros after its end", Buffer.concat([good, Buffer.alloc(512)]), "the last thing in it"],
    ["has a second member", Buffer.concat([good, gzipSync(rawTar([file("z")]))]), "the last thing in it"],
    ["has an empty first member", Buffer.concat([gzipSync(""), good]), "the last thing in it"],
    ["has no end", gzipSync(plain.subarray(0, plain.length - 1024)), "cut short"],
    ["has files after its end", gzipSync(Buffer.concat([plain, rawTar([file("z")])])), "after its end"],
    ["has a damaged header", gzipSync(damagedHeader), "damaged"],
    ["unpacks to 200 MB", gzipSync(Buffer.alloc(200_000_000)), "unpacks to more than"],
    [
      "is a thousand times smaller than its content",
      gzipSync(rawTar([...MINIMUM, { path: "package/a", content: Buffer.alloc(4_000_000) }])),
      "100 times",
    ],
    ["is larger than 32 MiB", Buffer.alloc(32 * 1024 * 1024 + 1), "at most"],
  ])("that %s is refused", async (_, bytes, why) => {
    const problem = await problemOf(() => readTarball(bytes));
    expect(problem.code).toBe("DRWN_TARBALL_INVALID");
    expect(problem.message).toContain(why);
  });

  test("with more than 5000 files is refused", async () => {
    const many = Array.from({ length: 5_001 }, (_, at) => file(`f${at}`, ""));
    expect((await problemOf(() => readTarball(rawTarball(many)))).message).toContain("more than 5000 files");
  });

  test("is refused or read, whatever bytes of it are changed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(plain.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(plain);
        changed[at] = (changed[at] ?? 0) ^ flip;
        try {
          await readTarball(gzipSync(changed));
        } catch (error) {
          expect(error).toMatchObject({ code: "DRWN_TARBALL_INVALID" });
        }
      }),
      { numRuns: 300 },
    );
  });
});
