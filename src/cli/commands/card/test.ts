import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { isProblem } from "../../../kernel/problem.ts";
import { shellQuote } from "../../../kernel/text.ts";
import { findCard, runCardTest, type SourceCardTest } from "../../../operations/author/test-card.ts";
import {
  CAPABILITIES,
  type TryEvent,
  type TryRequest,
  type TryRound,
  tryCard,
  watchSource,
} from "../../../operations/author/try-card.ts";
import { AGENT_IDS } from "../../../operations/project/write.ts";
import { askToRun } from "../../ask-to-run.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import {
  junitOf,
  renderAnswers,
  renderRest,
  renderRound,
  renderSourceCardTest,
  sarifOf,
} from "../../render/card-test.ts";
import { problemToJson, renderProblem } from "../../render/problem.ts";
import { type Console, EXIT } from "../../terminal/console.ts";
import { writeOutput } from "../../write-output.ts";

/** What can't be done about an event that is in no case. */
const OF_CASES = ["mutate", "stack", "junit", "sarif", "run"];

const EVENT_FLAGS = {
  tool: Flags.string({
    description: "The name of a tool, for a call by hand.",
    helpValue: "NAME",
    exclusive: ["event", "last", ...OF_CASES],
  }),
  input: Flags.string({ description: "Its input, as JSON. [default: {}]", helpValue: "JSON", dependsOn: ["tool"] }),
  event: Flags.string({
    description: "A file with an event as the agent sends it.",
    helpValue: "FILE",
    exclusive: ["tool", "last", ...OF_CASES],
  }),
  last: Flags.boolean({
    description: "The last call of this project's journal.",
    exclusive: ["tool", "event", ...OF_CASES],
  }),
  after: Flags.boolean({ default: false, description: "The event comes after the call.", exclusive: ["last"] }),
  runtime: Flags.option({ options: AGENT_IDS, default: "claude-code", description: "The agent that sends it." })(),
  allow: Flags.option({
    options: CAPABILITIES,
    multiple: true,
    description: "Give the hooks this capability, which they declare. Repeat it for more.",
  })(),
};

