import { describe, expect, test } from "vitest";
import { diffFiles } from "../../../src/card/archive/code-diff.ts";
import { toCardFiles } from "../../../src/card/files.ts";

describe("a diff of a card's files", () => {
  test("shows no lines of files that are binary or too large", () => {
    const files = (content: string | Buffer) => toCardFiles([["x", Buffer.from(content)]]);
    expect(diffFiles(files("a\0b"), files("a"))).toEqual([{ path: "x", change: "changed", hunks: null }]);
    expect(diffFiles(files(Buffer.from([0xff])), files("a"))).toMatchObject([{ hunks: null }]);
    expect(diffFiles(files("a\n".repeat(300_000)), files("b"))).toMatchObject([{ hunks: null }]);
    expect(diffFiles(files("a\nb\n"), files("a\nc\n"))).toEqual([
      { path: "x", change: "changed", hunks: [{ from: 1, to: 1, lines: [" a", "-b", "+c"] }] },
    ]);
  });

  test("gives up on texts that could keep it busy for long", () => {
    const lines = (seed: number) => {
      let value = seed;
      return Array.from({ length: 40_000 }, () => {
        value = (value * 48_271) % 2_147_483_647;
        return String(value % 1_000);
      }).join("\n");
    };
    const file = (seed: number) => toCardFiles([["x", Buffer.from(lines(seed))]]);
    expect(diffFiles(file(1), file(2))).toMatchObject([{ path: "x", change: "changed", hunks: null }]);
  });
});
