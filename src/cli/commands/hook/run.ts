import * as Flags from "@oclif/core/flags";
import type { Host } from "../../../kernel/host.ts";
import { DIALECT_NAMES, runDialect } from "../../../operations/run-dialect.ts";
import { type Answer, DrwnCommand } from "../../command.ts";

export default class HookRun extends DrwnCommand {
  static override description = `Answer one event as another hook system does, with that system's policies as they are.

Takes the place of that system's own program in the settings of an agent: the event comes on standard input, the answer goes
to standard output. Those policies are outside of drwn's consent: whoever puts this command into the settings of an agent lets the
policy files of every folder that the agent works in decide, and start programs.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> --dialect hooker < event.json",
    "<%= config.bin %> <%= command.id %> --dialect polytoken --event pre_tool_use --root . < event.json",
  ];
  static override flags = {
    dialect: Flags.string({ options: [...DIALECT_NAMES], required: true, description: "The other hook system." }),
    event: Flags.string({ description: "The event, in that system's words, where standard input does not name it." }),
    root: Flags.string({ description: "The project whose hooks answer; without it the working folder." }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { flags } = await this.parse(HookRun);
    const exitCode = runDialect(host, { name: flags.dialect, event: flags.event, root: flags.root });
    return { json: { exitCode }, print: () => {}, exitCode };
  }
}
