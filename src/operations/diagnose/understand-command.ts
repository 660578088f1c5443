import fs from "node:fs";
import { effects, steps } from "../../helpers/acts/calls.ts";
import { changes } from "../../helpers/acts/changes.ts";
import type { Effect } from "../../helpers/acts/effects.ts";
import { type Flow, flows } from "../../helpers/acts/flows.ts";
import { type GitStep, gitSteps } from "../../helpers/acts/git.ts";
import { codeOf } from "../../helpers/acts/interpreters.ts";
import { isInRunning, type Step } from "../../helpers/acts/steps.ts";
import { optionsOf } from "../../helpers/programs/options.ts";
import type { ToolPolicyEvent } from "../../policy/event.ts";

/** What drwn's helpers read in a shell command, as far as it is certain. */
export interface UnderstoodCommand {
  /** Each program that it runs, with its words. */
  programs: { program: string; words: string[]; elsewhere: string | null }[];
  /** Each thing that it does: to files, to what isn't a file, and what reaches what. */
  does: Act[];
  /** What nobody can tell from the text; empty: drwn reads all of it. */
  unknown: string[];
}

interface Act {
  verb: string;
  what: string;
}

/**
 * The command as a guard sees it. Nothing is run. A guard counts a file as read if it might be; this says so only of
 * programs that read what they are given, and of others "may", if the file is there.
 */
export function understandCommand(command: string, { cwd, home }: { cwd: string; home: string }): UnderstoodCommand {
  const input = { command };
  const event: ToolPolicyEvent = { runtime: "claude-code", phase: "pre-tool", toolName: "Bash", input, cwd, home };
  const isThere = (place: string) => fs.existsSync(place.replace(/^~(?=\/|$)/u, home));
  try {
    const all = steps(event);
    const done = effects(event);
    const known = [
      ...gitSteps(event).flatMap(actsOfGit),
      ...done.flatMap((effect) => describeEffect(effect, { done, isThere })),
      ...changes(event).map(({ does, what }) => ({ verb: does, what })),
      ...describeFlows(flows(event), isThere),
    ];
    return {
      programs: all.map((step) => ({ program: step.program, words: wordsOf(step), elsewhere: step.elsewhere ?? null })),
      does: unique(known),
      unknown: unknownIn(all),
    };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // A limit of drwn's own begins with what is too much: "it has too many commands".
    const why = /^its? /u.test(error.message) ? "drwn reads no such command" : "no shell runs it";
    return { programs: [], does: [], unknown: [`what it does: ${why}, since ${error.message}`] };
  }
}

function wordsOf(step: Step): string[] {
  return [step.program, ...step.arguments];
}

const LOOKING_GIT =
  /^(?:status|log|diff|show|blame|annotate|grep|ls-files|ls-tree|rev-parse|rev-list|cat-file|describe|shortlog|whatchanged|name-rev|merge-base|for-each-ref|show-ref|show-branch|count-objects|fsck|var|help|version|check-\w+|diff-\w+|archive|cherry|range-diff|format-patch)$/u;
/** What these do depends on their next word; without one, or with one of these, they list. */
const LISTING_GIT =
  /^(?:branch|tag|remote|worktree|reflog|notes|submodule|config|bisect)$|^stash (?:list|show)|^(?:remote|config|reflog|notes|worktree|submodule|bisect) (?:show|get|get-url|list|status|log)\b|^config (?:[\w.-]+|--(?:get|list|show)\S*.*|-l)$|^(?:branch|tag|remote) (?:-[alrv]+|--(?:list|show-current|contains|merged|no-merged|points-at|sort|format))\b/u;
const FETCHING_GIT = /^(?:fetch|pull|clone|ls-remote)$/u;

function actsOfGit({ subcommand, arguments: given }: GitStep): Act[] {
  const words = [subcommand, ...given].join(" ");
  const isTrial =
    optionsOf(given).has("dry-run") ||
    (/^(?:push|fetch|clean|add|rm|mv|prune)$/u.test(subcommand) && optionsOf(given).has("n"));
  if (isTrial || LOOKING_GIT.test(subcommand) || LISTING_GIT.test(words)) return [];
  const what = `git ${words}`;
  if (subcommand === "push") return [{ verb: "publishes", what }];
  if (FETCHING_GIT.test(subcommand)) return [{ verb: "fetches", what }];
  return [{ verb: "changes", what: `${subcommand === "config" ? "git's settings" : "the repository"}: ${what}` }];
}

/** Programs that read all files that they are given. */
const READING =
  /^(?:cat|tac|nl|less|more|most|bat|batcat|head|tail|view|od|xxd|hexdump|hd|strings|base64|base32|[efz]?grep|rg|ag|ack|g?sed|[gm]?awk|jq|yq|cut|sort|uniq|paste|join|comm|diff|cmp|fold|rev|column|g?cp|install|ditto|rsync|scp|(?:bsd)?tar|zip|git)$/u;
/** Those of them whose words are files and nothing else. */
const SHOWING = /^(?:cat|tac|nl|less|more|most|bat|batcat|head|tail|view|od|xxd|hexdump|hd|strings|base64|base32)$/u;
/** Programs that can't make a file when they change one in place. */
const EDITING = /^(?:g?sed|perl|ruby|yq|g?awk)$/u;
const RUNNING =
  /^(?:(?:ba|da|z|k|fi|c|tc)?sh|source|\.|make|node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|perl|ruby|php)$/u;

