import * as Args from "@oclif/core/args";
import type { Host } from "../../../kernel/host.ts";
import { clean, plural } from "../../../kernel/text.ts";
import { type LoggedConsents, readConsentHistory } from "../../../operations/consents.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { EXIT } from "../../exit.ts";
import { renderTable } from "../../render/table.ts";

export default class TrustLog extends DrwnCommand {
  static override description = `Show every change of consent in this project: when, what, and on whose word.

Changes of how this machine takes consents (drwn trust settings, drwn key trust --consents) hold for every project, and are shown with them.

Lines are only ever added, and each names the one before it: one that was edited or taken out is reported, and the exit code
is 3. A log whose end was cut off looks like a shorter one.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> @me/backend --json",
  ];
  static override args = { name: Args.string({ description: "@scope/name" }) };

  protected async answer(host: Host): Promise<Answer> {
    const { args } = await this.parse(TrustLog);
    const history = readConsentHistory(host, args.name);
    const { events, broken, machine } = history;
    const isSound = broken.length === 0 && machine.broken.length === 0;
    return {
      json: history,
      print: ({ out, talk, style }) => {
        const rows = [...events.map(rowOfConsent), ...machine.events.map(rowOfSettings)];
        rows.sort(([one], [other]) => (one === other ? 0 : one < other ? -1 : 1));
        for (const row of renderTable(["time", "what", "of", "how", "user"], rows)) out(row);
        if (rows.length === 0) talk("No change of consent yet");
        if (broken.length > 0) talk(`${style.bad("error:")} ${describeBroken("the log", broken)}`);
        if (machine.broken.length > 0)
          talk(`${style.bad("error:")} ${describeBroken("the log of this machine's settings", machine.broken)}`);
      },
      exitCode: isSound ? EXIT.done : EXIT.found,
    };
  }
}

type Row = [time: string, what: string, of: string, how: string, user: string];

function rowOfConsent({ time, what, card, version, by, until, user }: LoggedConsents["events"][number]): Row {
  const of = `${card ?? "the project"}${version === null ? "" : `@${version}`}`;
  const how = [by === null ? "" : `by ${by}`, until === null ? "" : `until ${until}`].join(" ").trim();
  return [time, what, of, how, user];
}

function rowOfSettings({
  time,
  ancestry,
  terminal,
  releaseAgeHours,
  signers,
  user,
}: LoggedConsents["machine"]["events"][number]): Row {
  const keys = Object.entries(signers).map(([subject, { length }]) => `${subject} (${plural(length, "key")})`);
  const how = `ancestry ${ancestry ? "on" : "off"}, terminal ${terminal ? "on" : "off"}, release age ${releaseAgeHours}`;
  const whose = keys.length === 0 ? "" : `, signed consents to ${clean(keys.join(", "), 400)}`;
  return [time, "set", "this machine", `${how}${whose}`, user];
}

function describeBroken(which: string, lines: readonly number[]): string {
  return `${plural(lines.length, "line")} of ${which}: ${lines.join(", ")} do not follow from the line before`;
}
