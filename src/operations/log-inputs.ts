import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import { createAtomic } from "../kernel/atomic.ts";

export const INPUTS = ["keep", "denied", "off"] as const;
/** Whose inputs the journal keeps: those of all calls, of calls that were denied or asked about, or none. */
export type InputLogging = (typeof INPUTS)[number];

export function setInputs(home: string, key: string, wanted: InputLogging): void {
  const markers = { keep: layout.journalInputs(home, key), off: layout.journalWithoutInputs(home, key) };
  for (const inputs of ["keep", "off"] as const) {
    if (inputs === wanted) createAtomic(markers[inputs], "");
    else fs.rmSync(markers[inputs], { force: true });
  }
}
