import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findProjectKey, isMarked, listMarkedKeys, markersOf, writeMarkers } from "../../src/trust/project-key.ts";
import { readTree, temporaryFolder, writeTree } from "../support/cards.ts";

const OWN = "aa".repeat(32);
const SHARED = "bb".repeat(32);
const IN_GIT = { path: "/code/tree/app", gitCommonDir: "/code/repository/.git", gitPath: "app", inode: null };
const OUTSIDE = { path: "/code/app", gitCommonDir: null, gitPath: null, inode: null };

test("without a marker the key follows from the path alone", () => {
  const home = temporaryFolder();
  const key = findProjectKey(home, OUTSIDE);
  expect(key).toMatch(/^[0-9a-f]{64}$/u);
  expect(findProjectKey(temporaryFolder(), OUTSIDE)).toBe(key);
  expect(findProjectKey(home, { ...IN_GIT, path: OUTSIDE.path })).toBe(key);
  expect(findProjectKey(home, { ...OUTSIDE, path: "/code/moved" })).not.toBe(key);
});

test("the marker at the project's own path goes before the one that worktrees share", () => {
  const home = temporaryFolder();
  writeMarkers(home, { ...IN_GIT, path: "/elsewhere" }, SHARED);
  expect(findProjectKey(home, IN_GIT)).toBe(SHARED);
  writeTree(home, { "roots/code/tree/app/.drwn-project": `${OWN}\n` });
  expect(findProjectKey(home, IN_GIT)).toBe(OWN);
});

test("markers lie where the launcher looks: at the path, and at the place in the repository", () => {
  const home = temporaryFolder();
  writeMarkers(home, IN_GIT, OWN);
  expect(readTree(home)).toEqual({
    "roots/code/tree/app/.drwn-project": `${OWN}\n`,
    "roots/code/repository/.git/app/.drwn-project": `${OWN}\n`,
  });
  const top = markersOf("/h", { ...IN_GIT, gitPath: "" });
  expect(top).toEqual(["/h/roots/code/tree/app/.drwn-project", "/h/roots/code/repository/.git/.drwn-project"]);
  expect(markersOf("/h", { ...OUTSIDE, path: "/" })).toEqual(["/h/roots/.drwn-project"]);
});

test("a project that is not marked is none to the launcher, and one with either marker is", () => {
  const home = temporaryFolder();
  expect(isMarked(home, IN_GIT)).toBe(false);
  writeMarkers(home, { ...IN_GIT, path: "/elsewhere" }, SHARED);
  expect(isMarked(home, IN_GIT)).toBe(true);
  expect(isMarked(home, OUTSIDE)).toBe(false);
});

test.each([[""], ["zz"], ["../../etc"], [`${OWN}${OWN}`], ["AA".repeat(32)]])(
  "a marker that says %j names no project",
  (text) => {
    const home = writeTree(temporaryFolder(), { "roots/code/app/.drwn-project": text });
    expect(findProjectKey(home, OUTSIDE)).toBe(findProjectKey(temporaryFolder(), OUTSIDE));
    expect(listMarkedKeys(home)).toEqual([]);
  },
);

test("placing markers again touches nothing, and a damaged one is fixed", () => {
  const home = temporaryFolder();
  writeMarkers(home, OUTSIDE, OWN);
  const [file = ""] = markersOf(home, OUTSIDE);
  const { ino } = fs.statSync(file);
  writeMarkers(home, OUTSIDE, OWN);
  expect(fs.statSync(file).ino).toBe(ino);
  fs.writeFileSync(file, "garbage");
  writeMarkers(home, OUTSIDE, OWN);
  expect(fs.readFileSync(file, "utf8")).toBe(`${OWN}\n`);
});

test("every marked project is listed once, nested ones and worktrees included", () => {
  const home = temporaryFolder();
  expect(listMarkedKeys(home)).toEqual([]);
  writeMarkers(home, IN_GIT, OWN);
  writeMarkers(home, { ...OUTSIDE, path: path.join(IN_GIT.path, "nested") }, SHARED);
  expect(listMarkedKeys(home)).toEqual([OWN, SHARED]);
});
