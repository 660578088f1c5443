import type { ShownReplay } from "../../../operations/report/read-replay.ts";
import type { Report } from "../../../operations/report/report.ts";
import { percent } from "../proving/rate.ts";
import { type Html, html } from "./html.ts";

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
