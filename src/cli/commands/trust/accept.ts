import path from "node:path";
import * as Flags from "@oclif/core/flags";
import { clean } from "../../../kernel/text.ts";
import { findRequestedHere } from "../../../operations/machine/consents.ts";
import { type AcceptResult, acceptTrustFile } from "../../../operations/machine/portable-consents.ts";
import { listCards } from "../../../operations/project/list.ts";
import { reviewAndGrant } from "../../ask-to-consent.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderGuarding } from "../../render/guarding.ts";
import { type Console, makeConsole } from "../../terminal/console.ts";

export default class TrustAccept extends DrwnCommand {
  static override description = `Review what this project asks you to consent to, and consent.

The requests are those of the committed trust.json: a repository can ask, but grants nothing. Your yes also covers the values of hooks'
options that it asks for, as the review shows them. On machines without a person, consents come from a file outside the project, which
names exact contents, as \`drwn card trust --digest\` does: drwn refuses anything that differs.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --trust-file /etc/drwn/trust.json",
  ];
  static override flags = {
    yes: Flags.boolean({
      char: "y",
      description: "Consent without being asked; the reviews are printed all the same.",
    }),
    "trust-file": Flags.string({
      description: "Consents as `drwn trust --export` printed them, in a file outside the project.",
      helpValue: "FILE",
      exclusive: ["yes"],
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(TrustAccept);
    const file = flags["trust-file"];
    if (file !== undefined) return answerAccepted(host, await acceptTrustFile(host, path.resolve(host.cwd, file)));
    const asked = findRequestedHere(host);
    const requests = asked
      .filter(({ isInstalled }) => isInstalled)
      .map(({ card, range }) => ({ card, range, takesAskedOptions: true }));
    const asking = { yes: flags.yes, diff: false, isVerbose: this.isVerbose(), console: makeConsole(host.env) };
    const cards = requests.length === 0 ? [] : await reviewAndGrant(host, requests, asking);
    const missing = asked.filter(({ isInstalled }) => !isInstalled).map(({ card }) => card);
    return {
      json: { cards, missing },
      print: (console) => {
        const { out, talk } = console;
        for (const { card, range } of cards)
          out(`Consented to the hook policies of ${clean(card)} in the range ${clean(range)}`);
        for (const card of missing) talk(`${clean(card)} is asked for, and is not in card.lock`);
        if (cards.length === 0) out("You have granted everything that is asked for");
        else printState(host, console);
      },
    };
  }
}

const WHY: Readonly<Record<AcceptResult["passedOver"][number]["why"], string>> = {
  "not-installed": "is not in card.lock",
  "consented-before": "was consented to before",
  "goes-back": "is earlier than the version that is in force here, which stays",
  "withdrawn-here": "was withdrawn on this machine, and stays so",
};

/** Whether a yes put guards in force, and what is still to be done. */
function printState(host: Host, console: Console): void {
  for (const line of renderGuarding(listCards(host).guarding, console)) console.out(line);
  console.out("Next: drwn write");
}

function answerAccepted(host: Host, result: AcceptResult): CommandAnswer {
  const { accepted, passedOver } = result;
  return {
    json: result,
    print: (console) => {
      const { out, talk } = console;
      for (const { card, version } of accepted)
        out(`Consented to the hook policies of ${clean(card)}@${clean(version)}`);
      for (const { card, why } of passedOver) talk(`${clean(card)} ${WHY[why]}`);
      if (accepted.length === 0) out("Nothing changed");
      else printState(host, console);
    },
  };
}
