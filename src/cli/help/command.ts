import { type CommandFacts, type FlagFacts, headlineOf, typed } from "../names/manifest.ts";
import { type Drawing, type HelpEntry, section, wrap } from "./layout.ts";
import { commandsBelow } from "./topic.ts";

/** If a flag's values are longer than this together, the help lists them after the description instead of before it. */
const LONGEST_VALUES = 24;

/** Everything that drwn knows about one command. */
export function commandPage(command: CommandFacts, commands: readonly CommandFacts[], drawing: Drawing): string[] {
  const { id, description, args, flags } = command;
  const [, more] = /\n\n(.*)$/su.exec(description) ?? [];
  const { json, ...own } = flags;
  const groups = groupFlags([...Object.values(own), ...(json === undefined ? [] : [json])]);
  const argEntries = Object.values(args).map(({ name, description: text, options }) => ({
    name,
    text: options === undefined ? text : `${text} (${options.join(", ")})`,
  }));
  return [
    ...wrap(headlineOf(command), drawing.columns),
    "",
    `${drawing.style.bold("Usage:")} ${usageOf(command)}`,
    ...(more === undefined ? [] : ["", ...wrap(more, drawing.columns)]),
    ...section("Arguments", argEntries, drawing),
    ...[...groups].flatMap(([group, some]) => section(group, some.map(toEntry), drawing)),
    ...examplesOf(command, drawing),
    ...commandsBelow(id, commands, drawing),
  ];
}

function usageOf({ id, args, flags, strict }: CommandFacts): string {
  const words = Object.values(args).map(({ name, required }) => (required ? `<${name}>` : `[${name}]`));
  const needed = Object.values(flags).flatMap((flag) => (flag.required ? [nameOf(flag)] : []));
  return ["drwn", typed(id), ...words, ...(strict ? [] : ["…"]), ...needed, "[flags]"].join(" ");
}

function examplesOf({ id, examples }: CommandFacts, { style }: Drawing): string[] {
  const lines = examples.map((example) => {
    return `  ${example.replaceAll("<%= config.bin %>", "drwn").replaceAll("<%= command.id %>", typed(id))}`;
  });
  return lines.length === 0 ? [] : ["", style.bold("Examples"), ...lines];
}

function groupFlags(flags: readonly FlagFacts[]): Map<string, FlagFacts[]> {
  const groups = new Map<string, FlagFacts[]>();
  for (const flag of flags) groups.set(groupOf(flag), [...(groups.get(groupOf(flag)) ?? []), flag]);
  return groups;
}

/** `Terms` for `TERMS`. */
function groupOf({ helpGroup }: FlagFacts): string {
  if (helpGroup === undefined) return "Flags";
  if (helpGroup === "GLOBAL") return "Flags of every command";
  return `${helpGroup.slice(0, 1)}${helpGroup.slice(1).toLowerCase()}`;
}

function toEntry(flag: FlagFacts): HelpEntry {
  const { char, description, options, required } = flag;
  const isListed = options !== undefined && options.join("|").length > LONGEST_VALUES;
  const notes = [
    ...(required ? ["Required."] : []),
    description,
    ...(isListed ? [`One of: ${options.join(", ")}.`] : []),
    ...(typeof flag.default === "string" || typeof flag.default === "number" ? [`[default: ${flag.default}]`] : []),
  ];
  return { name: `${char === undefined ? "    " : `-${char}, `}${nameOf(flag)}`, text: notes.join(" ") };
}

function nameOf({ name, type, allowNo, helpValue, options }: FlagFacts): string {
  if (type === "boolean") return `--${allowNo ? "[no-]" : ""}${name}`;
  const values = options?.join("|") ?? "VALUE";
  return `--${name} ${helpValue ?? (values.length > LONGEST_VALUES ? "NAME" : values)}`;
}
