import type { PJSON } from "@oclif/core/interfaces";
import { readEnvironment } from "../kernel/host.ts";
import { clean, isNear } from "../kernel/text.ts";
import { commandPage, type Drawing, rootPage, topicPage } from "./help/help.ts";
import {
  asksForHelp,
  asksForJson,
  type CommandFacts,
  findCommand,
  isTopic,
  type Names,
  readCommandFacts,
  wordsOf,
} from "./names/names.ts";
import { correctFlags, suggestCommand, toLine } from "./names/suggest.ts";
import { Misspelled } from "./report-failure.ts";
import { makeConsole } from "./terminal/console.ts";

const NARROWEST = 50;
const WIDEST = 100;

/** Answers a line that names no command: help, a topic alone, the version, or a mistake. */
export function answerWithoutCommand(argv: readonly string[], { names, pjson }: { names: Names; pjson: PJSON }): void {
  if (argv[0] === "--version" || argv[0] === "-v") printVersion(pjson);
  else answerHelp(argv, names);
}

/** drwn's version, with the machine and the Node that it runs on, for bug reports. */
function printVersion({ name, version }: PJSON): void {
  makeConsole(readEnvironment()).out(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}`);
}

function answerHelp(argv: readonly string[], names: Names): void {
  const console = makeConsole(readEnvironment());
  const isHelp = argv[0] === "help";
  const line = isHelp ? argv.slice(1) : argv;
  const words = wordsOf(line);
  const known = { names, commands: readCommandFacts() };
  const page = pageOf(words, {
    ...known,
    drawing: { style: console.style, columns: Math.max(NARROWEST, Math.min(console.columns, WIDEST)) },
  });
  const isMeant = isHelp || asksForHelp(line) || asksForJson(line) || words.length === line.length;
  if (page === undefined || !isMeant) throw misspelled(isHelp ? [...line, "--help"] : line, known);
  if (asksForJson(line)) console.json({ help: page });
  else for (const text of page) console.out(text);
  // In a project, `drwn` alone is its status.
  if (argv.length === 0)
    for (const text of ["", "This folder isn't in a drwn project. To guard it: drwn init"]) console.out(text);
}

interface Known {
  commands: readonly CommandFacts[];
  names: Names;
}

function pageOf(
  words: readonly string[],
  { commands, names, drawing }: Known & { drawing: Drawing },
): string[] | undefined {
  if (words.length === 0) return rootPage(drawing);
  const topic = words.join(":");
  const id = findCommand(words, names)?.id;
  const command = commands.find((one) => one.id === id);
  if (command !== undefined) return commandPage(command, commands, drawing);
  return isTopic(topic, names) ? topicPage(topic, commands, drawing) : undefined;
}

function misspelled(line: readonly string[], { commands, names }: Known): Misspelled {
  const words = wordsOf(line);
  const visible = new Set(commands.filter(({ hidden }) => hidden !== true).map(({ id }) => id));
  const meant = suggestCommand(words, { names, visible });
  // `card source list @me/x`: what is known of it leads to the help.
  const topic = words.slice(
    0,
    words.findIndex((_, at) => !isTopic(words.slice(0, at + 1).join(":"), names)),
  );
  const said = words.length === 0 ? line : words.slice(0, meant?.takes ?? topic.length + 1);
  const message = `drwn has no command \`${clean(said.join(" "), 80)}\``;
  if (meant === undefined) {
    const flag = words.length === 0 && isNear(line[0] ?? "", "--version") ? "--version" : "--help";
    return new Misspelled(message, toLine([...topic, flag]));
  }
  const corrected = [...meant.words, ...line.slice(meant.takes)];
  const id = findCommand(corrected, names)?.id;
  const { flags } = commands.find((command) => command.id === id) ?? { flags: {} };
  return new Misspelled(message, toLine(correctFlags(corrected, flags) ?? corrected));
}
