import * as Args from "@oclif/core/args";
import { removeException } from "../../../operations/diagnose/allow.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class AllowRemove extends DrwnCommand {
  static override hidden = true;
  static override met = "`drwn allow` prints it with the id.";
  static override description = "Take back what was let through. The hook judges it again from the next tool call on.";
  static override examples = ["<%= config.bin %> <%= command.id %> 0123456789ab"];
  static override args = { id: Args.string({ description: "as `drwn allow list` shows it", required: true }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(AllowRemove);
    const exception = await removeException(host, args.id);
    return { json: exception, print: ({ out }) => out(`Removed: ${exception.card}#${exception.hook} judges it again`) };
  }
}
