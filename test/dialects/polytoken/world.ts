import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import {
  type PolytokenContext,
  type PolytokenDispatched,
  PolytokenDispatcher,
  type PolytokenDispatcherOptions,
} from "../../../src/dialects/polytoken/run/dispatcher.ts";
import type { OutcomeOf, PolytokenEvent } from "../../../src/dialects/polytoken/words/events.ts";
import { temporaryFolder } from "../../support/cards.ts";

export interface Entry {
  name: string;
  event: string;
  matcher?: string;
  handler: { bash: string };
}

export interface PolytokenWorld {
  root: string;
  globalFile: string;
  projectFile: string;
  /** Loads the files as they are. */
  load(options?: Partial<PolytokenDispatcherOptions>): PolytokenDispatcher;
  /** What a handler wrote to this file of the project; undefined: it did not. */
  read(name: string): string | undefined;
}

/** A machine with these files of hooks: entries, or the text of a file. */
export function polytokenWorld({ global, project }: { global?: unknown; project?: unknown }): PolytokenWorld {
  const base = temporaryFolder();
  const root = path.join(base, "project");
  const globalFile = path.join(base, ".config", "polytoken", "hooks.json");
  const projectFile = path.join(root, ".polytoken", "hooks.json");
  fs.mkdirSync(root);
  writeHooks(globalFile, global);
  writeHooks(projectFile, project);
  const env = { PATH: process.env["PATH"], HOME: base, BASH_ENV: undefined };
  return {
    root,
    globalFile,
    projectFile,
    load: (options) => new PolytokenDispatcher({ root, env, ...options }),
    read: (name) => {
      const file = path.join(root, name);
      return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
    },
  };
}

export function writeHooks(file: string, hooks: unknown): void {
  if (hooks === undefined) return;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, typeof hooks === "string" ? hooks : JSON.stringify(hooks, null, 2));
}

export function hook(event: string, bash: string, more: Partial<Entry> = {}): Entry {
  return { name: "h", event, ...more, handler: { bash } };
}

/** An instance of each event, with what it must have. */
export function contextOf(_event?: PolytokenEvent): PolytokenContext<PolytokenEvent> {
  return { tool_name: "file_read", input: { path: "a.md" }, subagent_type: "explorer" };
}

/** What becomes of the event with this one script. */
export async function answerOf<E extends PolytokenEvent>(event: E, bash: string): Promise<PolytokenDispatched<E>> {
  const { load } = polytokenWorld({ project: [hook(event, bash)] });
  const context: PolytokenContext<PolytokenEvent> = contextOf(event);
  return await load().dispatch(event, context as PolytokenContext<E>);
}

/** The same, of a script that ends with 0 and prints this. */
export async function outcomeOf<E extends PolytokenEvent>(event: E, printed: unknown): Promise<OutcomeOf<E>> {
  const text = typeof printed === "string" ? printed : JSON.stringify(printed);
  return (await answerOf(event, `cat <<'END'\n${text}\nEND`)).outcome;
}

/** Why tests with jq are skipped; false: they are not. */
export const NO_JQ: false | string = spawnSync("jq", ["--version"]).status === 0 ? false : "jq is not installed";
