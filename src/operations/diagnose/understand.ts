import { effects, steps } from "../../helpers/acts/calls.ts";
import { changes } from "../../helpers/acts/changes.ts";
import { type Flow, flows } from "../../helpers/acts/flows.ts";
import type { Step } from "../../helpers/acts/steps.ts";
import type { ToolPolicyEvent } from "../../policy/event.ts";

/** What guards can ask about a shell command, as drwn's helpers read it. */
export interface UnderstoodCommand {
  /** Each program that it runs, with its words. */
  programs: { program: string; words: string[]; elsewhere: string | null }[];
  /** Each thing that it does: to files, to what isn't a file, and what reaches what. */
  does: { verb: string; what: string }[];
  /** What nobody can tell from the text; empty: drwn reads all of it. */
  unknown: string[];
}

/** The command as a guard sees it. Nothing is run. */
export function understandCommand(command: string, { cwd, home }: { cwd: string; home: string }): UnderstoodCommand {
  const event: ToolPolicyEvent = {
    runtime: "claude-code",
    phase: "pre-tool",
    toolName: "Bash",
    input: { command },
    cwd,
    home,
  };
  try {
    const all = steps(event);
    const known = [
      ...effects(event).map(({ does, place, isDeep }) => ({
        verb: does,
        what: isDeep ? `${place} and all below it` : place,
      })),
      ...changes(event).map(({ does, what }) => ({ verb: does, what })),
      ...flows(event).filter(isTelling).map(describeFlow),
    ];
    return {
      programs: all.map((step) => ({ program: step.program, words: wordsOf(step), elsewhere: step.elsewhere ?? null })),
      does: unique(known),
      unknown: unknownIn(all),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { programs: [], does: [], unknown: [`no shell would read it: ${error.message}`] };
  }
}

function wordsOf(step: Step | undefined): string[] {
  return step === undefined ? [] : [step.program, ...step.arguments];
}

/** What a program prints by itself reaches the agent with every command. */
function isTelling({ from, to }: Flow): boolean {
  return from.kind !== "output" && from.kind !== "text" ? true : to === "network" || to === "code";
}

function describeFlow({ from, to, place }: Flow): { verb: string; what: string } {
  return { verb: "hands", what: `${from.kind} ${from.written === "" ? from.name : from.written} to ${TO[to](place)}` };
}

const TO: Readonly<Record<Flow["to"], (place: string) => string>> = {
  conversation: () => "the agent",
  network: () => "the network",
  code: () => "a program that runs it",
  place: (place) => place,
};

function unique(all: readonly { verb: string; what: string }[]): { verb: string; what: string }[] {
  return [...new Map(all.map((one) => [`${one.verb} ${one.what}`, one])).values()];
}

/** Words that only the shell will know. */
function unknownIn(all: readonly Step[]): string[] {
  const words = all.flatMap((step) => [step.program, ...step.arguments]).filter((word) => /[$`]/u.test(word));
  return [...new Set(words)].map((word) => `what ${word} stands for`);
}
