import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { listFolder } from "../../kernel/files.ts";
import { type Finding, isProblem } from "../../kernel/problem.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { AgentId } from "../../policy/event.ts";
import { isObject, openJsonFile } from "../json-file.ts";
import { committedCommand, isHookCommand } from "../launcher.ts";
import type { AgentContext } from "../target.ts";
import { type HookFormat, type HookGroup, readHookGroups } from "./groups.ts";
import type { HookEntry } from "./plan-entries.ts";

interface OtherHooksRequest {
  place: AgentContext;
  runtime: AgentId;
  /** The agent's name for people. */
  title: string;
  format: HookFormat;
  /** The agent's name for the event before a call. */
  event: string;
  /** The files in which the repository may bring hooks. */
  files: readonly string[];
}

/**
 * Finds hooks of the repository that the agent asks before a call. It asks all of them about the call as the model made
 * it, so nobody judges what one of them rewrites: measured with Claude Code 2.1.329, Codex 0.169.0, Gemini CLI 0.61.0
 * and Copilot CLI 1.0.102. Hooks of the user's own are the user's affair.
 */
export function findOtherHooks({ files, ...request }: OtherHooksRequest): Finding[] {
  // In the home folder these are the user's own settings.
  return request.place.root === request.place.host.home ? [] : files.flatMap((file) => findIn(file, request));
}

function findIn(file: string, { runtime, title, place, format, event }: Omit<OtherHooksRequest, "files">): Finding[] {
  // An entry that a repository brings is drwn's only if it is identical to drwn's.
  const shared = committedCommand(runtime);
  const isOurs = (command: string) => command === shared || isHookCommand(command, place.host.drwnHome);
  const others = groupsIn(file, format, isOurs)
    .filter((group) => group.event === event)
    .flatMap(({ handlers, ours }) => handlers.filter((handler, at) => !ours.includes(at) && canRewrite(handler)));
  if (others.length === 0) return [];
  return [
    {
      code: "other-project-hook",
      severity: "warning",
      subject: file,
      message: `${clean(title)} asks ${plural(others.length, "other hook")} of the project before a call: what such a hook rewrites is not judged again`,
      hint: `read ${file}: take out each ${event} hook that changes a call`,
    },
  ];
}

/** None if the file can't be read, which other checks say. */
function groupsIn(file: string, format: HookFormat, isOurs: (command: string) => boolean) {
  try {
    return readHookGroups(openJsonFile({ root: path.parse(file).root, file, extras: format.extras }), format, isOurs);
  } catch (error) {
    if (isProblem(error)) return [];
    throw error;
  }
}

/** Whether the handler can rewrite a call. A model can only answer yes or no. */
function canRewrite(handler: unknown): boolean {
  return isObject(handler) && handler["type"] !== "prompt" && handler["type"] !== "agent";
}

/** The paths of a folder's entries; none if the folder is missing or the agent cannot read it either. */
export function pathsIn(folder: string): string[] {
  try {
    return listFolder(folder).map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

/**
 * The file that holds the first of these entries, if each of them is in one of the files, for these tools or more;
 * otherwise null. A file that cannot be read holds none.
 */
export function findHeld(files: readonly string[], entries: readonly HookEntry[], format: HookFormat): string | null {
  const found = files.flatMap((file) => readGroups(file, format).map((group) => ({ file, group })));
  const holders = entries.map((entry) => found.find(({ group }) => holds(group, entry))?.file);
  const [first] = holders;
  return first === undefined || holders.includes(undefined) ? null : first;
}

function readGroups(file: string, format: HookFormat): HookGroup[] {
  try {
    return readHookGroups(openJsonFile({ root: path.dirname(file), file, extras: format.extras }), format, () => false);
  } catch (error) {
    if (isProblem(error)) return [];
    throw error;
  }
}

function holds({ event, value: { matcher }, handlers }: HookGroup, entry: HookEntry): boolean {
  const { matcher: wanted, hooks } = entry.value;
  if (event !== entry.event || (matcher !== undefined && matcher !== wanted)) return false;
  const list = Array.isArray(hooks) ? hooks : [];
  return list.every((one) => handlers.some((handler) => isDeepStrictEqual(handler, one)));
}
