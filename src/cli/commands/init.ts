import * as Flags from "@oclif/core/flags";
import { clean, plural } from "../../kernel/text.ts";
import { type InitResult, initProject, isProjectFolder, mayAskPerson } from "../../operations/project/init.ts";
import { installCards } from "../../operations/project/install.ts";
import { listCards } from "../../operations/project/list.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";
import { renderGuarding } from "../render/guarding.ts";
import { writeToJson } from "../render/write.ts";
import { describeFound, STARTERS, setUp } from "../set-up.ts";
import { requestsWaiting } from "../trust-waiting.ts";

export default class Init extends DrwnCommand {
  static override description = `Make the current folder a drwn project, and at a terminal set up its guards.

Creates .agents/drwn/config.json and .agents/drwn/card.lock; commit both. \`drwn write\` guards
the agents of each machine that it finds, by their folders and by their programs on PATH.

At a terminal it goes on until the folder is guarded: it offers the cards of your registries, shows the review of each, asks
for your consent, and writes. In a project that has cards, such as a fresh clone, it takes those instead; it asks you before a
registry that the project names becomes one of yours. You can stop at any step, and start it again. Without a terminal --yes does the same with the catalogue's own guards.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --yes"];
  static override flags = {
    yes: Flags.boolean({
      char: "y",
      description: `Ask nothing: take ${STARTERS.join(", ")}, or the cards that the project has, and consent to those of drwn's own.`,
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Init);
    const isProject = isProjectFolder(host);
    const setting = { isProject, yes: flags.yes, isVerbose: this.isVerbose() };
    if (flags.yes && this.wantsJson()) {
      const { talk, ...console } = this.consoleOf(host);
      const written = await setUp(host, { ...console, talk, out: talk }, setting);
      return { json: writeToJson(written), print: () => {} };
    }
    if (!this.wantsJson() && (flags.yes || mayAskPerson(host))) {
      return {
        json: null,
        print: async (console) => {
          await setUp(host, console, setting);
        },
      };
    }
    return isProject ? answerProject(host) : answerMade(initProject(host));
  }
}

const FIRST_CARDS = ["Next: drwn init --yes", `That takes ${STARTERS.join(", ")}. To choose: drwn add <card>`];

function answerMade(made: InitResult): CommandAnswer {
  return {
    json: made,
    print: ({ out }) => {
      out(`Made ${clean(made.root)} a drwn project`);
      out(describeFound(made));
      for (const line of FIRST_CARDS) out(line);
    },
  };
}

/** A clone, where nobody can be asked: everything but the consents. */
async function answerProject(host: Host): Promise<CommandAnswer> {
  const { cards } = await installCards(host, { frozen: false });
  const { root, guarding } = listCards(host);
  const waiting = requestsWaiting(host).map(({ card }) => card);
  return {
    json: { root, created: [], cards, waiting },
    print: (console) => {
      const { out } = console;
      for (const line of renderGuarding(guarding, console)) out(line);
      out(`${clean(root)} is a drwn project already, with ${plural(cards.length, "card")}`);
      if (cards.length === 0) for (const line of FIRST_CARDS) out(line);
      else if (waiting.length > 0) out("Next: drwn trust");
      else if (!guarding.ok) out("Next: drwn write");
    },
  };
}
