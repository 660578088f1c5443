import { type CommandFacts, type FlagFacts, headlineOf, typed } from "../names/names.ts";
import type { Style } from "../terminal/style.ts";

interface Group {
  heading: string;
  /** Named by what is typed after `drwn`; `…` stands for the commands below. */
  entries: readonly HelpEntry[];
}

/** What a person does with drwn, in the order in which they meet it. Each entry takes one line of 80 columns. */
const GROUPS: readonly Group[] = [
  {
    heading: "Use cards in a project",
    entries: [
      { name: "init", text: "Set up the current folder: agents, guards, your consent." },
      { name: "search", text: "Find cards by words." },
      { name: "add", text: "Add cards to the project." },
      { name: "trust", text: "Review everything that waits for your consent, consent, and write." },
      { name: "write", text: "Write the project's cards to the agents." },
      { name: "install", text: "Fetch and verify the cards that the project has locked." },
      { name: "list", text: "List the cards of the project." },
      { name: "update", text: "Lock newer versions of cards." },
      { name: "remove", text: "Take a card out of the project." },
    ],
  },
  {
    heading: "Author cards",
    entries: [
      { name: "card …", text: "Make, edit, test and publish cards." },
      { name: "key …", text: "Sign your cards, and know who signs those of others." },
    ],
  },
  {
    heading: "Diagnose",
    entries: [
      { name: "status", text: "Say where the project stands, and what to do next." },
      { name: "doctor", text: "Say what is not applied, and why." },
      { name: "why", text: "Say why a card is here, or why a call was denied." },
      { name: "log", text: "Show the calls that the hook judged." },
      { name: "replay", text: "Ask a card about the calls of your own past sessions." },
      { name: "report", text: "Make a page of what your guards did." },
      { name: "allow", text: "Let one denied call through, past one hook." },
      { name: "explain", text: "Say what a command does, and what the guards say." },
    ],
  },
  {
    heading: "Manage",
    entries: [
      { name: "trust …", text: "See your consents, take them back, and move them." },
      { name: "registry …", text: "Say where your cards come from." },
      { name: "pause", text: "Silence the hook policies of the project for some minutes." },
      { name: "uninstall", text: "Take drwn out of every agent and project on this machine." },
    ],
  },
];

/** The first page. */
export function rootPage(drawing: Drawing): string[] {
  const names = GROUPS.flatMap(({ entries }) => entries);
  return [
    "drwn: the package manager for agent hook policies",
    "",
    `${drawing.style.bold("Usage:")} drwn <command> [arguments] [flags]`,
    ...GROUPS.flatMap(({ heading, entries }) => section(heading, entries, { ...drawing, names })),
    "",
    "`drwn help <command>` says more. Every command takes --json and --help.",
    "`drwn completion <shell>` lets your shell complete commands and names.",
  ];
}

/** What the commands below a word have in common. */
const TOPICS: Readonly<Record<string, string>> = {
  card: "Make, publish, look at and trust cards.",
  "card:source": "Edit card sources.",
  hook: "Look at the hook without an agent.",
  key: "Sign cards, and know who signs others'.",
  registry: "Say where your cards come from.",
  trust: "See your consents in this project, and answer what it asks for.",
};

/** The page of a word that precedes commands and isn't one itself. */
export function topicPage(topic: string, commands: readonly CommandFacts[], drawing: Drawing): string[] {
  return [
    TOPICS[topic] ?? `The commands below \`drwn ${typed(topic)}\`.`,
    "",
    `${drawing.style.bold("Usage:")} drwn ${typed(topic)} <command> [arguments] [flags]`,
    ...commandsBelow(topic, commands, drawing),
    "",
    `\`drwn help ${typed(topic)} <command>\` says more.`,
  ];
}

/** The commands directly below the topic, and then each word below it with its commands. */
function commandsBelow(topic: string, commands: readonly CommandFacts[], drawing: Drawing): string[] {
  const shown = visibleBelow(topic, commands);
  const topics = [...new Set(shown.map(({ id }) => id.slice(0, id.lastIndexOf(":"))))].sort();
  const names = shown.map(toEntry);
  return topics.flatMap((one) => {
    const own = shown.filter(({ id }) => id.startsWith(`${one}:`) && !id.slice(one.length + 1).includes(":"));
    const heading = one === topic ? "Commands" : (TOPICS[one] ?? typed(one)).replace(/\.$/u, "");
    return section(heading, own.map(toEntry), { ...drawing, names });
  });
}

function visibleBelow(topic: string, commands: readonly CommandFacts[]): CommandFacts[] {
  const below = commands.filter(({ id }) => id.startsWith(`${topic}:`));
  const visible = below.filter(({ hidden }) => hidden !== true);
  // Somebody who asks for a topic whose commands are all hidden knows it. If the topic is itself a command, they ask
  // about that.
  const isKnown = visible.length === 0 && !commands.some(({ id }) => id === topic);
  return isKnown ? below : visible;
}

function toEntry(command: CommandFacts): { name: string; text: string } {
  return { name: typed(command.id), text: headlineOf(command) };
}

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
    ...[...groups].flatMap(([group, some]) => section(group, some.map(flagEntry), drawing)),
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

function flagEntry(flag: FlagFacts): HelpEntry {
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

/** How a page of the help is drawn. */
export interface Drawing {
  columns: number;
  style: Style;
}

interface HelpEntry {
  name: string;
  text: string;
}

const INDENT = "  ";
/** A longer name gets its own line. */
const LONGEST_NAME = 28;

/** Wraps text with lines of any length to this one; its paragraphs stay. */
function wrap(text: string, columns: number): string[] {
  const paragraphs = text.split(/\n{2,}/u).map((lines) => fill(lines.replaceAll("\n", " "), columns));
  return paragraphs.flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

function fill(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A heading above entries whose texts begin in one column; nothing if there are no entries. */
function section(
  heading: string,
  entries: readonly HelpEntry[],
  { columns, style, names = entries }: Drawing & { names?: readonly HelpEntry[] },
): string[] {
  if (entries.length === 0) return [];
  const lengths = names.map(({ name }) => name.length).filter((length) => length <= LONGEST_NAME);
  const width = Math.max(0, ...lengths) + 2;
  const column = INDENT + " ".repeat(width);
  const rows = entries.flatMap(({ name, text }) => {
    const [first = "", ...others] = wrap(text, columns - column.length);
    const isLong = name.length > LONGEST_NAME;
    const head = isLong ? [`${INDENT}${name}`, `${column}${first}`] : [`${INDENT}${name.padEnd(width)}${first}`];
    return [...head, ...others.map((line) => `${column}${line}`)].map((line) => line.trimEnd());
  });
  return ["", style.bold(heading), ...rows];
}
