import { Command } from "@oclif/core/command";
import * as Flags from "@oclif/core/flags";
import type { CommandError } from "@oclif/core/interfaces";
import type { CommandScope } from "../kernel/advice.ts";
import { type Host, readEnvironment, realHost } from "../kernel/host.ts";
import { shellQuote } from "../kernel/text.ts";
import { listenToTrace, trace } from "../kernel/trace.ts";
import { requireHome } from "../project/open/check-home.ts";
import { managedHost } from "../project/open/managed-host.ts";
import type { Completes } from "./completion/complete.ts";
import { asksForJson } from "./names/names.ts";
import { reportFailure } from "./report-failure.ts";
import { type CommandAnswer, type Console, EXIT, makeConsole, makeProgress } from "./terminal/console.ts";

export type { CommandAnswer, Host };

/** What `--verbose` does. */
export const TRACE = "Say on stderr what is read, decided, started and written, without secrets";

function isAskedToTrace({ DRWN_DEBUG: asked = "" }: Host["env"]): boolean {
  return asked !== "" && asked !== "0";
}

/**
 * The shape of every command: parse, run one operation, answer. With `--json` stdout carries exactly one document, for
 * failures too.
 */
export abstract class DrwnCommand extends Command {
  static override baseFlags = {
    json: Flags.boolean({ description: "Answer with one JSON document.", helpGroup: "GLOBAL" }),
    verbose: Flags.boolean({
      description: `${TRACE}. DRWN_DEBUG=1 does the same.`,
      helpGroup: "GLOBAL",
    }),
  };

  /** What a shell offers for an argument, or for the value of a flag, by its name. */
  static completes: Readonly<Record<string, Completes>> = {};

  /**
   * False for a command that may be in an agent's settings: the agent must not get what its session's environment asks
   * for.
   */
  protected readonly heedsEnvironment: boolean = true;
  /** False for a command that answers, too, if something else is in the place of drwn's home. */
  protected readonly needsHome: boolean = true;

  /** The command's own work. */
  protected abstract answer(host: Host): Promise<CommandAnswer>;

  /** What the command is about, for the advice in a problem. */
  protected scope: CommandScope;

  /** The host that the command is about. */
  protected async hostOf(host: Host): Promise<Host> {
    return host;
  }

  protected consoleOf({ env, scope }: Host): Console {
    return makeConsole(env, scope);
  }

  override async run(): Promise<void> {
    const isTraced = this.isVerbose() || (this.heedsEnvironment && isAskedToTrace(readEnvironment()));
    const progress = makeProgress(this.wantsJson() || isTraced);
    let host = realHost(progress.show);
    const endTrace = isTraced ? listenToTrace(makeConsole(host.env).talk, host.env) : () => {};
    trace("start", () => `drwn ${this.id?.replaceAll(":", " ")}, with Node ${process.versions.node}, in ${host.cwd}`);
    try {
      host = await this.hostOf(host);
      if (this.needsHome) requireHome(host);
      const answer = await this.answer(host);
      progress.stop();
      const console = this.consoleOf(host);
      if (this.wantsJson()) console.json(answer.json);
      else await answer.print(console);
      process.exitCode = answer.exitCode ?? EXIT.done;
    } finally {
      progress.stop();
      trace(
        "ended",
        () => `drwn: ${process.exitCode === undefined ? "with a failure" : `exit status ${process.exitCode}`}`,
      );
      endTrace();
    }
  }

  /** Runs the command as oclif would. */
  async start(): Promise<void> {
    await this._run();
  }

  /** oclif looks for its deprecated commands here. drwn has none. */
  protected override async init(): Promise<void> {}

  /** Problems are rendered and end with 1; what oclif's parser refuses ends with 2; anything else is a bug of ours. */
  protected override async catch(error: CommandError): Promise<void> {
    const { flags, baseFlags } = this.constructor as typeof Command;
    const typed = { id: this.id ?? "", argv: this.argv, flags: { ...baseFlags, ...flags } };
    reportFailure(error, { json: this.wantsJson(), scope: this.scope, typed });
  }

  protected wantsJson(): boolean {
    return asksForJson(this.argv);
  }

  /** Works before the words are parsed. */
  protected isVerbose(): boolean {
    const end = this.argv.indexOf("--");
    return (end < 0 ? this.argv : this.argv.slice(0, end)).includes("--verbose");
  }
}

/** The words that aren't flags, in the order in which they were typed: oclif's own list puts equal words together. */
export function wordsIn(raw: readonly { type: "arg" | "flag"; input: string }[]): string[] {
  return raw.filter(({ type }) => type === "arg").map(({ input }) => input);
}

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
