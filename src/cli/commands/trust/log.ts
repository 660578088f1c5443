import * as Args from "@oclif/core/args";
import type { Host } from "../../../kernel/host.ts";
import { plural } from "../../../kernel/text.ts";
import { readConsentHistory } from "../../../operations/consents.ts";
import { type Answer, DrwnCommand } from "../../command.ts";
import { EXIT } from "../../exit.ts";
import { renderTable } from "../../render/table.ts";

export default class TrustLog extends DrwnCommand {
  static override description = `Show every change of consent in this project: when, what, and on whose word.

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
    const { events, broken } = history;
    return {
      json: history,
      print: ({ out, talk, style }) => {
        const rows = events.map(({ time, what, card, version, by, until, user }) => [
          time,
          what,
          `${card ?? "the project"}${version === null ? "" : `@${version}`}`,
          [by === null ? "" : `by ${by}`, until === null ? "" : `until ${until}`].join(" ").trim(),
          user,
        ]);
        for (const row of renderTable(["time", "what", "of", "how", "user"], rows)) out(row);
        if (events.length === 0) talk("No change of consent yet");
        if (broken.length === 0) return;
        talk(
          `${style.bad("error:")} ${plural(broken.length, "line")} of the log: ${broken.join(", ")} do not follow from the line before`,
        );
      },
      exitCode: broken.length === 0 ? EXIT.done : EXIT.found,
    };
  }
}