const DEVICE = /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/u;

interface Around {
  done: readonly Effect[];
  isThere: (place: string) => boolean;
}

function describeEffect(effect: Effect, { done, isThere }: Around): Act[] {
  const { does, place, written, step, isDeep, isNarrowed } = effect;
  if (DEVICE.test(place) || written === "-") return [];
  if (step !== undefined && (step.elsewhere === "machine" || isInRunning({ ...step, elsewhere: "container" })))
    return describeElsewhere(effect, step.elsewhere === "machine" ? "on another machine" : "in a container");
  if (does === "reads") return describeRead(effect, { done, isThere });
  if (does === "writes" && step !== undefined && EDITING.test(step.program) && !isRedirected(effect) && !isThere(place))
    return [];
  // What code does to the paths in it is a guess.
  const isGuess = step !== undefined && codeOf(step) !== undefined && !isRedirected(effect);
  const verb = isGuess ? `may ${does.slice(0, -1)}` : does;
  if (does === "writes") return [{ verb, what: place }];
  if (isNarrowed) return [{ verb, what: `what it finds below ${place}` }];
  // What find looks for isn't a place of its own.
  if (done.some((other) => other.step === step && other.isNarrowed)) return [];
  const isFile = isThere(place) && fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() === false;
  return [{ verb, what: isDeep && !isFile ? `${place} and all below it` : place }];
}

/** Nobody here can look what is there. */
function describeElsewhere({ does, place, step, isDeep }: Effect, where: string): Act[] {
  if (does === "reads" && !SHOWING.test(step?.program ?? "")) return [];
  return [{ verb: does, what: `${isDeep ? `${place} and all below it` : place}, ${where}` }];
}

function describeRead(effect: Effect, { done, isThere }: Around): Act[] {
  const { place, written, step } = effect;
  // A file that is moved, edited or written over is in another line.
  const isOther = done.some((other) => other.step === step && other.place === place && other.does !== "reads");
  if (isOther || step?.program === "ln") return [];
  if (isThere(place)) return [{ verb: isCertainRead(effect) ? "reads" : "may read", what: place }];
  const isNamed = isRedirected(effect) || (SHOWING.test(step?.program ?? "") && !/^[-+]|^\d+$|\s/u.test(written));
  const isMade = done.some((other) => other.place === place && other.does === "writes");
  return isNamed
    ? [{ verb: "reads", what: isMade || /[$`*?[]/u.test(place) ? place : `${place}, which isn't there` }]
    : [];
}

function isCertainRead(effect: Pick<Effect, "step" | "written">): boolean {
  const { step, written } = effect;
  if (step === undefined || isRedirected(effect) || READING.test(step.program)) return true;
  // `curl -d @file`, `-F name=@file`
  return step.arguments.some((word) => /^(?:[\w.-]+=)?@/u.test(word) && word.includes(`@${written}`));
}

function isRedirected({ step, written }: Pick<Effect, "step" | "written">): boolean {
  return step?.redirections.some(({ target }) => target === written) === true;
}

function describeFlows(all: readonly Flow[], isThere: Around["isThere"]): Act[] {
  return all.flatMap((flow): Act[] => {
    const { from, to, place, step } = flow;
    if (to === "place" && (step?.elsewhere !== undefined || place.endsWith("/-"))) return [];
    const act = (what: string): Act[] => [{ verb: "hands", what: `${what} to ${TO[to](place)}` }];
    const isOutside = to === "network" || to === "code";
    switch (from.kind) {
      case "variable":
        return act(from.written);
      case "network": {
        const isSaved = all.some((one) => one.to === "place" && one.from === from && one.step === step);
        return isSaved && to === "conversation" ? [] : act(`what ${from.name} fetches`);
      }
      case "decoded":
        return isOutside ? act(`what ${from.name} decodes`) : [];
      case "output":
        return isOutside &&
          !all.some((one) => one.to === to && one.from.kind === "network" && one.from.step === from.step)
          ? act(`what ${from.name} prints`)
          : [];
      case "text":
        return to === "code" ? act("a text in the command") : [];
      default:
        return from.name !== place && isThere(from.name) && isCertainFlow(flow) ? act(from.written) : [];
    }
  });
}

/** Whether a file goes where a guard has to expect it, for all that drwn knows of the programs. */
function isCertainFlow({ from, to, step }: Flow): boolean {
  if (to === "code") return RUNNING.test(step?.program ?? "");
  return isCertainRead(from);
}

const TO: Readonly<Record<Flow["to"], (place: string) => string>> = {
  conversation: () => "the agent",
  network: () => "the network",
  code: () => "a program that runs it",
  place: (place) => place,
};

function unique(all: readonly Act[]): Act[] {
  return [...new Map(all.map((one) => [`${one.verb} ${one.what}`, one])).values()];
}

const KNOWN = /\$(?:(?:HOME|PWD)\b|\{(?:HOME|PWD)\})/gu;

/** Words that only the shell will know. */
function unknownIn(all: readonly Step[]): string[] {
  const words = all.flatMap((step) =>
    wordsOf(step).filter((word) => /[$`]/u.test(word.replace(KNOWN, "")) && !step.literals.includes(word)),
  );
  return [...new Set(words)].map((word) => `what ${word} stands for`);
}
