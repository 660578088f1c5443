import * as Flags from "@oclif/core/flags";
import type { Diagnosis } from "../../check/doctor/diagnosis.ts";
import { type CommandScope, drwn, sayIn } from "../../kernel/advice.ts";
import { clean, plural } from "../../kernel/text.ts";
import { diagnoseBoth, inspectHooker } from "../../operations/diagnose/diagnose.ts";
import { readLost } from "../../operations/machine/lost-home.ts";
import { isWaiting } from "../../operations/project/write.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { answerLost } from "../lost-home.ts";
import { renderGuarding, renderHooker } from "../render/guarding.ts";
import { isLimit, renderFinding } from "../render/problem.ts";
import { type Console, EXIT } from "../terminal/console.ts";

export default class Doctor extends ManagedCommand {
  static override aliases = ["check"];
  protected override isReader(): boolean {
    return true;
  }
  static override description = `Say what is not applied, and why. Changes nothing.

Works out again what \`drwn write\` would do, reads the agent's settings as the agent does, and runs the exact hook command
with an event that no policy sees. Exits with 3 if any finding is an error.

--hooker checks hooker's .claude/policies.rb instead, in this folder and those above: which files and policies do nothing, where a regular
expression may mean something other than its author thought, and which programs the policies start. It runs none of them, and exits with 3
if a file or a policy does nothing.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --json"];
  static override flags = {
    strict: Flags.boolean({
      default: false,
      description: "Exit with 3 also if hook policies or skills of an installed card wait for a decision.",
    }),
    hooker: Flags.boolean({
      description: "Check hooker's policies.rb files instead.",
      exclusive: ["strict", "global", "system"],
    }),
  };

  protected override readonly needsHome = false;

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Doctor);
    if (flags.hooker) {
      const report = inspectHooker(host);
      return {
        json: report,
        exitCode: report.ok ? EXIT.done : EXIT.found,
        print: (console) => renderHooker(report, console),
      };
    }
    const lost = readLost(host);
    if (lost !== undefined) return answerLost(lost, EXIT.found);
    const diagnosis = await diagnoseBoth(host);
    return {
      json: diagnosis,
      print: (console) => {
        const { out, style } = console;
        const owned = this.isVerbose() ? undefined : host.drwnHome;
        printDiagnosis(diagnosis, console, owned);
        if (diagnosis.global === null) return;
        out();
        out(style.bold("In every folder:"));
        printDiagnosis(diagnosis.global, console, owned);
      },
      exitCode:
        diagnosis.ok &&
        !(
          flags.strict &&
          [diagnosis, diagnosis.global].some(
            (one) => one !== null && (one.hookIssues.length > 0 || one.findings.some(isWaiting)),
          )
        )
          ? EXIT.done
          : EXIT.found,
    };
  }
}

/** `owned`: the folder of files that drwn alone writes, and that nobody needs to know one by one. */
function printDiagnosis(diagnosis: Diagnosis, console: Console, owned: string | undefined): void {
  const { out, style, scope } = console;
  const { guarding } = diagnosis;
  const findings = owned === undefined ? diagnosis.findings : foldOwned(diagnosis.findings, owned, scope);
  const faults = findings.filter((one) => !isLimit(one));
  for (const line of guarding === null ? [] : renderGuarding(guarding, console)) out(line);
  for (const one of faults) for (const line of renderFinding(one, console, { isCoded: true })) out(line);
  if (guarding?.notAsked !== undefined)
    out(style.dim(`Not asked what they load: ${guarding.notAsked.map((one) => clean(one)).join(", ")}`));
  for (const one of findings.filter(isLimit)) for (const line of renderFinding(one, console)) out(line);
  if (faults.length === 0) out(style.good("Everything that was asked for is in force"));
  else out(plural(faults.length, "finding"));
}

/** Several files of drwn's own that one `write` fixes, as one finding. */
function foldOwned(findings: Diagnosis["findings"], owned: string, scope: CommandScope): Diagnosis["findings"] {
  const isOwned = ({ code, subject }: Diagnosis["findings"][number]): boolean =>
    code === "not-written" && subject.startsWith(`${owned}/`);
  const folded = findings.filter(isOwned);
  const [first] = folded;
  if (first === undefined || folded.length === 1) return findings;
  const severity = folded.find((one) => one.severity === "error")?.severity ?? first.severity;
  const message = `${folded.length} of them, which --verbose names, are not as \`${sayIn(scope, drwn("write"))}\` would have them`;
  return findings.flatMap((one) =>
    one === first ? [{ ...first, severity, subject: "drwn's own files", message }] : isOwned(one) ? [] : [one],
  );
}
