import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import {
  allowCall,
  describeException,
  type ExceptionDuration,
  listAllowable,
  listExceptions,
  lookAtCall,
  removeException,
} from "../../operations/diagnose/allow.ts";
import { type LoggedCall, summarizeInput } from "../../operations/diagnose/log.ts";
import { type CommandAnswer, type Host, ScopedCommand } from "../command.ts";
import { renderWholeCall } from "../render/log.ts";
import { renderTable } from "../render/table.ts";
import { askYes, chooseOne } from "../terminal/prompt.ts";
import { localTime } from "../terminal/style.ts";

const HOW = ["once", "for", "until-session-ends", "always"] as const;
const ALLOWING: string[] = [...HOW, "like", "reason"];

export default class Allow extends ScopedCommand {
  static override description = `Let a call through that a hook was wrong to deny.

Needs a person at a terminal, who sees the whole call and says yes. It holds for that one hook, and for exactly that call: the
same tool with the same input in the same folder. Every other hook still judges it. For a guard of --global, too; outside of a project give --global. Without an id you choose among the last denials. Without a flag it lets one call through, within ten minutes. A policy that failed has
no exceptions. --list shows what is allowed in this project and how often it was used; --remove takes it back. An exception is void once the
version in force has another hook than the one it was made for.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> 1f0c2a9be774",
    '<%= config.bin %> <%= command.id %> 1f0c2a9be774 --for 15m --reason "reviewed with Ann"',
    "<%= config.bin %> <%= command.id %> 1f0c2a9be774 --always --like 'git push origin user/*'",
  ];
  static override args = {
    id: Args.string({ description: "the denied call, as `drwn log` shows it; without it, drwn offers the last ones" }),
  };
  static override flags = {
    once: Flags.boolean({
      description: "One call, within ten minutes: the default.",
      exclusive: HOW.filter((one) => one !== "once"),
    }),
    for: Flags.string({
      description: "Any number of times, for this long: 15m, 2h, 3d.",
      helpValue: "TIME",
      exclusive: HOW.filter((one) => one !== "for"),
    }),
    "until-session-ends": Flags.boolean({
      description: "In the session of the call, for a day at most.",
      exclusive: HOW.filter((one) => one !== "until-session-ends"),
    }),
    always: Flags.boolean({ description: "Until it is removed.", exclusive: HOW.filter((one) => one !== "always") }),
    like: Flags.string({
      description: "Every shell command that these words match, in that folder; a star is a part of one plain word.",
      helpValue: "WORDS",
    }),
    reason: Flags.string({ description: "Why, for the log." }),
    list: Flags.boolean({ description: "Show what is let through, and change nothing.", exclusive: ALLOWING }),
    remove: Flags.string({
      description: "Take this exception back: the hook judges such calls again from the next one on.",
      helpValue: "ID",
      exclusive: ["list", ...ALLOWING],
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(Allow);
    if (args.id !== undefined && (flags.list || flags.remove !== undefined)) this.error(ONE_THING);
    if (flags.list) return answerExceptions(host);
    if (flags.remove !== undefined) return answerRemoved(await removeException(host, flags.remove));
    const { like = null, reason = "" } = flags;
    const allowable = lookAtCall(host, { id: args.id ?? (await chooseDenied(host)), like });
    const { style, talk } = this.consoleOf(host);
    for (const line of renderWholeCall(allowable, style)) talk(line);
    const question = { flag: "", command: `drwn allow ${allowable.call.id}`, doing: "letting a call through" };
    if (!(await askYes(like === null ? "Let this call through?" : "Let such calls through?", question))) {
      throw new Problem("DRWN_CONSENT_DECLINED", "nothing was let through");
    }
    const exception = await allowCall(host, { id: allowable.call.hash, lasting: lastingOf(flags), like, reason });
    return {
      json: exception,
      print: ({ out }) => {
        out(`Allowed ${clean(describeException(exception), 1_000)}`);
        out(
          exception.expiresAt === null
            ? "It doesn't end by itself"
            : `It ends by itself at ${localTime(exception.expiresAt)}`,
        );
        out(`To take it back: drwn allow --remove ${exception.id}`);
      },
    };
  }
}

const ONE_THING = "name the call that may run, or give --list or --remove";

function answerExceptions(host: Host): CommandAnswer {
  const exceptions = listExceptions(host);
  return {
    json: { exceptions },
    print: ({ out, talk, room }) => {
      const rows = exceptions.map(({ id, card, hook, isGlobal, shown, uses, state, expiresAt, reason }) => [
        shown === null ? "one call" : clean(shown, 200),
        `${card}#${hook}${isGlobal ? ", global" : ""}`,
        `${uses}`,
        expiresAt === null || state !== "holds" ? state : `until ${localTime(expiresAt)}`,
        clean(reason, 300),
        id,
      ]);
      for (const row of renderTable(["lets through", "past", "used", "state", "why", "id"], rows, room)) out(row);
      if (rows.length === 0) talk("Nothing is let through");
    },
  };
}

function answerRemoved(exception: Awaited<ReturnType<typeof removeException>>): CommandAnswer {
  return { json: exception, print: ({ out }) => out(`Removed: ${exception.card}#${exception.hook} judges it again`) };
}

async function chooseDenied(host: Host): Promise<string> {
  const choices = listAllowable(host).map((call) => ({
    value: call.hash,
    label: `${localTime(call.time)}  ${clean(call.tool ?? "", 60)}${askedIn(call)}`,
    hint: `${clean(call.by ?? "", 200)}: ${clean(call.reason ?? "", 300)}`,
  }));
  return chooseOne("Which call may run?", choices, {
    flag: "",
    command: "drwn allow",
    doing: "letting a call through",
  });
}

function askedIn(call: LoggedCall): string {
  const asked = summarizeInput(call);
  return asked === null ? `  ${call.id}` : `: ${clean(asked, 200)}`;
}

interface LastingFlags {
  for: string | undefined;
  "until-session-ends": boolean;
  always: boolean;
}

function lastingOf(flags: LastingFlags): ExceptionDuration {
  if (flags.for !== undefined) return { for: flags.for };
  if (flags["until-session-ends"]) return "session";
  return flags.always ? "always" : "once";
}
