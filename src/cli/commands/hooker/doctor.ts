import { clean, plural } from "../../../kernel/text.ts";
import { inspectHooker } from "../../../operations/diagnose/inspect-hooker.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { EXIT } from "../../terminal/exit.ts";

export default class HookerDoctor extends DrwnCommand {
  static override hidden = true;
  static override met = "For people who use hooker.";
  static override description = `Check every .claude/policies.rb that an event from this folder would meet.

Says which files and policies have no effect, where a regular expression may mean something other than its author thought,
and which programs the policies start. Runs none of it. Exits with 3 if something has no effect.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --json"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    await this.parse(HookerDoctor);
    const report = inspectHooker(host);
    return {
      json: report,
      exitCode: report.ok ? EXIT.done : EXIT.found,
      print: ({ out, style }) => {
        if (report.files.length === 0) out("There is no .claude/policies.rb here or above.");
        for (const { path, error, policies, findings, programs } of report.files) {
          out(
            `${clean(path, 2000)}: ${error === null ? plural(policies, "policy", "policies") : style.bad(clean(error))}`,
          );
          for (const { policy, line, level, what } of findings) {
            out(
              `  ${level === "error" ? style.bad(level) : style.warn(level)} line ${line}, ${clean(policy)}: ${clean(what)}`,
            );
          }
          for (const program of programs) out(`  starts ${clean(program)}`);
        }
        out(`To run them instead of hooker: ${clean(report.command, 4000)}`);
      },
    };
  }
}
