import * as Args from "@oclif/core/args";
import { clean, plural } from "../../../../kernel/text.ts";
import { doctorSource } from "../../../../operations/author/inspect-source.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../../command.ts";
import { renderHook } from "../../../render/hook.ts";
import { renderFinding } from "../../../render/problem.ts";
import { EXIT } from "../../../terminal/console.ts";

export default class SourceDoctor extends DrwnCommand {
  static override completes = { card: "source" } as const;
  static override description = `Check a card source: compile and index its hooks, and say what is wrong.

Compiles each policy, and loads it once in a locked-down process of its own, to learn what it is. If nothing is wrong, writes the
index to hooks/index.json; commit it. Exits with 3 if something keeps the card from being published. Warnings don't: they name what
drwn packs although you surely don't mean it, such as a matcher for a tool that no agent has, or a decision that doesn't exist.

It doesn't check types: \`tsc -p .\` in the folder does.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> . --json",
  ];
  static override args = { card: Args.string({ description: "name or folder of the source", default: "." }) };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(SourceDoctor);
    const report = await doctorSource(host, args.card);
    return {
      json: report,
      print: (console) => {
        const { out, style } = console;
        for (const one of report.findings) for (const line of renderFinding(one, console, { isCoded: true })) out(line);
        for (const hook of report.hooks) out(renderHook(hook));
        out(
          !report.ok
            ? plural(report.findings.length, "finding")
            : report.findings.length === 0
              ? style.good(`${clean(report.card)} is ready to publish`)
              : `${clean(report.card)} can be published, with ${plural(report.findings.length, "warning")}`,
        );
      },
      exitCode: report.ok ? EXIT.done : EXIT.found,
    };
  }
}