export default class CardTest extends DrwnCommand {
  static override completes = { card: "source" } as const;
  static override description = `Run the cases of a card's hooks: calls, and what the hook should make of each.

The cases of a hook are in hooks/<hook>/cases.jsonl, one in a line. Each runs through the real engine, confined as in front of an
agent, under each name that agents have for the tool. Exits with 1 if a case fails.

--stack also asks every other guard in force in this project about the calls that reasons propose: a way out that another guard closes fails its
case. --watch runs the cases again after each save.

With --mutate, a denied call must also be denied behind sudo, in bash -c, with other quotes and in other forms, and a call that only
mentions it must be let through. drwn prints what a hook misses as cases to keep; they fail nothing.

With --tool, --event or --last it first asks the hooks of a source of yours about that event, which is in no case. A hook that declares
capabilities is asked only if you name each of them with --allow, and nothing is published, consented to or written.

A card that isn't a source of yours is somebody else's code, also in a folder that you cloned: \`drwn card source use\` says that one is yours. If you haven't consented to it, its cases run only if you say yes, or with
--run, and the code then reaches nothing.

\`drwn replay\` asks a hook about the calls of your own past sessions.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> @me/backend --hook guard",
    "<%= config.bin %> <%= command.id %> ./backend --mutate",
    "<%= config.bin %> <%= command.id %> ./backend --watch",
    `<%= config.bin %> <%= command.id %> --tool Bash --input '{"command":"rm -rf build"}'`,
    "<%= config.bin %> <%= command.id %> @me/backend --hook guard --last --watch",
    "<%= config.bin %> <%= command.id %> ./backend --stack --junit cases.xml --sarif cases.sarif",
    "<%= config.bin %> <%= command.id %> @me/backend@1.0.0 --run --json",
  ];
  static override args = {
    card: Args.string({ description: "a source by name or folder, or @scope/name@version", default: "." }),
  };
  static override flags = {
    hook: Flags.string({ description: "Only this hook.", helpValue: "NAME" }),
    mutate: Flags.boolean({
      default: false,
      description: "Also try calls that do the same as those of the cases, or only mention them.",
    }),
    stack: Flags.boolean({
      default: false,
      description: "Every guard in force in this project must allow what a reason proposes.",
    }),
    watch: Flags.boolean({ default: false, description: "Run the cases again after each save.", exclusive: ["json"] }),
    junit: Flags.string({ description: "Also write the cases to this file as JUnit XML.", helpValue: "FILE" }),
    sarif: Flags.string({ description: "Also write what failed to this file as SARIF 2.1.0.", helpValue: "FILE" }),
    run: Flags.boolean({ default: false, description: "Run the card's code without asking." }),
    ...EVENT_FLAGS,
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardTest);
    const event = eventOf(flags);
    if (event !== null) {
      const request = { source: args.card, hook: flags.hook, event, allowed: flags.allow ?? [] };
      return this.#try(host, request, flags.watch);
    }
    if (flags.after || flags.allow !== undefined)
      this.error("--after and --allow go only with --tool, --event or --last");
    const card = await findCard(host, args.card);
    const command = `drwn card test ${shellQuote(args.card)} --run`;
    const isAllowed = flags.run || (await askToRun(card, { host, isQuiet: this.wantsJson(), command }));
    const { hook, mutate: mutates, stack: isStacked, junit, sarif } = flags;
    const runOn = async (found: typeof card): Promise<SourceCardTest> => {
      const done = await runCardTest(host, { card: found, hook, isAllowed, mutates, isStacked });
      host.progress("");
      if (junit !== undefined) writeOutput(host.cwd, junit, junitOf(done));
      if (sarif !== undefined) writeOutput(host.cwd, sarif, sarifOf(done, this.config.version));
      return done;
    };
    // Starts first, so that it misses no save.
    const saves = flags.watch && card.from === "source" ? this.#saves(host, args.card) : null;
    const tested = await runOn(card);
    return {
      json: tested,
      exitCode: tested.ok ? EXIT.done : EXIT.problem,
      print: async (console) => {
        renderSourceCardTest(tested, console);
        if (saves === null) return;
        console.talk("Waiting for a save; Ctrl-C ends");
        for await (const _ of saves)
          await again(
            host,
            async () => renderSourceCardTest(await runOn(await findCard(host, args.card)), console),
            console,
          );
      },
    };
  }

  async #try(host: Host, request: TryRequest, isWatched: boolean): Promise<CommandAnswer> {
    // Starts first, so that it misses no save.
    const saves = isWatched ? this.#saves(host, request.source) : null;
    const first = await tryCard(host, request);
    return {
      json: { ...first, ...(first.problem === null ? { problem: null } : { problem: problemToJson(first.problem) }) },
      exitCode: isWatched || isGood(first) ? EXIT.done : EXIT.problem,
      print: async (console) => {
        renderRound(first, console);
        if (saves === null) return;
        console.talk("Waiting for a save; Ctrl-C ends");
        for await (const _ of saves) {
          console.out();
          const round = await tryCard(host, request, (answered) => {
            host.progress("");
            renderAnswers(answered, console);
          });
          host.progress("");
          renderRest(round, console);
        }
      },
    };
  }

  #saves(host: Host, source: string): AsyncGenerator<void> {
    const stop = new AbortController();
    process.once("SIGINT", () => stop.abort());
    return watchSource(host, source, stop.signal);
  }
}

interface EventFlags {
  tool: string | undefined;
  input: string | undefined;
  event: string | undefined;
  last: boolean;
  after: boolean;
  runtime: (typeof AGENT_IDS)[number];
}

/** null: the hooks are asked only about their cases. */
function eventOf({ tool, input = "{}", event, last, after: isAfter, runtime }: EventFlags): TryEvent | null {
  if (tool !== undefined) return { from: "hand", runtime, tool, input, isAfter };
  if (event !== undefined) return { from: "file", runtime, file: event, isAfter };
  return last ? { from: "journal" } : null;
}

function isGood({ problem, tests }: TryRound): boolean {
  return problem === null && tests.every(({ ok }) => ok);
}

/** A source that is being edited may be broken for a moment. */
async function again(host: Host, round: () => Promise<void>, console: Console): Promise<void> {
  console.out();
  try {
    await round();
  } catch (error) {
    if (!isProblem(error)) throw error;
    host.progress("");
    for (const line of renderProblem(error, console)) console.talk(line);
  }
}
