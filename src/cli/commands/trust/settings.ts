import * as Flags from "@oclif/core/flags";
import { setConsentSettings, showConsentSettings } from "../../../operations/machine/consents.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";

export default class TrustSettings extends DrwnCommand {
  static override hidden = true;
  static override description = `Show or change how this machine takes consents.

The settings hold for all your projects, and are in config.json below DRWN_HOME; no project can change them. Without a flag,
only shows them. Only a person may change them.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --ancestry --terminal",
    "<%= config.bin %> <%= command.id %> --release-age 168",
  ];
  static override flags = {
    ancestry: Flags.boolean({
      allowNo: true,
      description: "Also look for an agent among the programs that started a command for people. Off by default.",
    }),
    terminal: Flags.boolean({
      allowNo: true,
      description: "Let commands for people work only at a terminal. Off by default.",
    }),
    "release-age": Flags.integer({
      min: 0,
      max: 8_760,
      helpValue: "HOURS",
      description:
        "How long this machine must have known a version from elsewhere before it joins a consent by itself. 72 by default.",
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(TrustSettings);
    const { ancestry, terminal, "release-age": releaseAgeHours } = flags;
    const isChange = [ancestry, terminal, releaseAgeHours].some((value) => value !== undefined);
    const settings = isChange
      ? await setConsentSettings(host, { ancestry, terminal, releaseAgeHours })
      : showConsentSettings(host);
    return {
      json: settings,
      print: ({ out }) => {
        out(
          `ancestry     ${settings.ancestry ? "on: an" : "off: no"} agent is looked for among the programs that started a command`,
        );
        out(`terminal     ${settings.terminal ? "on: a consent needs" : "off: a consent doesn't need"} a terminal`);
        out(`release age  ${settings.releaseAgeHours} hours until a version from elsewhere joins by itself`);
      },
    };
  }
}
