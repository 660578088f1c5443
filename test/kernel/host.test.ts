import os from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { integrityOf, isSameDigest } from "../../src/kernel/digest.ts";
import { realHost } from "../../src/kernel/host.ts";
import { compareOrdinal, sortedBy } from "../../src/kernel/order.ts";
import { temporaryFolder } from "../support/cards.ts";
import { problemOf } from "../support/problems.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test("state lies below the home unless DRWN_HOME says otherwise", () => {
  vi.stubEnv("HOME", "/home/me");
  vi.stubEnv("DRWN_HOME", undefined);
  expect(realHost().drwnHome).toBe("/home/me/.agents/drwn");
  vi.stubEnv("DRWN_HOME", "");
  expect(realHost().drwnHome).toBe("/home/me/.agents/drwn");
});

test.each([
  ["/state/", "/state"],
  ["/state//drwn/../drwn///", "/state/drwn"],
  ["/", "/"],
])("DRWN_HOME %s is the folder %s", (asked, home) => {
  vi.stubEnv("DRWN_HOME", asked);
  expect(realHost().drwnHome).toBe(home);
});

test.each([["state"], ["./state"], ["~/state"]])("DRWN_HOME %s is refused: it is not absolute", async (asked) => {
  vi.stubEnv("DRWN_HOME", asked);
  expect((await problemOf(() => realHost())).code).toBe("DRWN_HOME_INVALID");
});

test.each(["", "me", "./me"])("HOME `%s` is refused: state would lie wherever drwn is started", async (home) => {
  vi.stubEnv("HOME", home);
  vi.spyOn(os, "homedir").mockReturnValue(home);
  expect((await problemOf(() => realHost())).code).toBe("DRWN_HOME_INVALID");
});

test("a working folder that is gone, or that Node cannot name, is a problem", async () => {
  // What Node makes of a name that is no text is the name of no file.
  vi.spyOn(process, "cwd").mockReturnValue(path.join(temporaryFolder(), "\ufffd"));
  expect((await problemOf(() => realHost())).code).toBe("DRWN_FOLDER_INVALID");
  vi.spyOn(process, "cwd").mockImplementation(() => {
    throw Object.assign(new Error("ENOENT: uv_cwd"), { code: "ENOENT" });
  });
  expect((await problemOf(() => realHost())).code).toBe("DRWN_FOLDER_INVALID");
});

test("without HOME the system says where the home is", () => {
  vi.stubEnv("HOME", undefined);
  expect(realHost().home).toBe(os.homedir());
});

test("order does not depend on a locale: capitals come before small letters", () => {
  expect(sortedBy(["b", "a", "B", "ä", "Z"], (name) => name)).toEqual(["B", "Z", "a", "b", "ä"]);
  expect(compareOrdinal("same", "same")).toBe(0);
});

test("digests are the same only in full", () => {
  const digest = integrityOf("a");
  expect(isSameDigest(digest, integrityOf("a"))).toBe(true);
  expect(isSameDigest(digest, digest.slice(0, -1))).toBe(false);
  expect(isSameDigest(digest, integrityOf("b"))).toBe(false);
});
