import { clean, plural } from "../../../kernel/text.ts";
import type { LoggedConsents } from "../../../operations/machine/consents.ts";
import type { CommandAnswer } from "../../terminal/answer.ts";
import { EXIT } from "../../terminal/exit.ts";
import { renderTable } from "../table.ts";

/** Every change of consent, with those of how this machine takes consents. */
export function answerConsentLog(history: LoggedConsents): CommandAnswer {
  const { events, broken, machine } = history;
  const isSound = broken.length === 0 && machine.broken.length === 0;
  return {
    json: history,
    print: ({ out, talk, style, room }) => {
      const rows = [...events.map(rowOfConsent), ...machine.events.map(rowOfSettings)];
      rows.sort(([one], [other]) => (one === other ? 0 : one < other ? -1 : 1));
      for (const row of renderTable(["time", "what", "of", "how", "user"], rows, room)) out(row);
      if (rows.length === 0) talk("No change of consent yet");
      if (broken.length > 0) talk(`${style.bad("error:")} ${describeBroken("the log", broken)}`);
      if (machine.broken.length > 0)
        talk(`${style.bad("error:")} ${describeBroken("the log of this machine's settings", machine.broken)}`);
    },
    exitCode: isSound ? EXIT.done : EXIT.found,
  };
}

type Row = [time: string, what: string, of: string, how: string, user: string];

function rowOfConsent(event: LoggedConsents["events"][number]): Row {
  const { time, what, card, version, by, until, inForce, option, exception, user } = event;
  const of = `${card ?? "the project"}${version === null ? "" : `@${version}`}`;
  const parts = [
    option === undefined ? "" : clean(option, 400),
    exception === undefined ? "" : clean(exception, 600),
    by === null ? "" : `by ${by}`,
    until === null ? "" : `until ${until}`,
    inForce === undefined ? "" : `${inForce} stays in force`,
  ];
  const how = parts.filter(Boolean).join(" ");
  return [time, what, of, how, user];
}

function rowOfSettings({
  time,
  ancestry,
  terminal,
  releaseAgeHours,
  user,
}: LoggedConsents["machine"]["events"][number]): Row {
  const how = `ancestry ${ancestry ? "on" : "off"}, terminal ${terminal ? "on" : "off"}, release age ${releaseAgeHours}`;
  return [time, "set", "this machine", how, user];
}

function describeBroken(which: string, lines: readonly number[]): string {
  return `${plural(lines.length, "line")} of ${which}: ${lines.join(", ")} do not follow from the line before`;
}
