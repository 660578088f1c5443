import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { listFolder } from "../../src/kernel/atomic.ts";
import { endWaiting, setWarm } from "../../src/wiring/waiting.ts";
import { temporaryFolder, writeTree } from "../support/cards.ts";
import { leftoverName } from "../support/leftovers.ts";
import { bundleScript, runTogether } from "../support/processes.ts";

/** Like launchers that start processes, finds the folder by its path. Ends when the folder is gone, and in any case before it fills the disk. */
const MAKES_FILES = `
  import fs from "node:fs";
  try {
    for (let n = 0; n < 50_000; n++) fs.writeFileSync(process.argv[2] + "/" + process.argv[3] + "-" + n, "");
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
`;

test.each<[string, string, (home: string) => void]>([
  ["the place of a process that waits", "1", endWaiting],
  ["the folder of all places", "", (home) => setWarm(home, false)],
])("%s is removed while launchers make files in it", async (_, place, remove) => {
  const home = temporaryFolder();
  setWarm(home, true);
  const folder = path.join(layout.warm(home), place);
  const pipe = path.join(layout.warm(home), "1/in");
  fs.mkdirSync(path.dirname(pipe));
  execFileSync("mkfifo", [pipe]);
  const reader = fs.openSync(pipe, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const makers = runTogether(await bundleScript(MAKES_FILES), 2, [folder]);
  await expect
    .poll(() => listFolder(folder).filter((name) => /^[01]-0$/u.test(name)), { timeout: 10_000 })
    .toHaveLength(2);
  remove(home);
  expect(listFolder(home)).toEqual(place === "" ? [] : ["warm"]);
  expect(listFolder(layout.warm(home))).toEqual([]);
  expect(await makers).toEqual([0, 0]);
  fs.closeSync(reader);
});

test("what was killed while it removed the folder leaves nothing that isn't removed by the next", () => {
  const home = writeTree(temporaryFolder(), { [`${leftoverName(0)}/1/err`]: "" });
  setWarm(home, false);
  expect(listFolder(home)).toEqual([]);
});
