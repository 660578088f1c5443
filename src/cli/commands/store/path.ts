import { findStore } from "../../../operations/machine/store.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class StorePath extends DrwnCommand {
  static override hidden = true;
  static override met = "For the disk of this machine.";
  static override description = "Print where the store is: this machine's verified copies of cards.";
  static override examples = ["<%= config.bin %> <%= command.id %>"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    await this.parse(StorePath);
    const store = findStore(host);
    return { json: store, print: ({ raw }) => raw(store.path) };
  }
}
