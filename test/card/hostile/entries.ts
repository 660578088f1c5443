import { cardWith, extended, type RawHeader, rawHeader, record, type Shape, shape } from "./raw.ts";

const file = (path: string, content = "x"): RawHeader => ({ name: `package/${path}`, content });
const folder = (path: string): RawHeader => ({ name: `package/${path}/`, type: "5" });

/** Entries that could be one file on some system, whichever of them would win there. */
const COLLISIONS: readonly [string, readonly RawHeader[]][] = [
  ["a file twice", [file("a"), file("a")]],
  ["a file twice with other content", [file("a", "one"), file("a", "two")]],
  ["the manifest twice", [file("card.json", "{}")]],
  ["the manifest in capitals", [file("CARD.JSON", "{}")]],
  ["package.json twice", [file("package.json", "{}")]],
  ["the manifest again by an extended header", [extended(record("path", "package/card.json")), file("a")]],
  ["the manifest again by a long name", [{ name: "x", type: "L", content: "package/card.json\0" }, file("a")]],
  ["the manifest again by a prefix", [{ name: "card.json", prefix: "package", content: "{}" }]],
  ["a file in two cases", [file("a"), file("A")]],
  ["a folder in two cases", [file("Lib/a"), file("lib/b")]],
  ["two compositions of one letter", [file("\u00e9"), file("e\u0301")]],
  ["two compositions in another order", [file("a\u0323\u0307"), file("a\u0307\u0323")]],
  ["a sharp s and two s", [file("ß"), file("SS")]],
  ["a long s and an s", [file("ſ"), file("s")]],
  ["a sign of kelvin and a k", [file("\u212a"), file("k")]],
  ["a sign of ohm and an omega", [file("\u2126"), file("\u03c9")]],
  ["a ligature and its letters", [file("\ufb01"), file("fi")]],
  ["two sigmas", [file("σ"), file("ς")]],
  ["a file that is a folder, too", [file("a"), file("a/b")]],
  ["a folder that is a file, too", [file("a/b"), file("a")]],
  ["a file that is a folder in another case", [file("A"), file("a/b")]],
];

/** Everything that is neither a file nor a folder, by its type byte. */
const KINDS: readonly [string, string][] = [
  ["a contiguous file", "7"],
  ["a character device", "3"],
  ["a block device", "4"],
  ["a named pipe", "6"],
  ["a list of a folder, as GNU dumps", "D"],
  ["a sparse file, as GNU writes it", "S"],
  ["the rest of another archive's file", "M"],
  ["a long name of the oldest kind", "N"],
  ["a label of a tape", "V"],
  ["a header of an inode", "I"],
  ["rights as Solaris writes them", "A"],
  ["an extended header as Solaris writes it", "X"],
  ["a type that nobody knows", "Z"],
  ["a type that is no letter", "\u00ff"],
];

const LINKS: readonly [string, readonly RawHeader[]][] = [
  ["a link to a file of the system", [{ name: "package/policy.ts", type: "2", link: "/etc/passwd" }]],
  ["a link that climbs", [{ name: "package/a", type: "2", link: "../../escaped" }]],
  ["a link within the card", [{ name: "package/a", type: "2", link: "card.json" }]],
  ["a link to itself", [{ name: "package/a", type: "2", link: "a" }]],
  ["a link without a goal", [{ name: "package/a", type: "2" }]],
  ["a link with content", [{ name: "package/a", type: "2", link: "b", content: "x" }]],
  ["a folder that is a link, and a file in it", [{ name: "package/a", type: "2", link: "/tmp" }, file("a/b")]],
  ["package/ that is a link", [{ name: "package", type: "2", link: "/tmp" }]],
  ["a hard link within the card", [{ name: "package/a", type: "1", link: "package/card.json" }]],
  ["a hard link out of it", [{ name: "package/a", type: "1", link: "/etc/passwd" }]],
  ["a long goal of a link", [{ name: "x", type: "K", content: "/etc/passwd\0" }, file("a")]],
  ["the goal of a link for a file", [extended(record("linkpath", "/etc/passwd")), file("a")]],
];

/** Extended headers that readers understand differently, or that give a file another size. */
const EXTENDED: readonly [string, string | Buffer][] = [
  ["a size of nothing", record("size", "0")],
  ["a size of one block less", record("size", "512")],
  ["a size beyond all limits", record("size", "99999999999999999999")],
  ["a size below nothing", record("size", "-512")],
  ["a sparse map", record("GNU.sparse.map", "0,1")],
  ["the name of a sparse file", record("GNU.sparse.name", "package/b")],
  ["the real size of a sparse file", record("GNU.sparse.realsize", "1")],
  ["a record that is shorter than it says", "99 path=package/x\n"],
  ["a record that is longer than it says", "9 path=package/x\n"],
  ["a record of no length", "0 path=package/x\n"],
  ["a record without a length", "path=package/x\n"],
  ["a length with a sign", "+18 path=package/x\n"],
  ["a length in hexadecimal", "0x14 path=package/b\n"],
  ["a length with an exponent", "2e1 path=package/abc\n"],
  ["a length with a fraction", "20.0 path=package/b\n"],
  ["a length below nothing", "-1 path=package/x\n"],
  ["a length after a space", " 18 path=package/x\n"],
  ["a length after a zero", "018 path=package/x\n"],
  ["a record without an end", "17 path=package/x "],
  ["a record without a key", "12 =package\n"],
  ["a record without a value", "8 path_\n"],
  ["bytes behind its records", Buffer.concat([record("path", "package/b"), Buffer.from("x")])],
  ["a name that is taken back", record("path", "")],
  ["two names", Buffer.concat([record("path", "package/b"), record("path", "package/c")])],
  ["1 MB", record("comment", "x".repeat(1_000_000))],
];

export const ENTRIES: readonly Shape[] = [
  ...COLLISIONS.map(([what, entries]) => shape(what, () => cardWith(...entries))),
  ...KINDS.map(([what, type]) => shape(what, () => cardWith({ name: "package/a", type }))),
  ...LINKS.map(([what, entries]) => shape(what, () => cardWith(...entries))),
  ...EXTENDED.map(([what, content]) =>
    shape(`an extended header with ${what}`, () => cardWith(extended(content), file("a"))),
  ),
  shape("two extended headers for one file", () =>
    cardWith(extended(record("path", "package/b")), extended(record("path", "package/c")), file("a")),
  ),
  shape("an extended header and a long name for one file", () =>
    cardWith(extended(record("path", "package/b")), { name: "x", type: "L", content: "package/c\0" }, file("a")),
  ),
  shape("two long names for one file", () =>
    cardWith(
      { name: "x", type: "L", content: "package/b\0" },
      { name: "x", type: "L", content: "package/c\0" },
      file("a"),
    ),
  ),
  shape("an extended header for no file", () => cardWith(extended(record("path", "package/b")))),
  shape("a long name for no file", () => cardWith({ name: "x", type: "L", content: "package/b\0" })),
  shape("a name for every file", () => cardWith(extended(record("path", "package/b"), "g"), file("a"))),
  shape("the goal of a link for every file", () => cardWith(extended(record("linkpath", "/etc"), "g"), file("a"))),
  shape("a size for every file", () => cardWith(extended(record("size", "0"), "g"), file("a"))),
  shape("a folder with content", () => cardWith({ ...folder("a"), content: "x".repeat(512) })),
  shape("a folder that says it has content", () => cardWith({ ...folder("a"), size: "00000001000\0" })),
  shape("a folder that hides a header", () =>
    cardWith({ ...folder("a"), content: rawHeader({ name: "../escaped", content: "" }) }),
  ),
];
