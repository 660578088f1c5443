import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { addCards } from "../../../src/operations/project/add.ts";
import { initProject } from "../../../src/operations/project/init.ts";
import { temporaryFolder } from "../../support/cards.ts";
import { testHost } from "../../support/host.ts";
import { problemOf, textOf } from "../../support/problems.ts";
import { CONTENTS } from "../hostile/contents.ts";
import { ENTRIES } from "../hostile/entries.ts";
import { NAMES } from "../hostile/names.ts";
import { cardWith, type Shape } from "../hostile/raw.ts";
import { STREAMS } from "../hostile/streams.ts";

const ALL: readonly Shape[] = [...NAMES, ...ENTRIES, ...STREAMS, ...CONTENTS];

/** Somebody who has drwn, with a project; the folder of its locks is there, as after any command. */
function newUser() {
  const host = testHost();
  initProject(host);
  fs.mkdirSync(path.join(host.drwnHome, "locks"), { recursive: true, mode: 0o700 });
  return { host, machine: path.dirname(host.home) };
}

function fileOf(tarball: Buffer): string {
  const file = path.join(temporaryFolder(), "card.tgz");
  fs.writeFileSync(file, tarball);
  return file;
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
  // One machine for all of them: none leaves anything there.
  let user: ReturnType<typeof newUser>;
  beforeAll(() => {
    user = newUser();
  });

  test.each(ALL.map((one) => [one.name, one] as const))("with %j is refused, and writes nothing", async (_, one) => {
    const tarball = one.bytes();
    const digest = createHash("sha256").update(tarball).digest("hex");
    // Itself, when it is tried again.
    expect(known.get(digest) ?? one.name).toBe(one.name);
    known.set(digest, one.name);
    const { host, machine } = user;
    const before = look(machine);
    const file = fileOf(tarball);
    const problem = await problemOf(() => addCards(host, [file]));
    fs.rmSync(file);
    expect(problem.code).toBe(one.code);
    expect(textOf(problem).replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/u);
    expect(look(machine)).toEqual(before);
  });

  test("without its lie is a card", async () => {
    expect((await addCards(newUser().host, [fileOf(cardWith())])).cards).toMatchObject([
      { name: "@me/backend", version: "1.0.0" },
    ]);
  });
});
