import type { Host } from "../../kernel/host.ts";
import { clean, plural } from "../../kernel/text.ts";
import { diagnoseProject } from "../../operations/diagnose.ts";
import { type Answer, DrwnCommand } from "../command.ts";
import { EXIT } from "../exit.ts";
import { describeLeak } from "../render/hook.ts";
import { describeLoss } from "../render/write.ts";

export default class Doctor extends DrwnCommand {
  static override description = `Say what is not applied, and why. Changes nothing.

Works out again what \`drwn write\` would do, reads the agent's settings as the agent does, and runs the exact hook command
with an event that no policy sees. Exits with 3 if any finding is an error.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --json"];

  protected async answer(host: Host): Promise<Answer> {
    await this.parse(Doctor);
    const diagnosis = await diagnoseProject(host);
    return {
      json: diagnosis,
      print: ({ out, style }) => {
        for (const { severity, code, subject, message, hint } of diagnosis.findings) {
          const mark = severity === "error" ? style.bad("error") : style.warn("warning");
          out(`${mark} ${clean(subject, 1000)}: ${clean(message, 2000)} ${style.dim(`[${code}]`)}`);
          if (hint !== null) out(`  hint: ${clean(hint, 1000)}`);
        }
        for (const loss of diagnosis.losses) out(describeLoss(loss));
        for (const { card, hook, leaks } of diagnosis.leaks) {
          for (const leak of leaks) out(`${clean(card)}#${clean(hook)}: ${describeLeak(leak)}`);
        }
        if (diagnosis.findings.length === 0) out(style.good("Everything that was asked for is in force"));
        else out(plural(diagnosis.findings.length, "finding"));
      },
      exitCode: diagnosis.ok ? EXIT.done : EXIT.found,
    };
  }
}
