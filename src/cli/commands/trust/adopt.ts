import * as Flags from "@oclif/core/flags";
import { Problem } from "../../../kernel/problem.ts";
import { clean } from "../../../kernel/text.ts";
import { adoptFormerProject, reviewAdoption } from "../../../operations/project/adopt.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { makeConsole } from "../../terminal/console.ts";
import { askYes } from "../../terminal/prompt.ts";

export default class TrustAdopt extends DrwnCommand {
  static override hidden = true;
  static override description = `Take over the consents of a project folder that was moved.

drwn recognises a moved folder by its inode. Until you answer, every tool call in it is blocked.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --forget"];
  static override flags = {
    yes: Flags.boolean({ char: "y", description: "Take them over without being asked.", exclusive: ["forget"] }),
    forget: Flags.boolean({ description: "Leave the consents where they are, and don't ask again." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(TrustAdopt);
    const { talk } = makeConsole(host.env);
    const offered = reviewAdoption(host);
    for (const { card, version, range } of offered?.cards ?? []) {
      talk(`  ${clean(card)} ${clean(version ?? "")}, consented to in the range ${clean(range)}`);
    }
    const isTaken = !flags.forget && (offered === undefined || flags.yes || (await ask(offered.from)));
    if (!isTaken && !flags.forget) {
      throw new Problem("DRWN_CONSENT_DECLINED", "nothing was taken over", { hint: "drwn trust adopt --forget" });
    }
    const adopted = await adoptFormerProject(host, isTaken ? "take" : "forget");
    return {
      json: { ...adopted, taken: isTaken },
      print: ({ out }) => {
        out(
          isTaken
            ? `Took over the consents of ${clean(adopted.from, 2_000)}`
            : `Left the consents of ${clean(adopted.from, 2_000)} alone`,
        );
        if (isTaken) out("Every tool call here stays blocked until you write. Next: drwn write");
      },
    };
  }
}

function ask(from: string): Promise<boolean> {
  const command = "drwn trust adopt";
  return askYes(`This folder was ${clean(from, 2_000)}. Take over its consents?`, { flag: "--yes", command });
}
