import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { clean, plural } from "../../../../kernel/text.ts";
import { IMPORT_NAMES, type ImportReport, importPolicies } from "../../../../operations/author/import-policies.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../../command.ts";

/** What is reported about one hook or, without a name, about all. */
type Line = Pick<ImportReport["differences"][number], "line" | "what"> & { policy: string | null };

export default class SourceImport extends DrwnCommand {
  static override completes = { card: "source" } as const;
  static override description = `Turn another hook system's policies into hooks of a card source.

Each policy becomes a hook of its own: in TypeScript, or a handler.json with its script. Lists whatever will be different, and runs none
of it.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend .claude/policies.rb",
    "<%= config.bin %> <%= command.id %> @me/backend .polytoken/hooks.json --dry-run --json",
    "<%= config.bin %> <%= command.id %> @me/backend plugins/guard --from arawn",
    "<%= config.bin %> <%= command.id %> @me/backend .claude/settings.json",
  ];
  static override args = {
    card: Args.string({ description: "name or folder of the source", required: true }),
    file: Args.string({ description: "file of policies, or a folder that holds it", required: true }),
  };
  static override flags = {
    from: Flags.string({ options: [...IMPORT_NAMES], description: "The other system, if the file doesn't say which." }),
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(SourceImport);
    const { from, "dry-run": dryRun } = flags;
    const report = await importPolicies(host, args.card, { file: args.file, from, dryRun });
    return {
      json: report,
      print: ({ out }) => {
        out(
          `${dryRun ? "Would import" : "Imported"} ${plural(report.hooks.length, "hook")} into ${clean(report.card)}`,
        );
        for (const { name, capabilities } of report.hooks) out(`  ${[name, ...capabilities].join(" ")}`);
        // What guards nothing comes first: among the differences it would be overlooked.
        printAll(
          out,
          "Left out:",
          report.differences.filter(({ hook }) => hook === null),
        );
        printAll(out, "What differs:", ofEach(report));
      },
    };
  }
}

/** A difference that every hook shares is listed once, and last. */
function ofEach({ hooks, differences }: ImportReport): Line[] {
  const ofHooks = differences.filter(({ hook }) => hook !== null);
  const hooksWith = new Map<string, Set<string | null>>();
  for (const { hook, what } of ofHooks) hooksWith.set(what, (hooksWith.get(what) ?? new Set()).add(hook));
  const isShared = ({ what }: Line): boolean => hooks.length > 1 && hooksWith.get(what)?.size === hooks.length;
  const shared = [...new Set(ofHooks.filter(isShared).map(({ what }) => what))];
  return [...ofHooks.filter((one) => !isShared(one)), ...shared.map((what) => ({ policy: null, line: 1, what }))];
}

function printAll(out: (line: string) => void, title: string, lines: readonly Line[]): void {
  if (lines.length > 0) out(title);
  for (const { policy, line, what } of lines) {
    out(`  ${policy === null ? "every hook" : `line ${line}, ${clean(policy)}`}: ${clean(what, 1000)}`);
  }
}
