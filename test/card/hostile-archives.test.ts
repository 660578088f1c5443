import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { addCards } from "../../src/operations/project/add.ts";
import { initProject } from "../../src/operations/project/init.ts";
import { testHost } from "../support/host.ts";
import { problemOf, textOf } from "../support/problems.ts";
import { CONTENTS } from "./hostile/contents.ts";
import { ENTRIES } from "./hostile/entries.ts";
import { NAMES } from "./hostile/names.ts";
import { cardWith, type Shape } from "./hostile/raw.ts";
import { STREAMS } from "./hostile/streams.ts";

const ALL: readonly Shape[] = [...NAMES, ...ENTRIES, ...STREAMS, ...CONTENTS];

/** Somebody who has drwn, with a project; the folder of its locks is there, as after any command. */
function userWith(tarball: Buffer) {
  const host = testHost();
  initProject(host);
  fs.mkdirSync(path.join(host.drwnHome, "locks"), { recursive: true, mode: 0o700 });
  const file = path.join(host.home, "card.tgz");
  fs.writeFileSync(file, tarball);
  return { host, file, machine: path.dirname(host.home) };
}

/** Every path below the folder, and what each file holds. */
function look(folder: string): string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const place = path.join(entry.parentPath, entry.name);
      return `${place} ${entry.isFile() ? fs.readFileSync(place, "base64") : "no file"}`;
    })
    .sort();
}

test("there are more than 300 hostile archives, each with a name of its own", () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  expect(ALL.length).toBeGreaterThan(300);
});

describe("a hostile archive", () => {
  /** Which of them has these bytes. */
  const known = new Map<string, string>();

  test.each(ALL.map((one) => [one.name, one] as const))("with %j is refused, and writes nothing", async (_, one) => {
    const tarball = one.bytes();
    const digest = createHash("sha256").update(tarball).digest("hex");
    expect(known.get(digest)).toBeUndefined();
    known.set(digest, one.name);
    const { host, file, machine } = userWith(tarball);
    const before = look(machine);
    const problem = await problemOf(() => addCards(host, [file]));
    expect(problem.code).toBe(one.code);
    expect(textOf(problem).replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/u);
    expect(look(machine)).toEqual(before);
  });

  test("without its lie is a card", async () => {
    const { host, file } = userWith(cardWith());
    expect((await addCards(host, [file])).cards).toMatchObject([{ name: "@me/backend", version: "1.0.0" }]);
  });
});
