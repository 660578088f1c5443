import * as Args from "@oclif/core/args";
import { readWarmHook, switchWarmHook } from "../../../operations/warm-hook.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { describeWarmHook } from "../../render/warm-hook.ts";

export default class HookWarm extends DrwnCommand {
  static override hidden = true;
  static override met = "Off unless you turn it on: it is still being measured.";
  static override description = `Have hook processes started before the call that they answer.

Off by default. When it is on, each call of a guarded project starts the process that answers the next one, so that an agent doesn't wait for
Node to start. At most two wait, each for fifteen minutes. A call that finds none is answered as when it is off. Linux only.`;
  static override examples = ["<%= config.bin %> <%= command.id %> on", "<%= config.bin %> <%= command.id %> status"];
  static override args = {
    what: Args.string({ options: ["on", "off", "status"], required: true, description: "What to do." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(HookWarm);
    const warm = args.what === "status" ? readWarmHook(host) : switchWarmHook(host, args.what === "on");
    return { json: warm, print: ({ out }) => out(describeWarmHook(warm)) };
  }
}
