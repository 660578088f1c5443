import type { ToolPolicyEvent } from "../../policy/event.ts";
import { oneOf, oneOfAnyCase } from "../pattern/one-of.ts";
import { isKnownProgram } from "../programs/rows.ts";
import { UnbalancedCommand } from "../shell/parse/scan.ts";
import { quoted } from "../shell/texts-in.ts";
import { readShell } from "../shell/unwrap.ts";
import { type InputFields, isCodeLike, isCommandLike, mayRun, PLACE_FIELD } from "./shape.ts";

/** The fields in which tools take a text for a shell: `cmd`, `cli_command`, `commandLine`. */
const TEXT_FIELD = () => /^(?:\w+_)?(?:commands?|cmds?|script|(?:command|cmd)_?line|shell_?code)$/;
/** Tools whose texts aren't for a shell: Codex sends a patch as `command`; what a skill or a workflow does makes calls of its own. */
const NO_SHELL = oneOf(
  "Read Write Edit MultiEdit Grep Glob WebFetch apply_patch patch Task Agent TodoWrite Skill SlashCommand Workflow",
);
/** Fields that name a program if its arguments are beside it. */
const PROGRAM_FIELD = oneOf("command cmd program executable binary bin exe exec file shell interpreter path");
/** Fields that name the folder in which a command starts, if one is beside them. */
const FOLDER_FIELD = oneOf(
  "cwd workdir work_dir workdirectory work_directory workingdir working_dir workingdirectory working_directory dir dir_path directory startdir start_dir startdirectory start_directory chdir",
);
const ARGUMENTS_FIELD = oneOf("args argv arguments arg params parameters command_args");
/** Fields with code, unless a path beside them says that it is the content of a file. */
const CODE_FIELD = oneOf("code sourcecode source_code snippet expression cell program_text");
/** A notebook's cell has its code in `source`, which may be a list of lines. */
const CELL_FIELD = oneOf("source new_source");
const NOTEBOOK_TOOL = () => /jupyter|ipython|notebook|cell|executecode/iu;
/** Fields with what is typed into a program that runs. */
const TYPED_FIELD = oneOf("key keys keystrokes input stdin text chars characters data line lines content");
/** Names of tools that type. */
const TYPING_TOOL = () =>
  /tmux|term(?:inal)?(?:[_-]|$)|tty|shell|console|stdin|send[_-]?(?:keys?|text|input)|type[_-]?(?:text|keys)|interact|repl(?:[_-]|$)|session[_-](?:send|write)|(?:write|send|input)[_-]?to[_-]?(?:process|session)|(?:process|session)[_-](?:write|input|send)/iu;
const LANGUAGE_FIELD = oneOfAnyCase("language lang runtime kernel kernelname kernel_name interpreter engine");
/** How each language's interpreter gets code in an argument. */
const INTERPRETERS = (): readonly (readonly [RegExp, string])[] => [
  [/^(?:ba|z|da|k)?sh$|shell|terminal/iu, ""],
  [/py|jupyter|notebook|executecode/iu, "python3 -c "],
  [/node|javascript|typescript|^[jt]s$|deno|bun|browser|evaluate/iu, "node -e "],
  [/ruby/iu, "ruby -e "],
  [/perl/iu, "perl -e "],
  [/php/iu, "php -r "],
];
/** How a command starts what an agent says reads its text. An unknown one may be another kind of shell. */
const STARTS: Readonly<Record<string, string>> = {
  javascript: "node -e",
  powershell: "pwsh -c",
  python: "python3 -c",
  tmux: "tmux send-keys",
};
/** Deeper, nobody puts a command. */
const DEEPEST = 6;
const MOST_TEXTS = 100;

/**
 * What an editor of files does with a path. It takes this verb in the field in which other tools take a shell's text.
 */
const EDITOR_VERB = oneOf("view create str_replace insert undo_edit");

export function editorVerb(input: object): string | undefined {
  const verb: unknown = Reflect.get(input, "command");
  return typeof verb === "string" && EDITOR_VERB(verb) && "path" in input ? verb : undefined;
}

/**
 * The texts that a call makes a shell run. The input of a tool that nobody knows is read by its shape: a command, a program with its arguments,
 * code, or what is typed into a shell, at any depth.
 */
export function shellTextsOf(event: ToolPolicyEvent, isShapeRead = true): string[] {
  return [...textsOf(event, isShapeRead)];
}

/** The same list each time for the same call, because all policies of a call ask for the same texts. */
export function textsOf({ toolName, shell, input }: ToolPolicyEvent, isShapeRead = true): readonly string[] {
  if (typeof input !== "object" || input === null) return NONE;
  const of = [toolName, shell, isShapeRead, ...Object.entries(input).flat()];
  if (last?.of.length !== of.length || of.some((one, at) => one !== last?.of[at]))
    last = { of, texts: readTexts(toolName, shell, input, isShapeRead) };
  return last.texts;
}

