import * as Args from "@oclif/core/args";
import { clean } from "../../../../kernel/text.ts";
import { useSource } from "../../../../operations/author/edit-source.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../../command.ts";

export default class SourceUse extends DrwnCommand {
  static override hidden = true;
  static override description = `Find a card source by its name from now on: one that you cloned, or moved.

Sources made by \`drwn card new\` are known already. From now on the source is yours: \`card test\` and \`replay\` run its code without
asking, so read it first. Needs a person. Changes nothing in the folder.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> ~/cards/backend",
  ];
  static override args = { folder: Args.string({ description: "folder of the source", default: "." }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(SourceUse);
    const used = await useSource(host, args.folder);
    return {
      json: used,
      print: ({ out }) => {
        out(`${used.card} is the source in ${clean(used.path, 2000)}`);
        out(`Next: drwn card source doctor ${used.card}`);
      },
    };
  }
}
