import * as Args from "@oclif/core/args";
import { clean } from "../../kernel/text.ts";
import {
  listPreferences,
  type ShownPreference,
  setPreference,
  showPreference,
  unsetPreference,
} from "../../operations/preferences.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";

const ACTIONS = ["list", "get", "set", "unset"] as const;

export default class Config extends DrwnCommand {
  static override completes = { key: "preference", value: "preference-value" } as const;
  static override hidden = true;
  static override description =
    `Show or change how drwn works for you: questions in lines, and what commands do by default.

They are yours, on this machine, in preferences.json below DRWN_HOME. None of them decides what runs or what you have consented
to: that is \`drwn trust settings\`. \`unset\` without a key takes all of them back. Only a person may change them.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> set update.wait 3",
    "<%= config.bin %> <%= command.id %> get update.wait",
    "<%= config.bin %> <%= command.id %> unset update.wait",
  ];
  static override args = {
    action: Args.string({ description: "What to do.", options: [...ACTIONS], default: "list" }),
    key: Args.string({ description: "Which preference." }),
    value: Args.string({ description: "What it should be." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(Config);
    const { action, key, value } = args;
    if (action === "list" && key === undefined) return answerList(listPreferences(host));
    if (action === "unset" && value === undefined) return answerUnset(host, key);
    if (action === "get" && key !== undefined && value === undefined) return answerOne(showPreference(host, key));
    if (action === "set" && key !== undefined && value !== undefined) return answerOne(setPreference(host, key, value));
    this.error(USAGE);
  }
}

const USAGE = "expected: list, get KEY, set KEY VALUE, unset KEY, or unset for all of them";

function answerList(preferences: readonly ShownPreference[]): CommandAnswer {
  const width = Math.max(...preferences.map(({ key }) => key.length));
  return {
    json: { preferences },
    print: ({ out, style }) => {
      for (const { key, value, isSet, about } of preferences) {
        const shown = clean(String(value), 500);
        out(`${key.padEnd(width)}  ${isSet ? style.bold(shown) : style.dim(`${shown} (by default)`)}: ${about}`);
      }
    },
  };
}

function answerOne(preference: ShownPreference): CommandAnswer {
  return { json: preference, print: ({ raw }) => raw(clean(String(preference.value), 500)) };
}

function answerUnset(host: Host, key: string | undefined): CommandAnswer {
  unsetPreference(host, key);
  const what = key === undefined ? "All preferences are" : `${clean(key, 80)} is`;
  return { json: { unset: key ?? null }, print: ({ out }) => out(`${what} back to the default`) };
}
