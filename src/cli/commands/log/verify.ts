import * as Flags from "@oclif/core/flags";
import type { Host } from "../../../kernel/host.ts";
import { clean, plural } from "../../../kernel/text.ts";
import { verifyLog } from "../../../operations/log.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { EXIT } from "../../exit.ts";

/** What follows from the first faults is of no use to anybody. */
const MOST_SHOWN = 20;

export default class LogVerify extends DrwnCommand {
  static override description = `Find out whether the journal is as the hook process wrote it.

Finds lines that were edited, removed, added or moved, and an end that was cut off. Whoever can write in your name can also
write the whole journal again: note the head that is printed in another place, and name it with \`--expect\` next time. Exits
with 3 if anything is found.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --expect 1f0c2a9be774",
  ];
  static override flags = {
    expect: Flags.string({ description: "A head that was printed before must still be there.", helpValue: "HASH" }),
  };

  protected async answer(host: Host): Promise<Answer> {
    const { flags } = await this.parse(LogVerify);
    const verification = verifyLog(host, flags.expect);
    const { ok, calls, faults, head, unsealed, isComplete } = verification;
    return {
      json: verification,
      print: ({ out, talk, style }) => {
        for (const { kind, file, line, message } of faults.slice(0, MOST_SHOWN)) {
          const place = line === null ? clean(file, 1000) : `${clean(file, 1000)}:${line}`;
          out(`${style.bad(kind)} ${place}: ${message}`);
        }
        if (faults.length > MOST_SHOWN) out(`… and ${faults.length - MOST_SHOWN} more`);
        if (ok) out(style.good(`${plural(calls, "call")}, as written`));
        if (unsealed > 0)
          talk(`${plural(unsealed, "call")} without a seal: the process was ended before it had set it`);
        if (!isComplete) talk("Older calls were removed when the journal was put aside");
        if (head !== null) out(`head ${head}`);
      },
      exitCode: ok ? EXIT.done : EXIT.found,
    };
  }
}
