import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { layout } from "../../src/contract/layout.ts";
import { appendConsentEvents, readConsentLog } from "../../src/trust/consent-log.ts";
import { temporaryFolder } from "../support/cards.ts";

const KEY = "ab".repeat(32);

function logged(count: number): { home: string; file: string } {
  const home = temporaryFolder();
  for (let sequence = 1; sequence <= count; sequence++) append(home, sequence);
  return { home, file: layout.consentLog(home, KEY) };
}

function append(home: string, sequence: number): void {
  const about = {
    card: "@me/backend",
    version: "1.0.0",
    tree: null,
    range: "^1.0.0",
    mode: null,
    by: null,
    until: null,
  };
  appendConsentEvents(home, KEY, [{ ...about, sequence, time: "2026-03-01T12:00:00.000Z", what: "revoked" }]);
}

function edit(file: string, change: (lines: string[]) => string[]): void {
  fs.writeFileSync(file, change(fs.readFileSync(file, "utf8").split("\n")).join("\n"));
}

describe("the consent log", () => {
  test("keeps every event in its order, and only its owner can read it", () => {
    const { home, file } = logged(3);
    const { events, broken } = readConsentLog(home, KEY);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(broken).toEqual([]);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each<[string, (lines: string[]) => string[], number[]]>([
    ["a line that was edited", (lines) => lines.with(0, String(lines[0]).replace("1.0.0", "1.0.1")), [2]],
    ["a line that was taken out", (lines) => lines.toSpliced(1, 1), [2]],
    ["lines that changed places", ([a = "", b = "", ...rest]) => [b, a, ...rest], [1, 2, 3]],
    ["a line that isn't an event", (lines) => lines.with(1, "{}"), [2, 3]],
    ["a line that was put in", ([a = "", ...rest]) => [a, a, ...rest], [2]],
  ])("reports %s", (_, change, broken) => {
    const { home, file } = logged(3);
    edit(file, change);
    expect(readConsentLog(home, KEY).broken).toEqual(broken);
  });

  test("goes on behind a line that a killed process left unfinished", () => {
    const { home, file } = logged(2);
    fs.appendFileSync(file, '{"sequence":3,"ti');
    append(home, 4);
    const { events, broken } = readConsentLog(home, KEY);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 4]);
    expect(broken).toEqual([3]);
  });

  test("is not written through a link", () => {
    const home = temporaryFolder();
    const elsewhere = `${home}/elsewhere`;
    fs.mkdirSync(layout.ledgers(home), { recursive: true });
    fs.symlinkSync(elsewhere, layout.consentLog(home, KEY));
    expect(() => append(home, 1)).toThrow(/is not a regular file/u);
    expect(fs.existsSync(elsewhere)).toBe(false);
  });
});
