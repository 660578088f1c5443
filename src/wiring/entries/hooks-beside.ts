import path from "node:path";
import { listFolder } from "../../kernel/atomic.ts";
import type { Finding } from "../../kernel/finding.ts";
import { isProblem } from "../../kernel/problem.ts";
import { clean, plural } from "../../kernel/text.ts";
import type { Runtime } from "../../policy/event.ts";
import { isObject, openJsonFile } from "../json-file.ts";
import { isHookCommand, sharedCommand } from "../launcher.ts";
import type { AgentPlace } from "../target.ts";
import { type HookFormat, readHookGroups } from "./groups.ts";

interface BesideRequest {
  place: AgentPlace;
  runtime: Runtime;
  /** The agent's name for people. */
  title: string;
  format: HookFormat;
  /** The agent's name for the moment before a call. */
  event: string;
  /** The files in which it finds hooks. */
  files: readonly string[];
  /** More such files, for which nothing else reports that they cannot be read. */
  ofPlugins?: readonly string[];
}

/**
 * Finds other hooks that the agent asks before a call. It asks all of them about the call as the model made it, so
 * nobody judges what one of them rewrites: measured with Claude Code 2.1.329, Codex 0.169.0, Gemini CLI 0.61.0 and
 * Copilot CLI 1.0.102. A user's hooks are named; a repository's leave open what is guarded.
 */
export function findHooksBeside({ files, ofPlugins = [], ...request }: BesideRequest): Finding[] {
  return [...new Set([...files, ...ofPlugins])].flatMap((file) => findIn(file, ofPlugins.includes(file), request));
}

type Beside = Omit<BesideRequest, "files" | "ofPlugins">;

function findIn(file: string, isOfPlugin: boolean, { runtime, title, place, format, event }: Beside): Finding[] {
  // An entry that a repository brings is drwn's only if it is identical to drwn's.
  const shared = sharedCommand(runtime);
  const isOurs = (command: string) => command === shared || isHookCommand(command, place.host.drwnHome);
  const hint = `take out each ${event} hook that changes a call`;
  const groups = groupsIn(file, format, isOurs);
  if (groups === null) {
    const asks = `drwn can't read this file, and ${clean(title)} may ask other hooks`;
    return isOfPlugin ? [besideFinding(place, file, { asks, hint })] : [];
  }
  const others = groups
    .filter((group) => group.event === event)
    .flatMap(({ handlers, ours }) => handlers.filter((handler, at) => !ours.includes(at) && canRewrite(handler)));
  if (others.length === 0) return [];
  const asks = `${clean(title)} asks ${plural(others.length, "other hook")}`;
  return [besideFinding(place, file, { asks, hint })];
}

/** The finding for a file with such hooks: a user's are a warning, a project's leave open what is guarded. */
export function besideFinding({ host, root }: AgentPlace, file: string, said: { asks: string; hint: string }): Finding {
  const isOfProject = root !== host.home && file.startsWith(`${root}${path.sep}`);
  const message = `${said.asks} ${isOfProject ? "of the project" : "of yours"} before a call: what such a hook rewrites is not judged again`;
  const code = isOfProject ? "project-hook-beside" : "hook-beside";
  return { code, severity: "warning", subject: file, message, hint: `read ${file}: ${said.hint}` };
}

/** null: it cannot be read. */
function groupsIn(file: string, format: HookFormat, isOurs: (command: string) => boolean) {
  try {
    return readHookGroups(openJsonFile({ root: path.parse(file).root, file }), format, isOurs);
  } catch (error) {
    if (isProblem(error)) return null;
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