const NONE: readonly string[] = [];
let last: { of: readonly unknown[]; texts: readonly string[] } | undefined;

function readTexts(toolName: string, told: string | undefined, input: object, isShapeRead: boolean): string[] {
  if (NO_SHELL(toolName)) return [];
  const shell =
    told ??
    (toolName !== "Bash" && /(?:^|[_-])(?:powershell|pwsh)(?:$|[_-])/iu.test(toolName) ? "powershell" : undefined);
  const tool = shell === undefined ? toolName : "Bash";
  const texts = textsIn(input, { tool, isShapeRead, depth: 0, field: "", around: [] });
  const started = shell === undefined ? texts : texts.map((text) => `${STARTS[shell] ?? "fish -c"} ${quoted(text)}`);
  const placed =
    toolName === "Bash"
      ? inFolder(
          Object.entries(input).map(([field, one]) => [worded(field), one]),
          started,
        )
      : started;
  return [...new Set(placed.flatMap(withoutNul))].slice(0, MOST_TEXTS);
}

/** A terminal drops a NUL, and a program's argument ends there. */
function withoutNul(text: string): string[] {
  return text.includes("\0") ? [text.replaceAll("\0", ""), text.slice(0, text.indexOf("\0"))] : [text];
}

/** `dirPath` as `dir_path`. */
function worded(field: string): string {
  const lower = field.toLowerCase();
  return lower === field ? field : field.replace(/(?<=[a-z])(?=[A-Z])/gu, "_").toLowerCase();
}

/** The texts, as a shell reads them that starts in the folder which the call names. */
function inFolder(fields: InputFields, texts: readonly string[]): string[] {
  const named = fields.find(([field, value]) => FOLDER_FIELD(field) && typeof value === "string" && value !== "");
  const folder = named?.[1];
  return typeof folder === "string" ? texts.map((text) => `cd ${placed(folder)}\n${text}`) : [...texts];
}

/** A tilde is the home for most programs that take a folder, but not in quotes. */
function placed(folder: string): string {
  return folder.startsWith("~/") ? `~/${quoted(folder.slice(2))}` : folder === "~" ? folder : quoted(folder);
}

interface Within {
  tool: string;
  /** Whether fields of which only the shape is known are read. */
  isShapeRead: boolean;
  depth: number;
  /** The field that it is in; of an object in a list, that of the list. */
  field: string;
  /** The fields of the objects around it. */
  around: InputFields;
}

function textsIn(value: object, within: Within): string[] {
  const { tool, isShapeRead, depth, around } = within;
  if (depth > DEEPEST || editorVerb(value) !== undefined) return [];
  const fields: [string, unknown][] = Array.isArray(value)
    ? value.map((one) => ["", one])
    : Object.entries(value).map(([field, one]) => [worded(field), one]);
  const near = [...around, ...fields];
  const shape = (field: string, texts: readonly string[]) =>
    isShapeRead && !ARGUMENTS_FIELD(field) && !isLanguage(field, texts) && mayRun(tool, field || within.field, near)
      ? shapedTexts(texts, fields, tool)
      : [];
  const words = fields.flatMap(([field, one]) => (ARGUMENTS_FIELD(field) ? argumentsIn(one) : []));
  const own = fields.flatMap(([field, one]) => {
    if (field === "script" && typeof one === "string" && tool !== "Bash" && (isForInterpreter(tool) || isCodeLike(one)))
      return [...codeTexts(one, fields, tool), ...readable(one)];
    if (TEXT_FIELD().test(field)) return textOf(field, one, { tool, words });
    if (tool === "Bash") return [];
    if (words.length > 0 && PROGRAM_FIELD(field) && typeof one === "string") return [[quoted(one), ...words].join(" ")];
    const isCell = CELL_FIELD(field) && NOTEBOOK_TOOL().test(tool);
    if (isCell && isWords(one)) return codeTexts(one.join("\n"), fields, tool);
    if (typeof one !== "string" || one.trim() === "") return [];
    if (isCell || CODE_FIELD(field))
      return fields.some(([name]) => PLACE_FIELD().test(name)) ? [] : codeTexts(one, fields, tool);
    return TYPED_FIELD(field) && TYPING_TOOL().test(tool) ? readable(one) : shape(field, [one]);
  });
  if (tool === "Bash") return own;
  const isNamed = own.length > 0;
  const bare = isNamed || words.length === 0 ? [] : [words.join(" "), ...forProgram(tool, words.join(" "))];
  const typed = fields.flatMap(([field, one]) =>
    TYPED_FIELD(field) && TYPING_TOOL().test(tool) && isWords(one) ? readable(one.join("\n")) : [],
  );
  const shaped = fields.flatMap(([field, one]) => (isWords(one) ? shape(field, one) : []));
  const inner = fields.flatMap(([field, one]) => {
    const object = typeof one === "string" ? parsed(one) : one;
    return typeof object === "object" && object !== null
      ? textsIn(object, { ...within, depth: depth + 1, field: field || within.field, around: near })
      : [];
  });
  return inFolder(fields, [...own, ...bare, ...typed, ...shaped, ...inner]);
}

