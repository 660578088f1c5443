import { describe, expect, test } from "vitest";
import { checkCardPath, checkCardPaths } from "../../src/card/safe-path.ts";
import { problemOf, textOf } from "../support/problems.ts";

describe("a path in a card", () => {
  test.each([
    ["empty", ""],
    ["absolute", "/etc/passwd"],
    ["with a drive", "C:/x"],
    ["a UNC path", "//host/share"],
    ["climbing", "../x"],
    ["climbing inside", "a/../../x"],
    ["with a dot part", "a/./b"],
    ["with an empty part", "a//b"],
    ["ending with a slash", "a/"],
    ["with a backslash", "a\\b"],
    ["with a NUL", "a\u0000.ts"],
    ["with a line break", "a\nb"],
    ["with an escape", "a\u001b[31m"],
    ["with a right-to-left mark", "a\u202etxt.ts"],
    ["with a zero-width space", "a\u200b.ts"],
    ["with a line separator", "a\u2028b"],
    ["with a lone surrogate", "a\ud800"],
    ["that was no UTF-8", "a\ufffd"],
    ["with an alternate stream", "a.ts:evil"],
    ["with a wildcard", "a*.ts"],
    ["a device", "CON"],
    ["a device with an extension", "sub/aux.ts"],
    ["a device by another digit", "com¹.txt"],
    ["a short alias", "PROGRA~1"],
    ["ending with a dot", "a./b"],
    ["ending with a space", "a /b"],
    ["with a name of 256 bytes", "a".repeat(256)],
    ["with a name of 128 two-byte letters", "ü".repeat(128)],
    ["of more than 1024 bytes", `${"a/".repeat(20)}${`${"b".repeat(200)}/`.repeat(5)}c`],
    ["deeper than 32", `${"a/".repeat(32)}b`],
  ])("that is %s is refused", async (_, path) => {
    const problem = await problemOf(() => checkCardPath(path));
    expect(problem.code).toBe("DRWN_TARBALL_INVALID");
    expect(textOf(problem).replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u200b\u202e\u2028]/u);
  });

  test.each([
    "card.json",
    "hooks/a-b/policy.ts",
    "skills/größe/SKILL.md",
    "a b.md",
    ".hidden",
    "console.ts",
    "日本/語.md",
  ])("%s is fine", (path) => {
    expect(() => checkCardPath(path)).not.toThrow();
  });

  test.each([
    ["letter case", ["a/README.md", "a/readme.md"]],
    ["the case of a folder", ["Lib/a.ts", "lib/b.ts"]],
    ["composition", ["caf\u00e9.md", "cafe\u0301.md"]],
    ["a sharp s", ["straße.md", "strasse.md"]],
    ["a ligature", ["ﬁle.md", "file.md"]],
    ["a file that is a folder too", ["a", "a/b"]],
    ["a folder that is a file too", ["a/b", "a"]],
    ["a file that is another one's folder in another case", ["A", "a/b"]],
  ])("two paths that differ only in %s are refused", async (_, paths) => {
    const problem = await problemOf(() => checkCardPaths(paths, "DRWN_PACK_REFUSED"));
    expect(problem.code).toBe("DRWN_PACK_REFUSED");
  });

  test("files that share folders do not collide", () => {
    expect(() => checkCardPaths(["lib/a.ts", "lib/b.ts", "lib/c/a.ts", "libs/a.ts"])).not.toThrow();
  });
});
