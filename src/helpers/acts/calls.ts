import type { ToolPolicyEvent } from "../../policy/event.ts";
import { finds } from "../pattern/finds.ts";
import { oneOf } from "../pattern/one-of.ts";
import { UnreadableCommand } from "../shell/parse/scan.ts";
import { type Effect, effectsOf } from "./effects.ts";
import { patchesIn } from "./patches.ts";
import { knownHome, liesBelow, resolvePlace, setHome, wordsMeant } from "./places.ts";
import { type Step, stepsOf } from "./steps.ts";
import { editorVerb, textsOf } from "./texts.ts";

const PLACE_FIELD = () =>
  /^(?:(?:\w*_)?(?:path|paths|file|files|filename|filepath|file_?name|dir|directory|folder|uri|uris|target|source|destination|attachments?|from|to)|\w*(?:Path|Paths|File|Dir|Uri)|path(?:In|To|Of)\w+)$/u;
/** In which tools that read take patterns for files: Gemini CLI's `read_many_files`. */
const PATTERN_FIELD = oneOf("glob globs include pattern patterns");
const CONTENT_FIELD = oneOf(
  "content contents file_text new_string newString new_str text data body insert_text new_source newText",
);
const READING_TOOL = () => /(?:^|[_-])(?:read|get|view|cat|open|show|load|fetch|search|grep|head|tail|download)/iu;
const REMOVING_TOOL = () => /(?:^|[_-])(?:delete|remove|rm|unlink|trash|erase|move|rename)/iu;
const LISTING_TOOL = () => /^(?:LS|Glob|glob|list)$|(?:^|[_-])(?:list|tree|stat|info|exists|glob|find)(?:[_-]|$)/iu;

/** The folder in which a call starts, as `resolvePlace` writes it; `.` if the agent names none. */
export function projectOf(event: ToolPolicyEvent): string {
  setHome(event.home);
  return event.cwd === undefined ? "." : resolvePlace(event.cwd, "/");
}

/**
 * Whether a call's texts may mention what the pattern finds. It is a quick check before a guard reads a call: if it is
 * false, the call doesn't concern the guard. For any tool but a shell, its name and all of its input are searched.
 * Quotes and backslashes are ignored; a text with an expansion, or one that is decoded, may mention anything.
 */
export function mentions(event: ToolPolicyEvent, pattern: RegExp): boolean {
  setHome(event.home);
  const texts = textsOf(event);
  if (looked?.texts !== texts) looked = { texts, isOpen: texts.some(isOpen), plain: texts.map(withoutQuotes) };
  return (
    looked.isOpen ||
    looked.plain.some((text) => finds(pattern, text)) ||
    (event.toolName !== "Bash" && finds(pattern, `${event.toolName} ${JSON.stringify(event.input ?? "")}`))
  );
}

/** Kept, because all policies of a call ask about the same texts. */
let looked: { texts: readonly string[]; isOpen: boolean; plain: readonly string[] } | undefined;

