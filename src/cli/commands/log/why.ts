import * as Args from "@oclif/core/args";
import type { Host } from "../../../kernel/host.ts";
import { findCall } from "../../../operations/log.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { explainCall } from "../../render/call.ts";

export default class LogWhy extends DrwnCommand {
  static override description =
    "Say how the verdict on a call came about: what each policy said, which rule decided, and what the agent got.";
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> 1f0c2a9be774",
  ];
  static override args = {
    id: Args.string({
      description: "The id that `drwn log` shows. [default: the last call that was denied or asked about]",
    }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { args } = await this.parse(LogWhy);
    const call = findCall(host, args.id);
    return { json: call, print: (console) => explainCall(call, console) };
  }
}
