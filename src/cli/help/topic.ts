import { type CommandFacts, headlineOf, typed } from "../names/manifest.ts";
import { type Drawing, section } from "./layout.ts";

/** What the commands below a word have in common. */
const TOPICS: Readonly<Record<string, string>> = {
  card: "Make, publish, look at and trust cards.",
  "card:source": "Edit card sources.",
  hook: "Look at the hook without an agent.",
  key: "Sign cards, and know who signs others'.",
  log: "See what the hook decided, and why.",
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
export function commandsBelow(topic: string, commands: readonly CommandFacts[], drawing: Drawing): string[] {
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
