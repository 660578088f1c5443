import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { isMapping } from "../../helpers/is-type.ts";
import { type Environment, readEnvironment, workingFolder } from "../../kernel/host.ts";

/** Reads `drwn hook run --dialect … --event E [--root DIR]`, as a system's program gets it. */
export function readEventArguments<E extends string>(events: readonly E[], root = "."): { event: E; root: string } {
  const { values } = parseArgs({ options: { event: { type: "string" }, root: { type: "string" } } });
  const event = events.find((one) => one === values.event);
  if (event === undefined) throw new Error(`--event takes one of ${events.join(", ")}`);
  return { event, root: values.root ?? root };
}

/** The event on standard input; empty input is an event without fields. */
export function parseEvent(text: string): Readonly<Record<string, unknown>> {
  const event: unknown = text.trim() === "" ? {} : JSON.parse(text);
  if (!isMapping(event)) throw new Error("the event on standard input isn't a JSON object");
  return event;
}

export function readEventText(): string {
  return fs.readFileSync(0, "utf8");
}

/** Why nobody judged the event, for the system that asked. */
export function whyNotAsked(error: unknown): string {
  return `hooks cannot be asked: ${error instanceof Error ? error.message : String(error)}`;
}

/** Where to look for the hooks of one event. */
export interface DispatchPaths {
  /** The project's folder. Absent: the folder in which this process works. */
  root?: string;
  /**
   * The home folder of the user, whose hooks run in every project. Absent: the home of the environment. Null: no user
   * hooks run.
   */
  home?: string | null;
  /** Absent: the environment of this process. */
  env?: Environment;
}

export function resolvePaths({ root = workingFolder(), home, env = readEnvironment() }: DispatchPaths): {
  root: string;
  home: string | null;
  env: Environment;
} {
  return { root: path.resolve(root), home: home === undefined ? env["HOME"] || os.homedir() : home, env };
}
