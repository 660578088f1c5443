import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { publishCard } from "../../../operations/author/publish.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderPacked, renderPublished } from "../../render/card.ts";

export default class CardPublish extends DrwnCommand {
  static override completes = { source: "source", registry: "registry" } as const;
  static override description = `Publish a card source to the registry of its scope.

That is the one that \`drwn registry add --scope\` or your .npmrc names, else a folder below DRWN_HOME. A published version never
changes. It is signed with the key of the card's scope, which a person's first publish makes. Inside an agent's tool call
nothing is signed, and a version published there joins no consent by itself.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> ./backend --dry-run",
    "<%= config.bin %> <%= command.id %> @me/backend --registry team",
  ];
  static override args = { source: Args.string({ description: "name or folder of the source", default: "." }) };
  static override flags = {
    key: Flags.string({
      description: "Sign with this key file. [default: the key of the card's scope]",
      helpValue: "FILE",
    }),
    "no-sign": Flags.boolean({ default: false, description: "Leave it unsigned.", exclusive: ["key"] }),
    "dry-run": Flags.boolean({
      default: false,
      description: "Check the source, print what would be published, and publish nothing.",
    }),
    registry: Flags.string({ description: "Name of the registry to publish to.", helpValue: "NAME" }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(CardPublish);
    const published = await publishCard(host, {
      source: args.source,
      key: flags.key ?? null,
      isSigned: !flags["no-sign"],
      dryRun: flags["dry-run"],
      registry: flags.registry,
    });
    const { name, version, registry, dryRun, changes } = published;
    return {
      json: published,
      print: (console) => {
        renderPacked(published, console);
        renderPublished(published, console);
        console.out(`${dryRun ? "Would publish" : "Published"} ${name}@${version} to ${registry}`);
        if (!dryRun && changes === null) console.talk(`Next, in a project: drwn add ${name}`);
      },
    };
  }
}
