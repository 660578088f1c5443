import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { listConsents, readConsentHistory, showConsent } from "../../operations/machine/consents.ts";
import { exportConsents } from "../../operations/machine/portable-consents.ts";
import { type CommandAnswer, type Host, ScopedCommand } from "../command.ts";
import { answerConsent, answerConsentLog, answerConsents } from "../render/consents.ts";

export default class Trust extends ScopedCommand {
  static override completes = { name: "installed-card" } as const;
  static override description = `Show what you consented to in this project, and what it still asks for.

Consents are recorded on this machine. Only you can grant what the project's committed trust.json asks for. For one card, shows
everything that is recorded: the terms, the facts that a later version must not exceed, and each content that was approved,
on whose word.

--log shows every change of consent: when, what, and on whose word. It also shows each change of how this machine takes consents,
which holds for every project. Lines are only ever added, and each names the one before it: a line that was edited or removed is
reported, and the exit code is 3. A log whose end was cut off looks like a shorter one.

--export prints the consents in force here, for \`drwn trust accept\` on another machine. They name exact contents.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> @me/backend --log",
    "<%= config.bin %> <%= command.id %> --export > trust.json",
  ];
  static override args = { name: Args.string({ description: "@scope/name: only this card" }) };
  static override flags = {
    log: Flags.boolean({ description: "Show every change of consent." }),
    export: Flags.boolean({ description: "Print the consents for another machine.", exclusive: ["log", "global"] }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(Trust);
    if (flags.log) return answerConsentLog(readConsentHistory(host, args.name));
    if (!flags.export) {
      return args.name === undefined
        ? answerConsents(listConsents(host), host)
        : answerConsent(showConsent(host, args.name));
    }
    if (args.name !== undefined) this.error("--export is about all consents of the project");
    return answerExport(host);
  }
}

function answerExport(host: Host): CommandAnswer {
  const { text } = exportConsents(host);
  return { json: JSON.parse(text), print: ({ raw }) => raw(text.trimEnd()) };
}
