import { Command } from "@oclif/core/command";
import * as Errors from "@oclif/core/errors";
import * as Flags from "@oclif/core/flags";
import type { CommandError } from "@oclif/core/interfaces";
import { type Host, readEnvironment, realHost } from "../kernel/host.ts";
import { isProblem } from "../kernel/problem.ts";
import { asRefusal } from "../kernel/refusal.ts";
import { cleanLines } from "../kernel/text.ts";
import { type Console, makeConsole, makeProgress } from "./console.ts";
import { EXIT } from "./exit.ts";
import { problemToJson, renderProblem } from "./render/problem.ts";

/** What a command answers: the value for `--json`, the lines for a person, and how it ended. */
export interface Answer {
  json: unknown;
  /** Prints the answer for a person; what comes bit by bit, as it comes. */
  print(console: Console): void | Promise<void>;
  /** One of EXIT; `done` when absent. */
  exitCode?: number;
}

/**
 * The shape of every command: parse, run one operation, answer. With `--json` stdout carries exactly one document, for
 * failures too.
 */
export abstract class DrwnCommand extends Command {
  static override baseFlags = {
    json: Flags.boolean({ description: "Answer with one JSON document.", helpGroup: "GLOBAL" }),
  };

  /** The command's own work. */
  protected abstract answer(host: Host): Promise<Answer>;

  override async run(): Promise<void> {
    const progress = makeProgress(this.wantsJson());
    const host = realHost(progress.show);
    try {
      const answer = await this.answer(host);
      progress.stop();
      const console = makeConsole(host.env);
      if (this.wantsJson()) console.json(answer.json);
      else await answer.print(console);
      process.exitCode = answer.exitCode ?? EXIT.done;
    } finally {
      progress.stop();
    }
  }

  /** As oclif runs a command, for who has found it without oclif. */
  async start(): Promise<void> {
    await this._run();
  }

  /** oclif looks for its deprecated commands here, of which drwn has none. */
  protected override async init(): Promise<void> {}

  /** Problems are rendered and end with 1; what oclif's parser refuses ends with 2; the rest is a bug of ours. */
  protected override async catch(error: CommandError): Promise<void> {
    reportFailure(error, { json: this.wantsJson(), commandId: this.id ?? "" });
  }

  protected wantsJson(): boolean {
    const end = this.argv.indexOf("--");
    return (end < 0 ? this.argv : this.argv.slice(0, end)).includes("--json");
  }
}

interface Reported {
  json: boolean;
  commandId: string;
}

/** The one place where a failure becomes text and an exit code. */
export function reportFailure(failure: unknown, about: Reported): void {
  try {
    report(failure, about);
  } catch (error) {
    // Where stdout has no room for the document, a person is told.
    report(error, { ...about, json: false });
  }
}

function report(failure: unknown, { json, commandId }: Reported): void {
  const console = makeConsole(readEnvironment());
  const error = asRefusal(failure) ?? failure;
  if (isProblem(error)) {
    if (json) console.json(problemToJson(error));
    else for (const line of renderProblem(error, console.style)) console.talk(line);
    process.exitCode = EXIT.problem;
    return;
  }
  if (isUsageError(error)) {
    const message = error.message.split("\nSee more help")[0] ?? error.message;
    const hint = `drwn ${[...commandId.split(":"), "--help"].filter((word) => word !== "").join(" ")}`;
    if (json) console.json({ error: { code: "DRWN_USAGE", message, details: [], hint } });
    else {
      const [first = "", ...others] = cleanLines(message);
      for (const line of [`${console.style.bad("error:")} ${first}`, ...others, "", `hint: ${hint}`])
        console.talk(line);
    }
    process.exitCode = EXIT.usage;
    return;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (json) console.json({ error: { code: "DRWN_BUG", message: stack, details: [], hint: null } });
  else
    for (const line of ["This is a bug of drwn. Please report it with these lines:", "", ...cleanLines(stack, 100)])
      console.talk(line);
  process.exitCode = EXIT.bug;
}

function isUsageError(error: unknown): error is Error {
  return error instanceof Errors.CLIError;
}
