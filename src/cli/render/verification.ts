import { clean, plural } from "../../kernel/text.ts";
import type { verifyLog } from "../../operations/diagnose/log.ts";
import type { CommandAnswer } from "../terminal/answer.ts";
import { EXIT } from "../terminal/exit.ts";

/** Later faults only follow from the first ones. */
const MOST_SHOWN = 20;

/** Whether the journal is as the hook process wrote it. */
export function answerVerification(verification: ReturnType<typeof verifyLog>): CommandAnswer {
  const { ok, calls, faults, head, isComplete } = verification;
  return {
    json: verification,
    print: ({ out, talk, style }) => {
      for (const { kind, file, line, message } of faults.slice(0, MOST_SHOWN)) {
        const place = line === null ? clean(file, 1000) : `${clean(file, 1000)}:${line}`;
        out(`${style.bad(kind)} ${place}: ${message}`);
      }
      if (faults.length > MOST_SHOWN) out(`… and ${faults.length - MOST_SHOWN} more`);
      if (ok) out(style.good(`${plural(calls, "call")}, as written`));
      if (!isComplete) talk("Older calls were removed when the journal was put aside");
      if (head !== null) out(`head ${head}`);
    },
    exitCode: ok ? EXIT.done : EXIT.found,
  };
}
