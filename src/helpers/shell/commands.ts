/** A simple command as it is read. Parts that only running it shows have marks. */
export interface ReadCommand {
  words: string[];
  assignments: { name: string; value: string }[];
  redirections: Redirection[];
  /** The commands whose output it reads, the nearest first; for a group, all commands in it. */
  fedBy: readonly ReadCommand[];
  /** Another command gets what it prints: it is in `$(…)`, backquotes or `<(…)`. */
  isCaptured: boolean;
}

/** One redirection: `2> log` is `{ descriptor: "2", operator: ">", target: "log" }`. */
export interface Redirection {
  operator: string;
  /** The file, the descriptor, the text of `<<<`, or the delimiter of `<<`. */
  target: string;
  /** The descriptor before the operator, if there is one. */
  descriptor?: string;
  /** The text that follows on the lines after `<<`. */
  body?: string;
}

export function isInput({ operator }: Redirection): boolean {
  return operator.startsWith("<");
}

/** A simple command in a shell text. */
export interface ShellCommand {
  /** The last part of the path: `git` for `/usr/bin/git`. */
  program: string;
  /** The program as it is written, without quotes. */
  path: string;
  /** Without quotes. Parts that are only known at run time stay as they are written: `$x`, `$(ls)`, `*.ts`. */
  arguments: string[];
  redirections: Redirection[];
  /** The programs that start this one, the outermost first: `["sudo"]` for git in `sudo git push`. */
  startedBy: string[];
}

/** The same with its context: the command as it was read, and the command that started it. */
export interface ReadShellCommand extends Pick<Step, "literals" | "quoted"> {
  command: ShellCommand;
  read: ReadCommand;
  starter: ReadShellCommand | undefined;
  /** The variables that it gets from the text. */
  environment: readonly (readonly [string, string])[];
}

/** A command in a text for a shell, with its context. */
export interface Step extends ShellCommand {
  /** The folder in which it runs, as far as the text shows. */
  folder: string;
  /** The variables that the text sets for it: `A=b command`, `env A=b command`, and `export A=b` before it. */
  environment: ReadonlyMap<string, string>;
  /** The commands whose output it reads: all commands before it in a pipe, the nearest first. */
  feeders: Step[];
  /** The command that starts it: `xargs`, `sudo`, `find`, `bash`. */
  starter: Step | undefined;
  /** Where it runs if not here: on another machine, or in a container. */
  elsewhere: "machine" | "container" | undefined;
  /** Another command gets what it prints: it is in `$(…)`, backquotes or `<(…)`. */
  isCaptured: boolean;
  /** Its words, and texts of its input, in which `$` and backquotes are only letters. */
  literals: readonly string[];
  /** Its words in which quotes made letters of `*`, `?`, `[`, `{` and a first `~`. */
  quoted: readonly string[];
  /** What the same text has already written into the files that this command names: a script, a file of SQL. */
  made: string[];
}

export const NOBODY: readonly ReadCommand[] = [];

/** Where a command is. */
export interface Context {
  starter: ReadShellCommand | undefined;
  fedBy: readonly ReadCommand[];
  /** The input of the groups around it. */
  input: readonly Redirection[];
  /** Another command gets what it prints. */
  isCaptured: boolean;
  local: ((name: string) => void) | undefined;
}

/** Each command once. */
export function distinctCommands(commands: readonly ReadCommand[]): ReadCommand[] {
  const known = new Map(
    commands.map((command) => [JSON.stringify([command.words, command.assignments, command.redirections]), command]),
  );
  return [...known.values()];
}
