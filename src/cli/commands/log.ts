import * as Flags from "@oclif/core/flags";
import { advise, drwn } from "../../kernel/advice.ts";
import { clean } from "../../kernel/text.ts";
import { checkLog } from "../../operations/diagnose/compare-transcripts.ts";
import {
  keepInputs,
  type LoggedCall,
  type LogRequest,
  listCalls,
  saveCase,
  summarizeLog,
  verifyLog,
  watchCalls,
} from "../../operations/diagnose/log.ts";
import { INPUTS, type InputLogging } from "../../operations/preferences.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { answerVerification } from "../render/card.ts";
import { answerFigures, renderEntry, renderLogCheck } from "../render/log.ts";
import { type Console, EXIT } from "../terminal/console.ts";

/** Which calls of the journal a command is about. */
const CALL_FILTER_FLAGS = {
  card: Flags.string({ description: "Only calls that this card was asked about.", helpValue: "@scope/name" }),
  tool: Flags.string({ description: "Only calls of tools that this matcher matches.", helpValue: "GLOB" }),
  on: Flags.string({
    description: "Only these lifecycle events, by their name in docs/reference/lifecycle.md.",
    helpValue: "EVENT",
    exclusive: ["tool"],
  }),
  since: Flags.string({
    description: "Only calls since then: 2026-01-31T12:00Z, 90s, 10m, 2h, 3d.",
    helpValue: "WHEN",
  }),
};

/** Which of those calls are shown, and how. */
const LISTING = ["verdict", "failed", "limit", "follow", "ndjson"];

