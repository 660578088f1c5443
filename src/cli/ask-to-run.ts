import { Problem } from "../kernel/problem.ts";
import { clean } from "../kernel/text.ts";
import { type CardUnderTest, reservationOf } from "../operations/author/test-card.ts";
import type { Host } from "./command.ts";
import { askYes } from "./terminal/prompt.ts";

interface Asking {
  host: Host;
  /** Nobody is asked: the answer is one document. */
  isQuiet: boolean;
  /** The command that runs the code without asking. */
  command: string;
}

/**
 * Whether a card's code may run with the capabilities that it declares. If nobody approved the card, its code runs only
 * after a yes, and without one this throws a problem.
 */
export async function askToRun(card: CardUnderTest, { host, isQuiet, command }: Asking): Promise<boolean> {
  const reservation = reservationOf(card);
  const { name, version } = card.manifest;
  const canAsk = host.isAtTerminal === true && !isQuiet;
  if (reservation === null || (reservation === "needs-capabilities" && !canAsk)) return false;
  if (!canAsk) {
    throw new Problem(
      "DRWN_CONSENT_NEEDED",
      `this would run the code of ${name}@${version}, which nobody approved here`,
      {
        hint: command,
      },
    );
  }
  const what = reservation === "unapproved" ? "which nobody approved here, without any capability" : "as it declares";
  const isYes = await askYes(`Run the code of ${clean(name)}@${clean(version)}, ${what}?`, {
    flag: "",
    command,
    doing: "to run it",
  });
  if (isYes || reservation === "needs-capabilities") return isYes;
  throw new Problem("DRWN_CONSENT_DECLINED", `no code of ${name}@${version} was run`, { hint: command });
}
