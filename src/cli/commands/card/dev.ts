import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import {
  CAPABILITIES,
  type DevEvent,
  type DevRequest,
  type DevRound,
  tryCard,
  watchSource,
} from "../../../operations/author/dev-card.ts";
import { AGENT_IDS } from "../../../operations/project/write.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderAnswers, renderRest, renderRound } from "../../render/card-test.ts";
import { problemToJson } from "../../render/problem.ts";
import { EXIT } from "../../terminal/console.ts";

export default class CardDev extends DrwnCommand {
  static override completes = { card: "source" } as const;
  static override description =
    `Try a card source on each save: compile it, ask its hooks about an event, and run their cases.

The event is a call that you give by hand, a file with the event as the agent sends it, or the last call of this project's journal.
Nothing is published, consented to or written, and a hook that declares capabilities is asked only if you name each of them. Ends
with Ctrl-C.`;
  static override examples = [
    `<%= config.bin %> <%= command.id %> --tool Bash --input '{"command":"rm -rf build"}'`,
    "<%= config.bin %> <%= command.id %> @me/backend --hook guard --last",
    "<%= config.bin %> <%= command.id %> . --event event.json --allow fs-read",
    "<%= config.bin %> <%= command.id %> . --once --json",
  ];
  static override args = { card: Args.string({ description: "a source by name or folder", default: "." }) };
  static override flags = {
    hook: Flags.string({ description: "Only this hook.", helpValue: "NAME" }),
    tool: Flags.string({ description: "The name of a tool, for a call by hand.", helpValue: "NAME" }),
    input: Flags.string({ description: "Its input, as JSON. [default: {}]", helpValue: "JSON", dependsOn: ["tool"] }),
    event: Flags.string({
      description: "A file with the event as the agent sends it.",
      helpValue: "FILE",
      exclusive: ["tool", "last"],
    }),
    last: Flags.boolean({ description: "The last call of this project's journal.", exclusive: ["tool", "event"] }),
    after: Flags.boolean({ default: false, description: "The event comes after the call.", exclusive: ["last"] }),
    runtime: Flags.option({ options: AGENT_IDS, default: "claude-code", description: "The agent that sends it." })(),
    allow: Flags.option({
      options: CAPABILITIES,
      multiple: true,
      description: "Give the hooks this capability, which they declare. Repeat it for more.",
    })(),
    once: Flags.boolean({ default: false, description: "Once, without waiting for a save. --json implies it." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardDev);
    const { runtime, hook, allow: allowed = [] } = flags;
    const isAfter = flags.after;
    const event: DevEvent | null =
      flags.tool !== undefined
        ? { from: "hand", runtime, tool: flags.tool, input: flags.input ?? "{}", isAfter }
        : flags.event !== undefined
          ? { from: "file", runtime, file: flags.event, isAfter }
          : flags.last
            ? { from: "journal" }
            : null;
    const request: DevRequest = { source: args.card, hook, event, allowed };
    const isOnce = flags.once || this.wantsJson();
    const stop = new AbortController();
    // Starts first, so that it misses no save.
    const saves = isOnce ? null : watchSource(host, args.card, stop.signal);
    if (!isOnce) process.once("SIGINT", () => stop.abort());
    const first = await tryCard(host, request);
    return {
      json: { ...first, ...(first.problem === null ? { problem: null } : { problem: problemToJson(first.problem) }) },
      exitCode: isOnce && !isGood(first) ? EXIT.problem : EXIT.done,
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
}

function isGood({ problem, tests }: DevRound): boolean {
  return problem === null && tests.every(({ ok }) => ok);
}
