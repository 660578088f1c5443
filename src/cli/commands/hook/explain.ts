import * as Flags from "@oclif/core/flags";
import { explainEvent } from "../../../operations/diagnose/explain.ts";
import { requireEvent } from "../../../operations/diagnose/run-event.ts";
import { AGENT_IDS } from "../../../operations/project/write.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../../command.ts";
import { renderExplanation } from "../../render/hook.ts";

export default class HookExplain extends ManagedCommand {
  static override hidden = true;
  static override description = `Run the policies in force on one event, and show what each of them makes of it.

The event goes through the launcher and the hook process, as if an agent had sent it; the policies really run. Writes
nothing to the journal, and shows byte for byte what the agent would get.`;
  static override examples = [
    `<%= config.bin %> <%= command.id %> --tool Bash --input '{"command":"rm -rf /"}'`,
    "<%= config.bin %> <%= command.id %> --event event.json --json",
    "<%= config.bin %> <%= command.id %> --tool Write --after",
    `<%= config.bin %> <%= command.id %> --on prompt.submit --input '{"prompt":"hello"}'`,
  ];
  static override flags = {
    event: Flags.string({
      description: "A file with the event as the agent sends it.",
      helpValue: "FILE",
      exclusive: ["tool", "input"],
    }),
    tool: Flags.string({ description: "The name of a tool.", helpValue: "NAME" }),
    on: Flags.string({
      description: "A moment of the session instead of a tool call, by its name in docs/reference/lifecycle.md.",
      helpValue: "EVENT",
      exclusive: ["tool", "after"],
    }),
    input: Flags.string({
      description: "The input of the tool or of the moment, as JSON. [default: {}]",
      helpValue: "JSON",
    }),
    after: Flags.boolean({ description: "Send the event that comes after the call." }),
    runtime: Flags.option({
      options: AGENT_IDS,
      default: "claude-code",
      description: "The agent that sends it.",
    })(),
  };

  protected override isReader(): boolean {
    return true;
  }

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(HookExplain);
    const explanation = await explainEvent(host, {
      runtime: flags.runtime,
      phase: flags.on === undefined ? (flags.after ? "post-tool" : "pre-tool") : requireEvent(flags.on),
      eventFile: flags.event,
      tool: flags.tool,
      input: flags.input,
    });
    return { json: explanation, print: (console) => renderExplanation(explanation, console) };
  }
}
