// What `darwinian-minds/hook-policy/helpers` offers, for editors and `tsc`. drwn writes this file and resolves the module itself.

declare module "darwinian-minds/hook-policy/helpers" {
  import type { HookEvent, LifecycleHook, PolicyKind, ToolPolicy, ToolPolicyEvent } from "darwinian-minds/hook-policy";

  /** A file of the project by its path, or a text of the card under a name: `{ name: "STYLE.md", text: style }`. */
  export type ContextFile = string | { name: string; text: string };

  /** Gives the text that takes the place of the field. */
  export type TransformModel = (request: {
    /** Everything that a model is to know: context, input, instructions. */
    prompt: string;
    event: ToolPolicyEvent;
  }) => string | Promise<string>;

  /** Says whether the condition applies to the input. */
  export type Classifier<E = ToolPolicyEvent> = (request: {
    condition: string;
    /** What the policy was matched against. */
    input: string;
    event: E;
  }) => boolean | Promise<boolean>;

  /** A rewrite of one field of the tool's input by a model. */
  export interface Transform {
    /** What the model is to do. */
    prompt: string;
    context?: ContextFile | readonly ContextFile[];
    /** The field that the answer is put into; the one that was matched when absent. */
    field?: string;
    /** A name for `claude -p --model`, or a function in the place of `claude`. */
    model?: string | TransformModel;
  }

  /** Text for the agent's model beside the call. */
  export interface Inject {
    files?: ContextFile | readonly ContextFile[];
    /** A shell command whose output is added. It runs in the project's folder and reads what was matched. */
    command?: string;
  }

  /** A condition in plain language, judged by a small model on this machine. */
  export type WhenPrompt<E = ToolPolicyEvent> =
    | string
    | {
        condition: string;
        /** A name for `ollama run`, `gemma3:1b` when absent; or a function in the place of `ollama`. */
        model?: string | Classifier<E>;
      };

  interface CommonParts extends CommonTerms {
    on?: On;
    whenPrompt?: WhenPrompt;
  }

  interface CommonTerms {
    /** `enforcement` when absent: a model or a command that fails denies the call or rejects the prompt. */
    policyKind?: PolicyKind;
    /** Milliseconds for all of it, 1 to 30000. When absent 5000, and 30000 for what asks a model or runs a command. */
    timeoutMs?: number;
  }

  /** When a policy applies, and the one thing that it does then. */
  export type PolicyParts =
    /** The reason of the denial; `true` for one that names the policy. */
    | (CommonParts & { gate: string | true; transform?: never; inject?: never })
    | (CommonParts & { transform: Transform; gate?: never; inject?: never })
    | (CommonParts & { inject: Inject; gate?: never; transform?: never });

  interface CommonPromptParts extends CommonTerms {
    on: PromptOn;
    whenPrompt?: WhenPrompt<HookEvent<"prompt.submit">>;
  }

  /** The same for what the user types. No agent takes another prompt in its place, so nothing rewrites it. */
  export type PromptParts =
    | (CommonPromptParts & { gate: string | true; inject?: never })
    | (CommonPromptParts & { inject: Inject; gate?: never });

  /** Which prompts a policy is for. What is absent matches every prompt. */
  export interface PromptOn {
    event: "UserPromptSubmit";
    /** A regular expression on the prompt, or one as text. */
    match?: string | RegExp;
  }

  /** Which calls a policy is for. What is absent matches every call. */
  export interface On {
    event?: "PreToolUse";
    /** A regular expression on the whole name of the tool: `"Edit|Write"`. */
    tool?: string | RegExp;
    /** A regular expression on the matched field, a match constant, or a regular expression as text. */
    match?: string | RegExp | MatchConstant;
    /** The field of the tool's input that is matched; each tool has one when absent. */
    matchField?: string;
    /** In place of `match`: a file's exact name or the end of its path, or a regular expression on the whole path. */
    file?: string | RegExp;
  }

  /** A pattern for shell commands that reads words. `policy` takes it where it takes a regular expression. */
  export interface MatchConstant {
    readonly name: string;
    /** Whether the shell text runs such a command. A text that no shell would accept counts as one if it names git. */
    matches(command: string): boolean;
  }

  export type ConstantName =
    | "git_checkout"
    | "git_commit"
    | "git_merge"
    | "git_push"
    | "git_push_force"
    | "git_rebase"
    | "git_reset"
    | "git_restore"
    | "git_stash"
    | "git_switch";

  /** Calls of git by their subcommand, under hooker's names. */
  export const matchConstants: Readonly<Record<ConstantName, MatchConstant>>;

  /** A simple command of a shell text. */
  export interface ShellCommand {
    /** The last part of the path: `git` for `/usr/bin/git`. */
    program: string;
    /** The program as it is written, without quotes. */
    path: string;
    /** Without quotes. What only running the command tells stays as it is written: `$x`, `$(…)`, `*.ts`. */
    arguments: string[];
    redirections: Redirection[];
    /** The programs that start this one, the outermost first: `["sudo"]` for git in `sudo git push`. */
    startedBy: string[];
  }

  /** One redirection: `2> log` is `{ descriptor: "2", operator: ">", target: "log" }`. */
  export interface Redirection {
    operator: string;
    /** The file, the descriptor, or of `<<<` the text. Of `<<` the delimiter. */
    target: string;
    /** What is written before the operator, where something is. */
    descriptor?: string;
    /** The text that follows on the lines after `<<`. */
    body?: string;
  }

  /**
   * A policy in hooker's words: when it applies, and whether it then blocks the call or the prompt, rewrites the call or adds
   * text. With `on: { event: "UserPromptSubmit" }` it is a lifecycle hook. What cannot work is refused here, which is while the
   * card is packed.
   */
  export function policy(name: string, parts: PromptParts): LifecycleHook<"prompt.submit">;
  export function policy(name: string, parts: PolicyParts): ToolPolicy;

  /**
   * Every simple command of a Bash call: in lists, pipes, subshells, substitutions, functions and branches, and those that
   * `sudo`, `env`, `xargs`, `bash -c` and others start. Empty for a call without a shell text. Throws for a text that a shell
   * would refuse, so that an enforcement policy denies what it cannot read.
   */
  export function commands(event: ToolPolicyEvent): ShellCommand[];
}

declare module "darwinian/hook-policy/helpers" {
  export * from "darwinian-minds/hook-policy/helpers";
}

declare module "drwn/hook-policy/helpers" {
  export * from "darwinian-minds/hook-policy/helpers";
}
