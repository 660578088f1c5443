import * as Flags from "@oclif/core/flags";
import { shellQuote } from "../kernel/text.ts";
import { managedHost } from "../operations/machine/managed-host.ts";
import { DrwnCommand, type Host } from "./command.ts";

/** A command about a project, or with `--global` about every folder of its user. */
export abstract class ScopedCommand extends DrwnCommand {
  static override baseFlags = {
    ...DrwnCommand.baseFlags,
    global: Flags.boolean({
      char: "g",
      description: "What holds in every folder of yours, inside and outside of projects, instead of this project.",
    }),
  };

  protected override async hostOf(host: Host): Promise<Host> {
    const { flags } = await this.parse(this.ctor);
    if (flags["global"] !== true) return host;
    this.scope = "global";
    return { ...host, isAtTerminal: host.isAtTerminal === true, scope: "global" };
  }
}

/** The same, or with `--system` about every user of the machine. */
export abstract class ManagedCommand extends ScopedCommand {
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
    this.scope = "system";
    return managedHost(host, { isReader, command, node: typeof node === "string" ? node : undefined });
  }
}
