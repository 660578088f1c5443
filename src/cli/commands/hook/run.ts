import fs from "node:fs";
import * as Flags from "@oclif/core/flags";
import { DIALECT_NAMES, runDialect, runEvent, usage } from "../../../operations/diagnose/run-event.ts";
import { type CommandAnswer, DrwnCommand, type Host, TRACE } from "../../command.ts";

export default class HookRun extends DrwnCommand {
  static override hidden = true;
  static override description = `Answer one event: by the lifecycle hooks in force here, or as another hook system does.

With --event alone, reads the event's input as JSON from standard input, and prints the verdict of the consented hooks, even for
events that no agent reports.

With --dialect, that system's policies answer as they are. The command replaces that system's own program in an agent's settings: it reads
the event from standard input and prints the answer. drwn's consent doesn't cover those policies: whoever puts this command into an agent's
settings lets the policy files of every folder that the agent works in decide, and start programs.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> --event model.before < payload.json",
    "<%= config.bin %> <%= command.id %> --dialect hooker < event.json",
    "<%= config.bin %> <%= command.id %> --dialect polytoken --event pre_tool_use --root . < event.json",
  ];
  static override baseFlags = {
    ...DrwnCommand.baseFlags,
    verbose: Flags.boolean({
      description: `${TRACE}; with --event also what the hook process does. DRWN_DEBUG does nothing here, since an agent may read it.`,
      helpGroup: "GLOBAL",
    }),
  };
  static override flags = {
    dialect: Flags.string({ options: [...DIALECT_NAMES], description: "The other hook system." }),
    event: Flags.string({
      description:
        "The event: by its name in docs/reference/lifecycle.md, or with --dialect in that system's words, if standard input doesn't name it.",
    }),
    root: Flags.string({ description: "The project whose hooks answer. [default: the working folder]" }),
  };

  protected override readonly heedsEnvironment = false;
  protected override readonly needsHome = false;

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(HookRun);
    if (flags.dialect === undefined) return this.#runEvent(host, flags.event);
    const exitCode = runDialect(host, { name: flags.dialect, event: flags.event, root: flags.root });
    return { json: { exitCode }, print: () => {}, exitCode };
  }

  async #runEvent(host: Host, event: string | undefined): Promise<CommandAnswer> {
    if (event === undefined) throw usage("give --event or --dialect");
    const answer = await runEvent(host, { event, input: fs.readFileSync(process.stdin.fd, "utf8") });
    return { json: answer, print: ({ raw }) => raw(JSON.stringify(answer)) };
  }
}
