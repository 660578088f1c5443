import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { permissionsFor } from "../../../src/hook/processes/spawn-worker.ts";
import { armHome } from "../../support/armed-home.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { reasonOf, verdictOf } from "../../support/hook-calls.ts";

/** What a policy with every right to files may read and write, by the flags that Node is given. */
function filesFor(home: string, root: string, common = ""): string[] {
  const flags = permissionsFor(["fs-read", "fs-write"], { home, root, common }) ?? [];
  return flags.filter((flag) => flag.startsWith("--allow-fs")).sort();
}

test.each(["", "/projects/x"])("a project that lies at %j in drwn's own folder gives no files to a policy", (below) => {
  const home = path.join(temporaryFolder(), "home");
  fs.mkdirSync(`${home}${below}`, { recursive: true });
  expect(filesFor(home, `${home}${below}`)).toEqual([`--allow-fs-read=${home}/bin/hook.cjs`]);
});

test("drwn's own folder stays closed in the project around it, and in the repository", () => {
  const root = temporaryFolder();
  const home = path.join(root, ".agents/drwn");
  for (const folder of [home, path.join(root, "src"), path.join(root, ".agents/other")])
    fs.mkdirSync(folder, { recursive: true });
  const open = [`${root}/.agents/other/`, `${root}/src/`];
  const expected = [`${home}/bin/hook.cjs`, ...open].map((file) => `--allow-fs-read=${file}`);
  expect(filesFor(home, root)).toEqual([...expected, ...open.map((file) => `--allow-fs-write=${file}`)].sort());
  expect(filesFor(home, path.join(root, "src"), root)).toEqual([...expected, `--allow-fs-write=${root}/src/`].sort());
});

test.each(["a,b", "a*b"])(
  "a guard that reads files is not run in a project called %j, where Node would open more, and blocks",
  (project) => {
    const policy = `{ beforeToolCall: () => undefined }`;
    const result = armHome([{ policy, capabilities: ["fs-read"] }], { project }).call();
    expect([verdictOf(result), reasonOf(result)]).toEqual([
      "deny",
      expect.stringContaining("cannot be confined to its project"),
    ]);
  },
);
