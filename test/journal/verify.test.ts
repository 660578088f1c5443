import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rotateJournal } from "../../src/hook/journal/rotate.ts";
import { verifyJournal } from "../../src/journal/verify.ts";
import { newJournal, type TestJournal } from "../support/journals.ts";

/** Seven calls, the fourth to the sixth of which overlapped. */
function someCalls(): TestJournal {
  const journal = newJournal();
  for (const tool of ["One", "Two", "Three"]) journal.begin({ tool })();
  const overlapping = ["Four", "Five", "Six"].map((tool) => journal.begin({ tool }));
  for (const write of overlapping.reverse()) write();
  journal.begin({ tool: "Seven" })();
  return journal;
}

const verify = (journal: TestJournal, expected?: string) => verifyJournal({ ...journal, expected });
const kinds = (journal: TestJournal) => [...new Set(verify(journal).faults.map(({ kind }) => kind))].sort();

function rewrite(journal: TestJournal, change: (lines: string[]) => string[]): void {
  fs.writeFileSync(
    journal.file,
    change(journal.lines())
      .map((line) => `${line}\n`)
      .join(""),
  );
}

const places = [0, 1, 2, 3, 4, 5, 6];

describe("a journal that was left alone", () => {
  test("verifies, and its head is the hash of its last line", () => {
    const journal = someCalls();
    const head = /"hash":"(\w+)"/u.exec(journal.lines().at(-1) ?? "")?.[1];
    expect(verify(journal, head)).toEqual({
      ok: true,
      calls: 7,
      files: 1,
      head,
      isComplete: true,
      faults: [],
    });
  });

  test("verifies before the first call", () => {
    expect(verify(newJournal())).toMatchObject({ ok: true, calls: 0, head: null });
  });

  test("verifies however many calls overlap, in whatever order they end", () => {
    const steps = fc.array(fc.nat(9), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (order) => {
        const journal = newJournal();
        const open: (() => void)[] = [];
        let calls = 0;
        for (const step of order) {
          const [ending] = step < 5 ? [] : open.splice(step % Math.max(1, open.length), 1);
          if (ending === undefined) open.push(journal.begin({ tool: `${++calls}${"x".repeat(step * 20)}` }));
          else ending();
        }
        for (const ending of open) ending();
        expect(verify(journal).faults).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

describe("what was done to a journal is found:", () => {
  test.each(places)("line %i was edited", (place) => {
    const journal = someCalls();
    rewrite(journal, (lines) => lines.with(place, lines[place]?.replace("allow", "denied") ?? ""));
    expect(kinds(journal)).toContain("edited");
    expect(verify(journal).faults[0]?.line).toBe(place + 1);
  });

  test.each(places.slice(0, -1))("line %i was edited, and its hash made to fit", async (place) => {
    const { createHash } = await import("node:crypto");
    const journal = someCalls();
    rewrite(journal, (lines) => {
      const [said = ""] = (lines[place] ?? "").replace("allow", "allot").split(`,"hash":"`);
      return lines.with(place, `${said},"hash":"${createHash("sha256").update(said).digest("hex")}"}`);
    });
    expect(verify(journal).ok).toBe(false);
  });

  test.each(places.slice(0, -1))("line %i was removed", (place) => {
    const journal = someCalls();
    rewrite(journal, (lines) => lines.toSpliced(place, 1));
    expect(verify(journal).ok).toBe(false);
  });

  test.each(places.slice(1))("line %i was moved before the one above", (place) => {
    const journal = someCalls();
    rewrite(journal, (lines) => lines.toSpliced(place, 1).toSpliced(place - 1, 0, lines[place] ?? ""));
    expect(verify(journal).ok).toBe(false);
  });

  test.each([1, 3, 7])("the last %i lines were cut off, by a head that was noted before", (count) => {
    const journal = someCalls();
    const head = verify(journal).head ?? "";
    rewrite(journal, (lines) => lines.slice(0, -count));
    expect(verify(journal).ok).toBe(true);
    expect(verify(journal, head.slice(0, 12)).faults).toMatchObject([{ kind: "head" }]);
  });

  test.each(places)("line %i is there twice", (place) => {
    const journal = someCalls();
    rewrite(journal, (lines) => lines.toSpliced(place, 0, lines[place] ?? ""));
    expect(verify(journal).ok).toBe(false);
  });

  test("a line that is not ours was put in", () => {
    const journal = someCalls();
    rewrite(journal, (lines) => lines.toSpliced(2, 0, "{}"));
    expect(kinds(journal)).toContain("torn");
  });

  test("any single byte of a line was changed", () => {
    const journal = someCalls();
    const whole = fs.readFileSync(journal.file);
    fc.assert(
      fc.property(fc.nat(whole.length - 2), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(whole);
        changed[at] = (changed[at] ?? 0) ^ flip;
        fs.writeFileSync(journal.file, changed);
        expect(verify(journal).ok).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a process that died while it wrote", () => {
  test("leaves half a line, behind which the next call begins a line of its own", () => {
    const journal = someCalls();
    fs.appendFileSync(journal.file, `{"time":"2026`);
    expect(verify(journal).ok).toBe(true);
    journal.begin()();
    journal.begin()();
    expect(verify(journal)).toMatchObject({ calls: 10, faults: [{ kind: "torn", line: 8 }] });
  });
});

describe("a journal that is full", () => {
  const JUNK = `${"x".repeat(1024 * 1024 - 1)}\n`.repeat(10);
  const fill = (journal: TestJournal): void => fs.appendFileSync(journal.file, JUNK);
  const files = (journal: TestJournal) =>
    fs
      .readdirSync(path.dirname(journal.file))
      .filter((name) => /^journal\.\d+-\d+\./u.test(name))
      .sort();

  test("is put aside, and the next one follows from it", () => {
    const journal = someCalls();
    fill(journal);
    journal.begin()();
    expect(journal.lines()).toHaveLength(1);
    expect(files(journal)).toEqual([expect.stringMatching(/^journal\.000001-\d+\.jsonl$/u)]);
    const { faults, calls } = verify(journal);
    expect(calls).toBe(7 + 10 + 1);
    expect(faults.every(({ kind }) => kind === "torn")).toBe(true);
  });

  test("goes after four others were put aside behind it, and that is said", () => {
    const journal = newJournal();
    for (let i = 0; i < 6; i++) {
      journal.begin()();
      fill(journal);
    }
    journal.begin()();
    expect(files(journal).filter((name) => name.endsWith("jsonl"))).toHaveLength(4);
    const { isComplete, faults } = verify(journal);
    expect(isComplete).toBe(false);
    expect(faults.every(({ kind }) => kind === "torn")).toBe(true);
  });

  test.each([0, 1, 2, 3])("is missed when number %i of those put aside was removed", (place) => {
    const journal = newJournal();
    for (let i = 0; i < 5; i++) {
      journal.begin()();
      fill(journal);
    }
    journal.begin()();
    const aside = files(journal).filter((name) => name.endsWith("jsonl"));
    fs.rmSync(path.join(path.dirname(journal.file), aside[place] ?? ""));
    expect(verify(journal).faults.some(({ kind }) => kind !== "torn")).toBe(true);
  });

  test("is written to where its lock can be neither taken nor taken away", () => {
    const journal = newJournal();
    fill(journal);
    fs.mkdirSync(`${journal.file}.lock`);
    fs.utimesSync(`${journal.file}.lock`, new Date(0), new Date(0));
    journal.begin()();
    expect(journal.lines()).toHaveLength(11);
  });

  test("is put aside once when somebody else has just done it, and no line is lost", () => {
    const journal = newJournal();
    fill(journal);
    const fd = fs.openSync(journal.file, "r");
    fs.renameSync(journal.file, journal.file.replace("journal.", "journal.000001-1."));
    expect(rotateJournal(journal, fd)).toBe(true);
    fs.closeSync(fd);
    expect(files(journal)).toHaveLength(1);
  });

  test("is written to while somebody else is putting it aside", () => {
    const journal = newJournal();
    fill(journal);
    fs.writeFileSync(`${journal.file}.lock`, "");
    journal.begin()();
    expect(files(journal)).toEqual([]);
    fs.utimesSync(`${journal.file}.lock`, new Date(0), new Date(0));
    // The lock of a process that died is removed by the first call that meets it.
    journal.begin()();
    journal.begin()();
    expect(files(journal)).toHaveLength(1);
  });
});
