import type { Host } from "../../kernel/host.ts";
import { type CommandFacts, type FlagFacts, headlineOf } from "../names/manifest.ts";
import { findCommand, type Names } from "../names/names.ts";
import type { Completes } from "./kinds.ts";
import { type Typed, valuesOf } from "./values.ts";

export interface Offer {
  value: string;
  /** One line that says what it is; empty if the value says it. */
  about: string;
}

/** Values that a shell inserts as they are, without quotes. A person has to type any other. */
const PLAIN = /^[\w@%+:,./^~=-]+$/u;

/** What may replace the last of these words, which is unfinished or empty. */
export async function complete(
  host: Host,
  words: readonly string[],
  known: { commands: readonly CommandFacts[]; names: Names },
): Promise<Offer[]> {
  const begun = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const offers = await offersAfter(host, before, { ...known, begun });
  return offers.filter(({ value }) => value.startsWith(begun) && PLAIN.test(value));
}

interface Known {
  commands: readonly CommandFacts[];
  names: Names;
  begun: string;
}

async function offersAfter(host: Host, before: readonly string[], known: Known): Promise<Offer[]> {
  const { commands, names, begun } = known;
  const line = before[0] === "help" ? before.slice(1) : before;
  const found = findCommand(line, names);
  const command = commands.find(({ id }) => id === found?.id);
  const below = commandsBelow(line, commands);
  if (command === undefined || found === undefined) return below;
  const { flag, args, isEnded } = readLine(found.argv, command);
  const find = (name: string) => values(host, command, { name, args });
  if (flag !== undefined) return asOffers(flag.options ?? (await find(flag.name)));
  const [, name] = /^--([^=]+)=/u.exec(begun) ?? [];
  if (name !== undefined && !isEnded) {
    const options = command.flags[name]?.options ?? (await find(name));
    return asOffers(options.map((value) => `--${name}=${value}`));
  }
  if (begun.startsWith("-") && !isEnded) return Object.values(command.flags).flatMap(offerFlag);
  const arg = Object.values(command.args)[Math.min(args.length, Object.keys(command.args).length - 1)];
  const isWanted = arg !== undefined && (!command.strict || args.length < Object.keys(command.args).length);
  const offers = isWanted ? asOffers(arg.options ?? (await find(arg.name))) : [];
  return [...(args.length === 0 ? below : []), ...offers];
}

/** The next word of each command that begins with these words; whoever wants a hidden one knows it. */
function commandsBelow(words: readonly string[], commands: readonly CommandFacts[]): Offer[] {
  const offers = commands.flatMap((command): Offer[] => {
    const name = command.id.split(":");
    const isBelow = command.hidden !== true && words.every((word, at) => word === name[at]);
    const next = name[words.length];
    if (!isBelow || next === undefined) return [];
    const isLast = name.length === words.length + 1;
    return [{ value: next, about: isLast ? headlineOf(command) : "" }];
  });
  return [...new Map(offers.map((offer) => [offer.value, offer])).values()];
}

/** What the words after a command are: arguments, and a flag at the end whose value comes next. */
function readLine(
  argv: readonly string[],
  { flags }: CommandFacts,
): { flag: FlagFacts | undefined; args: string[]; isEnded: boolean } {
  const args: string[] = [];
  let flag: FlagFacts | undefined;
  let isEnded = false;
  for (const word of argv) {
    if (flag !== undefined) flag = undefined;
    else if (isEnded) args.push(word);
    else if (word === "--") isEnded = true;
    else if (word.startsWith("-")) {
      const found = Object.values(flags).find(({ name, char }) => word === `--${name}` || word === `-${char}`);
      flag = found?.type === "option" ? found : undefined;
    } else args.push(word);
  }
  return { flag, args, isEnded };
}

async function values(
  host: Host,
  { completes, args: facts }: CommandFacts,
  { name, args }: { name: string; args: readonly string[] },
): Promise<string[]> {
  const kind = completes[name] as Completes | undefined;
  if (kind === undefined) return [];
  const typed: Typed = Object.fromEntries(
    Object.keys(facts).flatMap((one, at) => {
      const word = args[at];
      return word === undefined ? [] : [[one, word]];
    }),
  );
  return valuesOf(kind, host, typed);
}

function asOffers(given: readonly string[]): Offer[] {
  return given.map((value) => ({ value, about: "" }));
}

function offerFlag({ name, description, allowNo }: FlagFacts): Offer[] {
  const [about = ""] = description.split("\n");
  return [`--${name}`, ...(allowNo ? [`--no-${name}`] : [])].map((value) => ({ value, about }));
}
