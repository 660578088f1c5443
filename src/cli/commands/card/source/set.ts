import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { editSource, stepVersion } from "../../../../operations/author/edit-source.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../../command.ts";
import { answerEdit } from "../../../render/card.ts";

export default class SourceSet extends DrwnCommand {
  static override completes = { card: "source" } as const;
  static override description = "Set fields of a card source's card.json.";
  static override examples = [
    '<%= config.bin %> <%= command.id %> @me/backend --version 1.1.0 --description "Guards for the backend"',
    "<%= config.bin %> <%= command.id %> @me/backend --version minor",
    "<%= config.bin %> <%= command.id %> @me/backend --license Apache-2.0 --keyword bash --keyword git",
    "<%= config.bin %> <%= command.id %> @me/backend --capability guard=fs-read",
  ];
  static override args = { card: Args.string({ description: "name or folder of the source", required: true }) };
  static override flags = {
    version: Flags.string({
      description: "Version to publish next, or the step to it: patch, minor, major.",
      helpValue: "VERSION",
    }),
    description: Flags.string({ description: "One sentence about the card." }),
    license: Flags.string({ description: "SPDX expression." }),
    author: Flags.string({ description: "Who wrote it." }),
    repository: Flags.string({ description: "Where its source is." }),
    keyword: Flags.string({ description: "A keyword; may be given several times.", multiple: true }),
    stability: Flags.option({
      description: "How stable it is.",
      options: ["experimental", "stable", "production"] as const,
    })(),
    "restrict-only": Flags.boolean({ allowNo: true, description: "Declare that this card can only say no." }),
    capability: Flags.string({
      description:
        "What a hook may use beyond the event: env, exec, fs-read, fs-write, net, wasm. Nothing after `=` removes them.",
      helpValue: "HOOK=NAME,…",
      multiple: true,
    }),
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(SourceSet);
    const { keyword, capability, "dry-run": dryRun } = flags;
    const fields = present({
      version: isStep(flags.version) ? stepVersion(host, args.card, flags.version) : flags.version,
      description: flags.description,
      license: flags.license,
      author: flags.author,
      repository: flags.repository,
      stability: flags.stability,
      keywords: keyword,
      restrictOnly: flags["restrict-only"],
      capabilities: capability === undefined ? undefined : Object.fromEntries(capability.map(parseCapability)),
    });
    const edit = editSource(host, args.card, { set: fields, dryRun });
    const named = Object.keys(fields).join(", ");
    return answerEdit(edit, {}, { done: `Set ${named}`, would: `Would set ${named}` });
  }
}

/** Without the flags that were not given. */
function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** `guard=fs-read,net`; the manifest's reader checks the names. */
function parseCapability(text: string): [string, string[] | null] {
  const [hook = "", names = ""] = text.split("=", 2);
  return [hook, names === "" ? null : names.split(",").sort()];
}

function isStep(version: string | undefined): version is "major" | "minor" | "patch" {
  return version === "major" || version === "minor" || version === "patch";
}
