import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toCardFiles, treeDigest } from "../../src/card/files.ts";
import { removeTree } from "../../src/kernel/files.ts";
import { isStored, putCard, readStored } from "../../src/registry/store.ts";
import { readTree, temporaryFolder } from "../support/cards.ts";
import { leftoverName } from "../support/leftovers.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { runAtOnce } from "../support/processes.ts";

const FILES = toCardFiles([
  ["card.json", Buffer.from("{}")],
  ["hooks/guard/policy.ts", Buffer.from("export default 1;")],
  ["hooks/guard/deep/er/x.ts", Buffer.from("x")],
]);
const TREE = treeDigest(FILES);

async function stored(): Promise<{ home: string; folder: string }> {
  const home = path.join(temporaryFolder(), "home");
  await putCard(home, FILES, TREE);
  return { home, folder: path.join(home, "store", TREE) };
}

/** Changes something in a read-only entry, as somebody with the user's rights could. */
function tamper(folder: string, change: (folder: string) => void): void {
  for (const entry of ["", "hooks", "hooks/guard"]) fs.chmodSync(path.join(folder, entry), 0o755);
  change(folder);
}

describe("a stored card", () => {
  test("is read as it was put", async () => {
    const { home } = await stored();
    expect([...readStored(home, TREE)]).toEqual([...FILES]);
    expect(isStored(home, TREE)).toBe(true);
    expect(fs.readdirSync(path.join(home, "store"))).toEqual([TREE]);
  });

  test("is read-only, in a store that only its owner sees", async () => {
    const { home, folder } = await stored();
    const modeOf = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);
    expect(modeOf(path.join(folder, "hooks/guard/policy.ts"))).toBe("444");
    expect(["", "hooks", "hooks/guard", "hooks/guard/deep/er"].map((name) => modeOf(path.join(folder, name)))).toEqual(
      Array(4).fill("555"),
    );
    expect(modeOf(path.join(home, "store"))).toBe("700");
  });

  test("is put again without being touched", async () => {
    const { home, folder } = await stored();
    const before = fs.statSync(folder);
    await putCard(home, FILES, TREE);
    expect(fs.statSync(folder).ino).toBe(before.ino);
  });

  test.each<[string, (folder: string) => void]>([
    ["a byte that differs", (folder) => replace(path.join(folder, "hooks/guard/policy.ts"), "export default 2;")],
    ["a file less", (folder) => fs.rmSync(path.join(folder, "card.json"))],
    ["a file more", (folder) => fs.writeFileSync(path.join(folder, "more.ts"), "")],
    [
      "a file under another name",
      (folder) => fs.renameSync(path.join(folder, "card.json"), path.join(folder, "Card.json")),
    ],
    [
      "a link in the place of a file",
      (folder) => {
        fs.renameSync(path.join(folder, "card.json"), path.join(folder, "..", "elsewhere"));
        fs.symlinkSync("../elsewhere", path.join(folder, "card.json"));
      },
    ],
    [
      "a folder in the place of a file",
      (folder) => {
        fs.rmSync(path.join(folder, "card.json"));
        fs.mkdirSync(path.join(folder, "card.json"));
      },
    ],
    ["a file of 9 MiB", (folder) => fs.writeFileSync(path.join(folder, "big"), Buffer.alloc(9 * 1024 * 1024))],
    [
      "nothing left in it",
      (folder) => {
        for (const name of fs.readdirSync(folder)) removeTree(path.join(folder, name));
      },
    ],
  ])("with %s is refused with the command that fixes it, and putting it again fixes it", async (_, change) => {
    const { home, folder } = await stored();
    tamper(folder, change);
    const problem = await problemOf(() => readStored(home, TREE));
    expect(problem.code).toBe("DRWN_INTEGRITY_MISMATCH");
    expect(textOf(problem)).toContain(TREE);
    expect(problem.hint).toBe("drwn install");
    await putCard(home, FILES, TREE);
    expect([...readStored(home, TREE)]).toEqual([...FILES]);
    expect(fs.readdirSync(path.join(home, "store")).filter((name) => name.includes("tmp"))).toEqual([]);
  });

  test("that was changed is refused with both digests", async () => {
    const { home, folder } = await stored();
    tamper(folder, () => replace(path.join(folder, "card.json"), "[]"));
    const changed = treeDigest(new Map(FILES).set("card.json", Buffer.from("[]")));
    const text = textOf(await problemOf(() => readStored(home, TREE)));
    expect(text).toContain(`expected: ${TREE}`);
    expect(text).toContain(`received: ${changed}`);
  });

  test("is not put under a digest that is not its own, nor under what isn't a digest", async () => {
    const home = temporaryFolder();
    const other = treeDigest(toCardFiles([]));
    expect((await problemOf(() => putCard(home, FILES, other))).code).toBe("DRWN_INTEGRITY_MISMATCH");
    for (const tree of ["", "..", "../x", `${TREE}/..`, "sha256-x"]) {
      expect((await problemOf(() => readStored(home, tree))).code).toBe("DRWN_INTEGRITY_MISMATCH");
    }
    expect(readTree(home)).toEqual({});
  });

  test("is not put with a path that leads out of its folder", async () => {
    const home = temporaryFolder();
    const files = toCardFiles([["../../escaped", Buffer.from("x")]]);
    expect((await problemOf(() => putCard(home, files, treeDigest(files)))).code).toBe("DRWN_TARBALL_INVALID");
    expect(readTree(home)).toEqual({});
  });

  test("is whole after several processes put it at once, over a damaged one", async () => {
    const { home, folder } = await stored();
    tamper(folder, () => replace(path.join(folder, "card.json"), "damaged"));
    const printed = await runAtOnce(
      `import { putCard, readStored } from "src/registry/store.ts";
       import { toCardFiles } from "src/card/files.ts";
       const entries = ${JSON.stringify([...FILES].map(([name, bytes]) => [name, bytes.toString()]))};
       const files = toCardFiles(entries.map(([name, text]) => [name, Buffer.from(text)]));
       putCard(${JSON.stringify(home)}, files, ${JSON.stringify(TREE)}).then(() =>
         console.log(readStored(${JSON.stringify(home)}, ${JSON.stringify(TREE)}).size));`,
      6,
    );
    expect(printed).toEqual(Array(6).fill("3"));
    expect(fs.readdirSync(path.join(home, "store"))).toEqual([TREE]);
  });

  test("sweeps what a killed process left behind", async () => {
    const { home } = await stored();
    const left = path.join(home, "store", leftoverName());
    fs.mkdirSync(path.join(left, "inner"), { recursive: true });
    const files = toCardFiles([["card.json", Buffer.from("other")]]);
    await putCard(home, files, treeDigest(files));
    expect(fs.existsSync(left)).toBe(false);
  });
});

describe("a store", () => {
  test.each<[string, (store: string) => void]>([
    [
      "is a link",
      (store) => {
        fs.mkdirSync(`${store}-real`);
        fs.symlinkSync(`${store}-real`, store);
      },
    ],
    [
      "can be changed by everybody",
      (store) => {
        fs.mkdirSync(store);
        fs.chmodSync(store, 0o777);
      },
    ],
  ])("that %s is refused", async (_, prepare) => {
    const home = temporaryFolder();
    prepare(path.join(home, "store"));
    expect((await problemOf(() => putCard(home, FILES, TREE))).code).toBe("DRWN_HOME_UNSAFE");
  });
});

function replace(file: string, text: string): void {
  fs.chmodSync(file, 0o644);
  fs.writeFileSync(file, text);
}