export default class Log extends ManagedCommand {
  static override completes = { card: "installed-card" } as const;
  static override description = `Show the calls that the hook judged in this project, from the journal.

With \`--json\` the answer is one document. A journal that is followed never ends, so \`--follow\` takes \`--ndjson\`, one JSON
document on each line.

--check compares the journal with the transcripts that Claude Code, Codex, Gemini CLI, Copilot CLI, OpenCode, Kilo, Qwen Code and Pi
keep of their sessions in this project, and changes none of them. It names the calls that ran though the hook denied them, the calls
that no hook saw, and the sessions in which no hook ran, as with \`claude --bare\`; subagents' calls, too. It looks at calls since you consented,
of tools that an approved policy has to be asked about, and exits with 3 if there are any. It says what it doesn't understand,
such as a transcript of a version that drwn doesn't know. OpenCode's database takes Node 22.13 or later to read.

--stats counts the calls, and the time that each policy takes. --verify says whether the journal is as the hook process wrote
it, and exits with 3 if not: if lines were edited, removed, added or moved, or the end was cut off. Whoever can write as you
can also rewrite the whole journal: keep the head that is printed in another place, and name it with --expect next time.
The journal keeps the inputs of calls that were denied, asked about, rewritten or let through by a person, redacted, so that a person sees what
\`drwn allow\` lets through. --inputs changes that for later calls: \`keep\` keeps those of all calls, \`off\` none, and nobody can allow a denied call then;
\`drwn config set log.inputs\` does so for projects to come. drwn keeps up to 32,000 characters of a denied call and 2,000 of any other.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --verdict deny --since 2h",
    "<%= config.bin %> <%= command.id %> --card @me/backend --tool 'mcp__*' --json",
    "<%= config.bin %> <%= command.id %> --on prompt.submit --verdict deny",
    "<%= config.bin %> <%= command.id %> --follow --ndjson",
    "<%= config.bin %> <%= command.id %> --stats --since 7d",
    "<%= config.bin %> <%= command.id %> --save-case 3f2a9c01",
    "<%= config.bin %> <%= command.id %> --check --since 7d",
    "<%= config.bin %> <%= command.id %> --inputs keep",
    "<%= config.bin %> <%= command.id %> --verify --expect 1f0c2a9be774",
  ];
  static override flags = {
    ...CALL_FILTER_FLAGS,
    verdict: Flags.string({ description: "Only calls with this verdict.", options: ["allow", "ask", "deny"] }),
    failed: Flags.boolean({ description: "Only calls in which something failed." }),
    limit: Flags.integer({
      char: "n",
      description: "At most this many, the last ones.",
      default: 50,
      min: 1,
      max: 1_000_000,
    }),
    follow: Flags.boolean({
      char: "f",
      description: "Keep showing new calls, until interrupted.",
      exclusive: ["json"],
    }),
    ndjson: Flags.boolean({ description: "Print each call as one line of JSON.", exclusive: ["json"] }),
    stats: Flags.boolean({
      description: "Count the calls, and say how long each policy takes.",
      exclusive: LISTING,
    }),
    "save-case": Flags.string({
      description: "Print the call with this id as a case for a hook's cases.jsonl.",
      helpValue: "ID",
      exclusive: [...Object.keys(CALL_FILTER_FLAGS), ...LISTING, "stats", "verify"],
    }),
    verify: Flags.boolean({
      description: "Find out whether the journal is as the hook process wrote it.",
      exclusive: [...Object.keys(CALL_FILTER_FLAGS), ...LISTING, "stats"],
    }),
    expect: Flags.string({
      description: "Fail unless this head, printed before, is still there.",
      helpValue: "HASH",
      dependsOn: ["verify"],
    }),
    check: Flags.boolean({
      description: "Compare the journal with the agents' transcripts.",
      exclusive: ["card", "tool", "on", ...LISTING, "stats", "save-case", "verify", "global", "system"],
    }),
    inputs: Flags.option({
      options: ["show", ...INPUTS] as const,
      description: "Which calls' inputs the journal of this project keeps from now on.",
      exclusive: [...Object.keys(CALL_FILTER_FLAGS), ...LISTING, "stats", "save-case", "verify", "check", "system"],
    })(),
  };

  protected override isReader(): boolean {
    return true;
  }

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Log);
    if (flags.check) return answerCheck(await checkLog(host, { since: flags.since }));
    if (flags.inputs !== undefined)
      return answerInputs(keepInputs(host, flags.inputs === "show" ? undefined : flags.inputs));
    if (flags.verify) return answerVerification(verifyLog(host, flags.expect));
    if (flags["save-case"] !== undefined) return answerCase(saveCase(host, flags["save-case"]));
    if (flags.stats) return answerFigures(summarizeLog(host, flags));
    const { card, tool, on, verdict, since, failed, follow, ndjson, limit } = flags;
    const request: LogRequest = { card, tool, on, verdict, since, isFailed: failed };
    // Starts first, so that it misses no call; one that is found twice is shown once.
    const watched = follow ? watchCalls(host, request) : null;
    const calls = listCalls(host, request, limit);
    const known = new Set(calls.map(({ hash }) => hash));
    return {
      json: { calls },
      print: async (console) => {
        const show = (call: LoggedCall): void => printCall(call, ndjson, console);
        for (const call of calls) show(call);
        if (host.notes === undefined && !ndjson && calls.some(isBare) && keepInputs(host, undefined).inputs !== "keep")
          console.talk(NOT_KEPT);
        if (watched !== null) {
          for await (const call of watched) if (!known.has(call.hash)) show(call);
        } else if (calls.length === 0 && !ndjson) console.talk(NONE);
      },
    };
  }
}

function isBare({ phase, input }: LoggedCall): boolean {
  return phase === "pre-tool" && input === undefined;
}

const NONE = advise`No call in the journal matches; \`${drwn("explain")}\` adds none to it`;
const NOT_KEPT = advise`The journal keeps no inputs of calls that went through; to keep those of later calls, redacted: ${drwn("log", "--inputs", "keep")}`;

function answerCheck(check: Awaited<ReturnType<typeof checkLog>>): CommandAnswer {
  return {
    json: check,
    print: (console) => renderLogCheck(check, console),
    exitCode: check.found ? EXIT.found : EXIT.done,
  };
}

const KEEPS: Readonly<Record<InputLogging, string>> = {
  keep: "the inputs of all calls, redacted",
  denied: "the inputs of calls that were denied, asked about, rewritten or let through by a person, redacted",
  off: "no inputs, so nobody can let a denied call through",
};

function answerInputs(kept: ReturnType<typeof keepInputs>): CommandAnswer {
  return {
    json: kept,
    print: ({ out }) => out(`The journal of ${clean(kept.project, 1000)} keeps ${KEEPS[kept.inputs]}`),
  };
}

function answerCase(saved: ReturnType<typeof saveCase>): CommandAnswer {
  return { json: saved.case, print: ({ raw }) => raw(saved.line) };
}

function printCall(call: LoggedCall, isJson: boolean, console: Console): void {
  if (isJson) console.raw(JSON.stringify(call));
  else renderEntry(call, console);
}
