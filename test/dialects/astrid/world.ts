import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { discoverHooks } from "../../../src/dialects/astrid/read/discover.ts";
import { AstridDispatcher } from "../../../src/dialects/astrid/run/dispatcher.ts";
import type { AstridEvent } from "../../../src/dialects/astrid/words/hook.ts";
import { formatToml } from "../../../src/kernel/format/toml.ts";
import { temporaryFolder, writeTree } from "../../support/cards.ts";

const ENV = { HOME: "/home/somebody", PATH: "/elsewhere", SECRET_TOKEN: "s3cret", LANG: "C" };

type Fields = Readonly<Record<string, unknown>>;

/** A hook's file: a command of sh on a tool's call, unless something else is said. Null leaves a field out. */
export function hookToml(script: string, fields: Fields = {}): string {
  const all = { event: "pre_tool_call", handler: { type: "command", command: "sh", args: ["-c", script] }, ...fields };
  return formatToml(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)));
}

export function handlerToml(handler: Fields, fields: Fields = {}): string {
  return hookToml("", { ...fields, handler });
}

/** A workspace with these files below `.astrid/hooks`: `a/HOOK.toml`. */
export function workspace(files: Readonly<Record<string, string>>): string {
  const root = fs.realpathSync(temporaryFolder());
  return writeTree(
    root,
    Object.fromEntries(Object.entries(files).map(([name, text]) => [path.join(".astrid/hooks", name), text])),
  );
}

/** Everything of one firing in a workspace. */
export async function fire(root: string, event: AstridEvent = "pre_tool_call", context: FireContext = {}) {
  const { hooks, faults } = discoverHooks({ root, extraPaths: context.extraPaths ?? [] });
  const dispatcher = new AstridDispatcher({ hooks: hooks.map(({ hook }) => hook), faults, root, env: ENV });
  onTestFinished(() => dispatcher.close());
  const { data = { tool_name: "shell" }, sessionId = null } = context;
  return { ...(await dispatcher.dispatch(event, { data, sessionId })), faults };
}

interface FireContext {
  data?: Fields;
  sessionId?: string | null;
  extraPaths?: string[];
}

/** The verdict of hooks, one in a folder of its own each, named by their order. */
export async function verdictOf(hooks: readonly string[], context: FireContext & { event?: AstridEvent } = {}) {
  const files = hooks.map((toml, at) => [`${String.fromCharCode(97 + at)}/HOOK.toml`, toml]);
  return (await fire(workspace(Object.fromEntries(files)), context.event, context)).result;
}

export function readNotes(root: string, file = "notes"): string {
  const place = path.join(root, file);
  return fs.existsSync(place) ? fs.readFileSync(place, "utf8") : "";
}
