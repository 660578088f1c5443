import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findFormerProject } from "../../src/trust/former-project.ts";
import { newLedger, replaceGrant, writeLedger } from "../../src/trust/ledger-file.ts";
import { temporaryFolder } from "../support/cards.ts";
import { OUTSIDE_GIT, someGrant } from "../support/grants.ts";

const KEY = "a".repeat(64);

/** A folder in which something was consented to, and another one. */
function twoFolders() {
  const world = fs.realpathSync(temporaryFolder());
  const [home, former, here] = ["home", "former", "here"].map((name) => path.join(world, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [former, here]) fs.mkdirSync(folder);
  const { ino } = fs.statSync(former, { bigint: true });
  writeLedger(
    home,
    KEY,
    replaceGrant(newLedger({ ...OUTSIDE_GIT, path: former, inode: `1:${ino}` }), someGrant({ card: "@me/a" })),
  );
  return { home, former, here, ino };
}

test("a folder of another disk that has the number of a project is not that project, which is still there", () => {
  const { home, here, ino } = twoFolders();
  expect(findFormerProject(home, { ...OUTSIDE_GIT, path: here, inode: `2:${ino}` })).toBeUndefined();
});

test("the number of the disk doesn't matter: it may be another one after a restart", () => {
  const { home, former, here, ino } = twoFolders();
  fs.rmdirSync(here);
  fs.renameSync(former, here);
  expect(findFormerProject(home, { ...OUTSIDE_GIT, path: here, inode: `2:${ino}` })?.key).toBe(KEY);
});
