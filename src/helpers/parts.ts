import type { PolicyKind } from "../policy/define.ts";
import type { ToolPolicyEvent } from "../policy/event.ts";
import type { On, PromptEvent, PromptOn } from "./on.ts";

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
  /** A name for `claude -p --model`, or a function instead of `claude`. */
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
      /** A name for `ollama run`, `gemma3:1b` when absent; or a function instead of `ollama`. */
      model?: string | Classifier<E>;
    };

interface Common extends Terms {
  on?: On;
  whenPrompt?: WhenPrompt;
}

interface Terms {
  /** `enforcement` when absent: a model or a command that fails denies the call or rejects the prompt. */
  policyKind?: PolicyKind;
  /** Milliseconds for all of it, 1 to 30000. When absent 5000, and 30000 for what asks a model or runs a command. */
  timeoutMs?: number;
}

/** When a policy applies, and the one thing that it does then. */
export type PolicyParts =
  /** The reason of the denial; `true` for one that names the policy. */
  | (Common & { gate: string | true; transform?: never; inject?: never })
  | (Common & { transform: Transform; gate?: never; inject?: never })
  | (Common & { inject: Inject; gate?: never; transform?: never });

interface CommonOfPrompts extends Terms {
  on: PromptOn;
  whenPrompt?: WhenPrompt<PromptEvent>;
}

/** The same for what the user types. No agent takes another prompt in its place, so nothing rewrites it. */
export type PromptParts =
  | (CommonOfPrompts & { gate: string | true; inject?: never })
  | (CommonOfPrompts & { inject: Inject; gate?: never });
