import type { Report, ShownReplay } from "../../../operations/report/report.ts";
import { Html, html } from "../html.ts";
import { percent } from "../replay.ts";

/** What a page is about: a report, a replay, or both. */
export interface PageContent {
  report: Report | null;
  replay: ShownReplay | null;
  /** What waits for a person, each with its command. */
  waiting: readonly { project: string; command: string }[];
}

/** A section, and the link to it. */
export interface Section {
  id: string;
  title: string;
  /** What the link to it says. */
  short: string;
  /** Something that a person must look at. */
  isAlert?: boolean;
  body: Html;
}

/** `2026-01-31 12:00` of a time. */
export function minute(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

interface Tile {
  name: string;
  value: number | string;
  note?: string;
  as?: "deny" | "ask";
}

/** The figures of `drwn log --stats`. */
export function figureTiles({ figures }: Report): Html {
  const { calls, denies, asks, failures, p50, p99 } = figures;
  return tiles([
    { name: "Calls", value: number(calls) },
    { name: "Denied", value: number(denies), note: share(denies, calls), ...(denies > 0 ? { as: "deny" } : {}) },
    { name: "Asked about", value: number(asks), note: share(asks, calls), ...(asks > 0 ? { as: "ask" } : {}) },
    { name: "Failures", value: number(failures), ...(failures > 0 ? { as: "deny" } : {}) },
    { name: "Time of a call", value: `${p50} ms`, note: `99 of 100 within ${p99} ms` },
  ]);
}

export function replayTiles({ calls, sessions, denied, deniedThatRan, asked, rewritten }: ShownReplay): Html {
  return tiles([
    { name: "Calls replayed", value: number(calls), note: `in ${number(sessions)} sessions` },
    {
      name: "Would be denied",
      value: number(denied),
      note: `${number(deniedThatRan)} had worked`,
      ...(denied > 0 ? { as: "deny" } : {}),
    },
    { name: "Would be asked about", value: number(asked), ...(asked > 0 ? { as: "ask" } : {}) },
    { name: "Would be rewritten", value: number(rewritten) },
  ]);
}

function tiles(all: readonly Tile[]): Html {
  return html`<dl class="tiles">${all.map(
    ({ name, value, note, as = "" }) =>
      html`<div class="${as}"><dt>${name}</dt><dd>${value}${note === undefined ? "" : html`<small>${note}</small>`}</dd></div>`,
  )}</dl>`;
}

/** `12,345`. */
export function number(count: number): string {
  return count.toLocaleString("en-US");
}

export function share(count: number, of: number): string {
  if (of === 0 || count === 0) return "none";
  return `${percent(count / of)} of all`;
}

export interface Series {
  name: string;
  /** One of the page's colours, as a variable of its style. */
  colour: string;
  /** The chart above shows the many, the one below the few. */
  isBelow: boolean;
  counts: readonly number[];
}

interface BarRequest {
  labels: readonly string[];
  series: readonly Series[];
  /** In pixels, as all lengths here. */
  width: number;
}

interface Panel {
  top: number;
  height: number;
  /** About how many lines of the grid it has. */
  steps: number;
}

const LEFT = 44;
const RIGHT = 6;
const ABOVE: Panel = { top: 10, height: 120, steps: 4 };
const BELOW: Panel = { top: 156, height: 70, steps: 2 };
const HEIGHT = 252;
/** How much of its place a bar fills. */
const FILLED = 0.8;
/** What a letter of a label needs, and the gap between labels. */
const LETTER = 7;
const GAP = 18;

/** Stacked bars over time, drawn now, since the page contains no program. */
export function drawBars({ labels, series, width }: BarRequest): Html {
  const place = (width - LEFT - RIGHT) / Math.max(1, labels.length);
  return html`<svg viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}">${[ABOVE, BELOW].map((panel) =>
    drawPanel(
      series.filter(({ isBelow }) => isBelow === (panel === BELOW)),
      { panel, place, width },
    ),
  )}${drawLabels(labels, place, width)}</svg>`;
}

function drawPanel(
  stack: readonly Series[],
  { panel: { top, height, steps }, place, width }: { panel: Panel; place: number; width: number },
): Html {
  const sums = (stack[0]?.counts ?? []).map((_, at) => stack.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0));
  const step = roundStep(Math.max(1, ...sums) / steps);
  const highest = Math.ceil(Math.max(1, ...sums) / step) * step;
  const bottom = top + height;
  const lines = Array.from({ length: highest / step + 1 }, (_, line) => line * step);
  return html`${lines.map((value) => {
    const y = bottom - (value / highest) * height;
    return html`<line x1="${LEFT}" x2="${width - RIGHT}" y1="${round(y)}" y2="${round(y)}" stroke="var(--line)"></line><text x="${LEFT - 8}" y="${round(y + 4)}" text-anchor="end" font-size="12" fill="var(--muted)">${number(value)}</text>`;
  })}${sums.map((_, at) => {
    let base = bottom;
    return stack.map(({ counts, colour }) => {
      const count = counts[at] ?? 0;
      if (count === 0) return new Html("");
      const tall = (count / highest) * height;
      base -= tall;
      const x = LEFT + place * (at + (1 - FILLED) / 2);
      return html`<rect x="${round(x)}" y="${round(base)}" width="${round(place * FILLED)}" height="${round(tall)}" fill="var(--${colour})"></rect>`;
    });
  })}`;
}

/** As many labels as fit beside one another. */
function drawLabels(labels: readonly string[], place: number, width: number): Html {
  const longest = Math.max(...labels.map((label) => label.length)) * LETTER + GAP;
  const every = Math.max(1, Math.ceil((labels.length * longest) / (width - LEFT)));
  return html`${labels.map((label, at) =>
    at % every === 0
      ? html`<text x="${round(LEFT + place * (at + 0.5))}" y="${HEIGHT - 8}" text-anchor="middle" font-size="12" fill="var(--muted)">${label}</text>`
      : new Html(""),
  )}`;
}

/** The next number above that is 1, 2 or 5 times a power of ten, and whole. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? power * 10);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