/** Whether a text may become another one. */
function isOpen(text: string): boolean {
  return (
    ["$", "`", "?", "*", "["].some((letter) => text.includes(letter)) ||
    (text.includes("{") && /\{[^{}]*,/u.test(text)) ||
    finds(/pwsh|powershell|\bcmd\b|\bbase64\b|\bxxd\b|\brev\b/i, text)
  );
}

function withoutQuotes(text: string): string {
  return text.replace(/["'\\\r]/g, "");
}

/**
 * Every command of a call to a shell, from any agent or MCP server, with its context. Throws for text that a shell
 * would refuse.
 */
export function steps(event: ToolPolicyEvent): Step[] {
  return [...stepsRead(event)];
}

/** The same list each time for the same call. */
export function stepsRead(event: ToolPolicyEvent): readonly Step[] {
  return readCall(event).steps;
}

interface Reading {
  home: string | undefined;
  texts: readonly string[];
  project: string;
  steps: readonly Step[];
  /** Why a shell would refuse a text. */
  fault: string | undefined;
  effects: readonly Effect[] | undefined;
}

/** Kept, because all policies of a call read the same text. */
let last: Reading | undefined;

/** The result is frozen, so that no policy can change what another one reads. */
function readCall(event: ToolPolicyEvent, texts = textsOf(event)): Reading {
  const project = projectOf(event);
  const home = knownHome();
  const isSame = last?.project === project && last.home === home && last.texts.length === texts.length;
  if (last === undefined || !isSame || texts.some((text, at) => text !== last?.texts[at])) {
    last = { home, texts, project, ...stepsIn(texts, project), effects: undefined };
    for (const step of last.steps) freezeStep(step);
  }
  if (last.fault !== undefined) throw new UnreadableCommand(last.fault);
  return last;
}

function stepsIn(texts: readonly string[], project: string): Pick<Reading, "steps" | "fault"> {
  try {
    return { steps: texts.flatMap((text) => stepsOf(text, project)), fault: undefined };
  } catch (error) {
    if (!(error instanceof UnreadableCommand)) throw error;
    return { steps: [], fault: error.message };
  }
}

function freezeStep(step: Step): void {
  if (Object.isFrozen(step)) return;
  for (const list of [step.arguments, step.feeders, step.redirections, step.startedBy, step.made]) Object.freeze(list);
  step.redirections.forEach(Object.freeze);
  // A map cannot be frozen, so each caller gets a copy.
  const variables = [...step.environment];
  Object.defineProperty(step, "environment", { get: () => new Map(variables) });
  Object.freeze(step);
  // The steps of code in a command have feeders and a starter that aren't in the list of steps.
  step.feeders.forEach(freezeStep);
  if (step.starter !== undefined) freezeStep(step.starter);
}

/**
 * What a call reads, removes and writes: by a shell, by Read, Write, Edit or apply_patch, or by a tool of an MCP
 * server.
 */
export function effects(event: ToolPolicyEvent): Effect[] {
  const texts = textsOf(event);
  if (texts.length === 0) return effectsOfTool(event);
  const reading = readCall(event, texts);
  reading.effects ??= throughMoves(throughLinks(reading.steps.flatMap(effectsOf))).map((effect) =>
    Object.freeze(effect),
  );
  // A text that may not be a command doesn't hide what the tool does with the places in its input.
  const isCertain = event.toolName === "Bash" || textsOf(event, false).length > 0;
  return isCertain ? [...reading.effects] : [...reading.effects, ...effectsOfTool(event)];
}

/** After `mv a b`, `rm -r b` removes what `a` was. */
function throughMoves(found: readonly Effect[]): readonly Effect[] {
  const isMove = ({ step }: Effect) => step !== undefined && oneOf("mv gmv")(step.program);
  const moved = found.filter(isMove);
  if (moved.length === 0) return found;
  return found.flatMap((effect, at) => {
    if (effect.does !== "removes" || !effect.isDeep || isMove(effect)) return [effect];
    const into = moved.filter(
      ({ does, place }) => does === "writes" && (place === effect.place || liesBelow(place, effect.place)),
    );
    const from = found
      .slice(0, at)
      .filter(({ does, step }) => does === "removes" && into.some((one) => one.step === step));
    return [effect, ...from.map(({ place, written }) => ({ ...effect, place, written }))];
  });
}

/** After `ln -s / x`, what happens below `x` happens below `/`. */
function throughLinks(found: readonly Effect[]): readonly Effect[] {
  if (!found.some(({ does, step }) => does === "writes" && step?.program === "ln")) return found;
  const links = new Map<string, string>();
  return found.map((effect) => {
    const { does, place, step } = effect;
    if (does === "writes" && step?.program === "ln") {
      const to = step.arguments.findLast((word, at) => at < step.arguments.length - 1 && !word.startsWith("-"));
      if (to !== undefined) links.set(place, resolvePlace(to, step.folder));
      return effect;
    }
    // BSD's rm follows a link with a slash behind it.
    const isFollowed = does !== "removes" || effect.written.endsWith("/");
    const link = [...links.keys()].find((one) => place.startsWith(`${one}/`) || (place === one && isFollowed));
    const target = link === undefined ? undefined : links.get(link);
    if (link === undefined || target === undefined) return effect;
    return { ...effect, place: resolvePlace(`${target}/${place.slice(link.length)}`, "/") };
  });
}

function effectsOfTool(event: ToolPolicyEvent): Effect[] {
  const { toolName, input } = event;
  const project = projectOf(event);
  const short = toolName.replace(/^mcp__.*?__(?=[^_])/u, "");
  if (LISTING_TOOL().test(short)) return [];
  const found = fieldsIn(input);
  const content = found
    .filter(({ field }) => CONTENT_FIELD(field))
    .map(({ text }) => text)
    .join("\n");
  const patches = found.flatMap(({ text }) => patchesIn(text));
  const isView = typeof input === "object" && input !== null && editorVerb(input) === "view";
  const does =
    isView || oneOf("Read Grep NotebookRead")(short)
      ? "reads"
      : REMOVING_TOOL().test(short) || REMOVING_TOOL().test(actionIn(input))
        ? "removes"
        : oneOf("Write Edit MultiEdit NotebookEdit")(short) || !READING_TOOL().test(short)
          ? "writes"
          : "reads";
  const toEffect = (kind: Effect["does"], written: string): Effect => ({
    does: kind,
    place: resolvePlace(written, project),
    written,
    isDeep: true,
    isNarrowed: false,
    ...(kind === "writes" ? { content } : {}),
    step: undefined,
  });
  const isPlace = ({ field, text }: Field) =>
    text.startsWith("file://") || PLACE_FIELD().test(field) || (does === "reads" && PATTERN_FIELD(field));
  const named = found.filter(
    ({ field, text }) => isPlace({ field, text }) && text.length < 4_096 && !text.includes("\n"),
  );
  return [
    ...patches.map(({ isDeleted, file, after }) => ({
      ...toEffect(isDeleted ? "removes" : "writes", file),
      ...{ isDeep: false, content: after },
    })),
    ...named.flatMap(({ text }) =>
      text.startsWith("file://")
        ? [toEffect("reads", text.slice(7))]
        : wordsMeant(text).map((one) => toEffect(does, one)),
    ),
  ];
}

/** What a tool for several things is told to do: `{ action: "delete" }`. */
function actionIn(input: unknown): string {
  const { action, operation } = Object(input) as Record<string, unknown>;
  return String(action ?? operation ?? "");
}

interface Field {
  field: string;
  text: string;
}

function fieldsIn(input: unknown, field = ""): Field[] {
  if (typeof input === "string") return [{ field, text: input }];
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([key, value]) => fieldsIn(value, Array.isArray(input) ? field : key));
}
