import { spawnSync } from "node:child_process";
import { isLong, testPages } from "./pages.ts";

/** Pages that somebody has changed since the last commit: `npm test` runs them, long ones too. None outside of a git checkout. */
const { stdout } = spawnSync("git", ["status", "--porcelain", "--no-renames", "-z", "--", "docs"], {
  encoding: "utf8",
});
const changed = (stdout ?? "").split("\0").map((line) => line.slice(3));

testPages((name) => !isLong(name) || changed.includes(name));
