import type { JsonOriginal } from "../json-edit.ts";
import { findRootShape } from "../json-file.ts";
import type { HookFormat } from "./groups.ts";
import { type PlannedEntries, planEntries } from "./plan-entries.ts";

/** Every way in which an agent writes hooks into a JSON file, as far as needed to find drwn's entries. */
const FORMATS: readonly HookFormat[] = (["groups", "handlers", "entries"] as const).map((items) => ({
  events: new Set(),
  items,
  commands: ["command", "bash"],
  // Goes if drwn's record says that drwn put it in.
  requiredFields: { path: ["version"], value: 1 },
}));

interface TakeOutRequest {
  settingsFile: string;
  /** The folder out of which the settings file must not lead. */
  root: string;
  isOurs: (command: string) => boolean;
  record: JsonOriginal | undefined;
}

/** What has to change for any agent's settings file to hold no entry of drwn's. */
export function planTakeOut(request: TakeOutRequest): PlannedEntries {
  const isList = findRootShape({ file: request.settingsFile, root: request.root }) === "list";
  const formats = FORMATS.filter(({ items }) => (items === "entries") === isList);
  const planned = formats.map((format) => planEntries({ ...request, format, entries: [] }));
  return planned.find(({ change }) => change !== undefined) ?? { change: undefined, record: undefined };
}
