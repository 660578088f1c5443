import type { ShownReplay } from "../../../operations/report/read-replay.ts";
import type { Report } from "../../../operations/report/report.ts";
import type { Html } from "./html.ts";

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

/** `2026-01-31 12:00` of a moment. */
export function minute(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}
