import * as Flags from "@oclif/core/flags";
import type { CommandError } from "@oclif/core/interfaces";
import { adviseForEveryFolder, forEveryFolder } from "../kernel/every-folder.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { DrwnCommand, type Host } from "./command.ts";
import type { Console } from "./terminal/console.ts";

/** A command about a project, or with `--global` about every folder of its user. */
export abstract class ScopedCommand extends DrwnCommand {
  static override baseFlags = {
    ...DrwnCommand.baseFlags,
    global: Flags.boolean({
      char: "g",
      description: "What holds in every folder of yours, in projects and outside of them, instead of this project.",
    }),
  };

  #isGlobal = false;

  protected override async hostOf(host: Host): Promise<Host> {
    const { flags } = await this.parse(this.ctor);
    this.#isGlobal = flags["global"] === true;
    return this.#isGlobal ? { ...host, isAtTerminal: host.isAtTerminal === true, scope: "global" } : host;
  }

  /** What it advises is about the same. */
  protected override consoleOf(host: Host): Console {
    const console = super.consoleOf(host);
    if (!this.#isGlobal) return console;
    return {
      style: console.style,
      columns: console.columns,
      isRead: console.isRead,
      isHeard: console.isHeard,
      raw: console.raw,
      out: (line = "") => console.out(forEveryFolder(line)),
      talk: (line = "") => console.talk(forEveryFolder(line)),
      json: (value) => console.json(adviseForEveryFolder(value)),
    };
  }

  protected override async catch(error: CommandError): Promise<void> {
    await super.catch(this.#isGlobal && isProblem(error) ? (advised(error) as CommandError) : error);
  }
}

function advised({ code, message, hint, details, cause }: Problem): Problem {
  return new Problem(code, message, {
    ...(hint === undefined ? {} : { hint: forEveryFolder(hint) }),
    details: details.map(forEveryFolder),
    cause,
  });
}
