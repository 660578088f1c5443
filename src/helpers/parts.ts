import type { PolicyKind } from "../policy/define.ts";
import type { ToolPolicyEvent } from "../policy/event.ts";
import type { On, PromptEvent, PromptOn } from "./on.ts";

/** The path of a file in the project, or a text of the card with a name: `{ name: "STYLE.md", text: style }`. */
export type ContextFile = string | { name: string; text: string };

/** Returns the text that replaces the field. */
export type TransformModel = (request: {
  /** Everything that the model needs: context, input, instructions. */
  prompt: string;
  event: ToolPolicyEvent;
}) => string | Promise<string>;

/** Returns whether the condition applies to the input. */
export type Classifier<E = ToolPolicyEvent> = (request: {
  condition: string;
  /** The text that the policy was matched against. */
  input: string;
  event: E;
}) => boolean | Promise<boolean>;

/** Has a model rewrite one field of the tool's input. */
export interface Transform {
  /** What the model should do. */
  prompt: string;
  context?: ContextFile | readonly ContextFile[];
  /** The field that gets the answer; absent: the one that was matched. */
  field?: string;
  /** A name for `claude -p --model`, or a function to call instead of `claude`. */
  model?: string | TransformModel;
}

/** Adds text for the agent's model to the call. */
export interface Inject {
  files?: ContextFile | readonly ContextFile[];
  /** A shell command whose output is added. It runs in the project's folder and gets the matched text as its input. */
  command?: string;
}

/** A condition in plain language. A small model on this machine decides whether it applies. */
export type WhenPrompt<E = ToolPolicyEvent> =
  | string
  | {
      condition: string;
      /** A name for `ollama run` (absent: `gemma3:1b`), or a function to call instead of `ollama`. */
      model?: string | Classifier<E>;
    };

interface Common extends Terms {
  on?: On;
  whenPrompt?: WhenPrompt;
}

interface Terms {
  /** Absent: `enforcement`. Then a model or a command that fails denies the call or rejects the prompt. */
  policyKind?: PolicyKind;
  /**
   * The time limit in milliseconds, 1 to 30000. Absent: 5000, or 30000 for a policy that asks a model or runs a
   * command.
   */
  timeoutMs?: number;
}

/** When a policy applies, and the one thing that it then does. */
export type PolicyParts =
  /** `gate`: the reason of the denial; `true`: a reason that names the policy. */
  | (Common & { gate: string | true; transform?: never; inject?: never })
  | (Common & { transform: Transform; gate?: never; inject?: never })
  | (Common & { inject: Inject; gate?: never; transform?: never });

interface CommonOfPrompts extends Terms {
  on: PromptOn;
  whenPrompt?: WhenPrompt<PromptEvent>;
}

/** The same for prompts of the user. No agent accepts a replaced prompt, so there is no `transform`. */
export type PromptParts =
  | (CommonOfPrompts & { gate: string | true; inject?: never })
  | (CommonOfPrompts & { inject: Inject; gate?: never });
