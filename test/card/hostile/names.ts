import { cardWith, extended, type RawHeader, record, type Shape, shape } from "./raw.ts";

const file = (path: string | Buffer): RawHeader => ({ name: path, content: "x" });

/** Names that lead out of the card, each in a plain header, in an extended one and in GNU's long one. */
const CLIMBING: readonly [string, string][] = [
  ["climbs", "package/../escaped"],
  ["climbs from within", "package/a/../../../escaped"],
  ["climbs at its end", "package/a/.."],
  ["begins with a climb", "../escaped"],
  ["is absolute", "/tmp/drwn-escaped"],
  ["is absolute twice", "//tmp/drwn-escaped"],
  ["is an absolute package/", "/package/escaped"],
  ["has a dot part", "package/./a"],
  ["begins with a dot part", "./package/a"],
  ["has an empty part", "package//a"],
  ["has a drive", "package/C:a"],
  ["has a drive and a root", "C:/escaped"],
  ["is a network share", "\\\\server\\share\\a"],
  ["climbs with backslashes", "package/..\\..\\escaped"],
  ["is a device path", "\\\\?\\C:\\escaped"],
  ["has a stream of NTFS", "package/a.ts:hidden"],
  ["is outside of package/", "other/a"],
  ["only begins like package/", "packages/a"],
  ["is package/ in capitals", "PACKAGE/a"],
];

/** Names that mean another file, or none, on some system, or that hide what they are. */
const ODD: readonly [string, string][] = [
  ["is a device of Windows", "nul"],
  ["is a device with an ending", "aux.ts"],
  ["is a folder that is a device", "con/a"],
  ["is a serial port", "com1.log"],
  ["is a port with a raised digit", "lpt¹"],
  ["is a console", "conin$"],
  ["ends with a dot", "a."],
  ["ends with a space", "a "],
  ["has a folder that ends with a dot", "a./b"],
  ["is all dots", "..."],
  ["is a short alias", "PROGRA~1"],
  ["is a short alias with an ending", "cardjs~1.jso"],
  ...["<", ">", '"', "|", "?", "*"].map((sign): [string, string] => [`has a ${sign}`, `a${sign}b`]),
  ["has a line break", "a\nb"],
  ["has a carriage return", "a\rb"],
  ["has an escape sequence", "a\u001b[2J"],
  ["has a C1 control", "a\u009bb"],
  ["has a DEL", "a\u007fb"],
  ["is turned around", "a\u202egpj.ts"],
  ["has a zero-width space", "a\u200bb"],
  ["has a zero-width joiner", "a\u200db"],
  ["has a byte order mark", "a\ufeffb"],
  ["has a soft hyphen", "a\u00adb"],
  ["has a line separator", "a\u2028b"],
  ["has a character for private use", "a\ue000b"],
  ["has a character that is not assigned", "a\u0378b"],
  ["has tag characters", "a\u{e0041}b"],
  ["has a replacement character", "a\ufffdb"],
  ["has 33 folders", `${"d/".repeat(33)}a`],
  ["has a part of 256 bytes", "n".repeat(256)],
  ["has a part of 256 bytes in 86 characters", "日".repeat(86)],
  ["has more than 1024 bytes", `${"n".repeat(200)}/`.repeat(6)],
];

/** Files that no card may bring, whatever is in them. */
const REFUSED: readonly [string, string][] = [
  ["settings of npm", ".npmrc"],
  ["an environment", ".env"],
  ["a repository", ".git/config"],
  ["a package", "node_modules/a/index.js"],
  ["a package further down", "hooks/node_modules/a.js"],
  ["a package in capitals", "Node_Modules/a/index.js"],
  ["a build file", "binding.gyp"],
  ["a build file in capitals", "Binding.GYP"],
  ["a private key", "id_ed25519"],
  ["a private key in capitals", "ID_RSA"],
  ["a certificate", "tls.pem"],
  ["a certificate in capitals", "TLS.PEM"],
];

/** Bytes that are no text. */
const NO_TEXT: readonly [string, Buffer][] = [
  ["in no encoding", Buffer.from([0xff, 0xfe])],
  ["in an overlong form of a slash", Buffer.from([0x2e, 0x2e, 0xc0, 0xaf])],
  ["of half a character", Buffer.from([0xe2, 0x82])],
  ["of a surrogate", Buffer.from([0xed, 0xa0, 0x80])],
];

export const NAMES: readonly Shape[] = [
  ...CLIMBING.flatMap(([what, path]) => [
    shape(`a name that ${what}`, () => cardWith(file(path))),
    shape(`an extended header whose name ${what}`, () => cardWith(extended(record("path", path)), file("package/a"))),
    shape(`a long name that ${what}`, () => cardWith(longName(`${path}\0`), file("package/a"))),
  ]),
  ...ODD.map(([what, path]) =>
    shape(`a name that ${what}`, () => cardWith(extended(record("path", `package/${path}`)), file("package/a"))),
  ),
  ...REFUSED.map(([what, path]) => shape(`a file that is ${what}`, () => cardWith(file(`package/${path}`)))),
  ...NO_TEXT.flatMap(([what, bytes]) => {
    const path = Buffer.concat([Buffer.from("package/a"), bytes]);
    return [
      shape(`a name ${what}`, () => cardWith(file(path))),
      shape(`an extended name ${what}`, () => cardWith(extended(record("path", path)), file("package/a"))),
    ];
  }),
  shape("a name that is empty", () => cardWith(file(""))),
  shape("a name that ends with NUL and goes on", () =>
    cardWith(extended(record("path", "package/a\0/../../escaped")), file("package/a")),
  ),
  shape("a prefix that climbs", () => cardWith({ name: "escaped", prefix: "package/../..", content: "x" })),
  shape("a prefix that is absolute", () => cardWith({ name: "escaped", prefix: "/tmp", content: "x" })),
  shape("a prefix that is another folder", () => cardWith({ name: "package/a", prefix: "other", content: "x" })),
  shape("a folder that climbs", () => cardWith({ name: "package/../escaped/", type: "5" })),
  shape("a folder that is absolute", () => cardWith({ name: "/tmp/drwn-escaped/", type: "5" })),
  shape("a folder of a device's name", () => cardWith({ name: "package/prn/", type: "5" })),
  shape("a file whose name ends with a slash, in the old form", () =>
    cardWith({ name: "package/a/", type: "\0", content: "x" }),
  ),
];

function longName(content: string): RawHeader {
  return { name: "././@LongLink", type: "L", content };
}
