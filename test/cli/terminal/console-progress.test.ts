import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { makeProgress, output } from "../../../src/cli/terminal/console.ts";
import { yankCard } from "../../../src/operations/author/annotate.ts";
import { packCard, publishCard } from "../../../src/operations/author/publish.ts";
import { showCard } from "../../../src/operations/author/show-card.ts";
import { searchCards } from "../../../src/operations/machine/search.ts";
import { addCards } from "../../../src/operations/project/add.ts";
import { installCards, vendorCards } from "../../../src/operations/project/install.ts";
import { listOutdated } from "../../../src/operations/project/outdated.ts";
import { updateCards } from "../../../src/operations/project/update.ts";
import { sourceWith } from "../../support/cards.ts";
import type { TestHost } from "../../support/host.ts";
import { installed, publish } from "../../support/projects.ts";

const NAME = "@me/backend";

describe("the line that shows what long work does", () => {
  const written: string[] = [];
  beforeEach(() => {
    written.length = 0;
    vi.useFakeTimers();
    vi.spyOn(output, "write").mockImplementation((_, text) => void written.push(text));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const onTerminal = (isTTY: boolean) => {
    vi.spyOn(output, "isTerminal").mockReturnValue(isTTY);
  };

  test("is written after half a second, and taken back at the end", () => {
    onTerminal(true);
    const { show, stop } = makeProgress(false);
    show("fetching");
    vi.advanceTimersByTime(499);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(written).toEqual(["\r\u001b[Kfetching …"]);
    stop();
    expect(written.at(-1)).toBe("\r\u001b[K");
  });

  test("is written by work in many short steps that leaves no time to timers", () => {
    onTerminal(true);
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const { show, stop } = makeProgress(false);
    for (let step = 0; step < 60; step++) {
      show(`step ${step}`);
      now += 10;
    }
    expect(written).toEqual(["\r\u001b[Kstep 50 …"]);
    stop();
  });

  test.each([
    ["is not a terminal", false, false],
    ["is one, with --json", true, true],
  ])("is not written where stderr %s", (_, isTTY, isQuiet) => {
    onTerminal(isTTY);
    const { show, stop } = makeProgress(isQuiet);
    show("fetching");
    vi.advanceTimersByTime(10_000);
    stop();
    expect(written).toEqual([]);
  });
});

describe("what takes long says what it does", () => {
  const source = () => sourceWith({ manifest: { name: "@me/new" } });
  test.each<[string, (host: TestHost) => unknown]>([
    ["add", (host) => addCards(host, [NAME])],
    ["install", (host) => installCards(host, { frozen: true })],
    ["update", (host) => updateCards(host, { names: [], latest: false, dryRun: false })],
    ["outdated", (host) => listOutdated(host)],
    ["vendor", (host) => vendorCards(host, { dryRun: false })],
    ["search", (host) => searchCards(host, { text: "backend", registry: null })],
    ["card show", (host) => showCard(host, NAME)],
    ["card yank", (host) => yankCard(host, `${NAME}@1.0.1`, true)],
    ["card pack", (host) => packCard(host, { source: source(), key: null })],
    ["card publish", (host) => publishCard(host, { source: source(), key: null, dryRun: false })],
  ])("%s", async (_, work) => {
    const host = await installed({});
    await publish(host, { version: "1.0.1" });
    const before = host.reported.length;
    await work(host);
    expect(host.reported.length).toBeGreaterThan(before);
  });
});