const isLanguage = (field: string, [text = ""]: readonly string[]) => LANGUAGE_FIELD(field) && /^\w+$/u.test(text);

function textOf(field: string, value: unknown, { tool, words }: { tool: string; words: readonly string[] }): string[] {
  if (typeof value === "string") {
    if (words.length > 0) return [[value, ...words].join(" ")];
    return [...(isProse(tool, value) ? [] : [value]), ...forProgram(tool, value)];
  }
  if (!isWords(value)) return [];
  return [field === "commands" || field === "cmds" ? value.join("\n") : [...value.map(quoted), ...words].join(" ")];
}

/**
 * Whether an unknown tool's `command` isn't for a shell: `look at the knight's sword`. No shell runs a line whose quote
 * stays open. A text of several lines doesn't count, since bash runs those before the quote, nor do signs that fish,
 * PowerShell or cmd read in their own way.
 */
function isProse(tool: string, text: string): boolean {
  const [first = ""] = /\S+/u.exec(text) ?? [];
  if (!tool.startsWith("mcp__") || /[\n\r\\`%]/u.test(text) || BEGINS_COMMAND().test(text) || isKnownProgram(first))
    return false;
  try {
    readShell(text);
    return false;
  } catch (error) {
    return error instanceof UnbalancedCommand;
  }
}

/** A path, an expansion, an assignment, or a word of a shell's own. */
const BEGINS_COMMAND = () =>
  /^\s*(?:[({!$`]|~?(?:\.{0,2}\/)+[^\s/]+\/|\.\/|[A-Za-z_]\w*\+?=|(?:for|while|until|if|case|function|select|repeat|begin|switch|not|time|cd|eval|exec|export|set|source|trap|alias|unset)\b)/u;

/** A program's arguments, as a shell reads them: a list of words, or a text. */
function argumentsIn(value: unknown): string[] {
  if (isWords(value)) return value.map(quoted);
  return typeof value === "string" && value.trim() !== "" && parsed(value) === undefined ? readable(value) : [];
}

/** Whether a tool's name says that a language other than the shell's reads its texts: `puppeteer_evaluate`. */
function isForInterpreter(tool: string): boolean {
  return INTERPRETERS().some(([language, start]) => start !== "" && language.test(tool));
}

/** Code as an argument of its interpreter. If nobody knows the language, it may be for a shell, too. */
function codeTexts(code: string, fields: InputFields, tool: string): string[] {
  const named = fields.find(([field, value]) => LANGUAGE_FIELD(field) && typeof value === "string")?.[1];
  const said = typeof named === "string" ? named : tool;
  const start = INTERPRETERS().find(([language]) => language.test(said))?.[1];
  if (start === undefined) return [`python3 -c ${quoted(code)}`, `node -e ${quoted(code)}`, ...readable(code)];
  return start === "" ? [code] : [`${start}${quoted(code)}`];
}

/** A text, or a list of lines or of words, as a command or as code; a sentence isn't either. */
function shapedTexts(lines: readonly string[], fields: InputFields, tool: string): string[] {
  const text = lines.join("\n");
  return [
    ...(lines.every(isCommandLike) ? readable(text) : []),
    ...(lines.length > 1 && lines.every(isCommandLike) ? [lines.map(quoted).join(" ")] : []),
    ...(isCodeLike(text) ? codeTexts(text, fields, tool) : []),
  ];
}

/** What may not be for a shell, if a shell can read it. */
function readable(text: string): string[] {
  try {
    readShell(text);
    return [text];
  } catch {
    return [];
  }
}

function parsed(text: string): unknown {
  if (!/^\s*[{[]/u.test(text) || text.length > 100_000) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
}

/** A tool of a server for one program may get a command without the program's name: `{ command: "destroy" }`. */
function forProgram(toolName: string, text: string): string[] {
  if (toolName === "Bash") return [];
  const [name] =
    /(?<![a-z])(?:terraform|tofu|pulumi|kubectl|helm|docker|git|gh|aws|gcloud|az)(?![a-z])/.exec(toolName) ?? [];
  return name === undefined || text.trimStart().startsWith(`${name} `) ? [] : [`${name} ${text}`];
}
