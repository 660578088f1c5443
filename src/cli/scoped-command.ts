import * as Flags from "@oclif/core/flags";
import type { CommandError } from "@oclif/core/interfaces";
import { adviseForEveryFolder, forEveryFolder, type WideScope } from "../kernel/every-folder.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { shellQuote } from "../kernel/text.ts";
import { systemHost } from "../operations/machine/system-host.ts";
import { DrwnCommand, type Host } from "./command.ts";
import type { Console } from "./terminal/console.ts";

/** A command about a project, or with `--global` about every folder of its user. */
export abstract class ScopedCommand extends DrwnCommand {
  static override baseFlags = {
    ...DrwnCommand.baseFlags,
    global: Flags.boolean({
      char: "g",
      description: "What holds in every folder of yours, inside and outside of projects, instead of this project.",
    }),
  };

  protected wide: WideScope | undefined;

  protected override async hostOf(host: Host): Promise<Host> {
    const { flags } = await this.parse(this.ctor);
    if (flags["global"] !== true) return host;
    this.wide = "global";
    return { ...host, isAtTerminal: host.isAtTerminal === true, scope: "global" };
  }

  /** The commands that it advises have the same scope. */
  protected override consoleOf(host: Host): Console {
    const console = super.consoleOf(host);
    const { wide } = this;
    if (wide === undefined) return console;
    return {
      style: console.style,
      columns: console.columns,
      room: console.room,
      isRead: console.isRead,
      raw: console.raw,
      exact: console,
      out: (line = "") => console.out(forEveryFolder(line, wide)),
      talk: (line = "") => console.talk(forEveryFolder(line, wide)),
      json: (value) => console.json(adviseForEveryFolder(value, wide)),
    };
  }

  protected override async catch(error: CommandError): Promise<void> {
    const { wide } = this;
    await super.catch(wide !== undefined && isProblem(error) ? (advised(error, wide) as CommandError) : error);
  }
}

/** The same, or with `--system` about every user of the machine. */
export abstract class SystemCommand extends ScopedCommand {
  static override baseFlags = {
    ...ScopedCommand.baseFlags,
    system: Flags.boolean({
      exclusive: ["global"],
      description: "What holds for every user of this machine, instead of this project; only root changes it.",
    }),
  };

  /** Whether it changes nothing when given these flags. */
  protected isReader(flags: Readonly<Record<string, unknown>>): boolean {
    return flags["dry-run"] === true || flags["check"] === true;
  }

  protected override async hostOf(host: Host): Promise<Host> {
    const { flags } = await this.parse(this.ctor);
    if (flags["system"] !== true) return super.hostOf(host);
    const node: unknown = flags["node"];
    const isReader = this.isReader(flags);
    const words = this.argv.filter((word) => word !== "--system").map(shellQuote);
    const command = ["drwn", ...(this.id ?? "").split(":"), "--system", ...words].join(" ");
    this.wide = "system";
    return systemHost(host, { isReader, command, node: typeof node === "string" ? node : undefined });
  }
}

function advised({ code, message, hint, details, cause }: Problem, wide: WideScope): Problem {
  return new Problem(code, forEveryFolder(message, wide), {
    ...(hint === undefined ? {} : { hint: forEveryFolder(hint, wide) }),
    details: details.map((line) => forEveryFolder(line, wide)),
    cause,
  });
}
