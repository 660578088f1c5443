import type { ServedAnswer } from "../contract/protocol.ts";
import { Engine, type HookPaths } from "./app-client.ts";
import {
  type AppHooks,
  eventAfter,
  eventBefore,
  eventOfPending,
  type FinishedToolCall,
  type Guards,
  type PendingToolCall,
  printInput,
  type Refusal,
  type ToolCall,
} from "./events.ts";

/** Makes the guards for the agents of the project there. Starts nothing before the first call. */
export function makeGuards(place: () => HookPaths): Guards {
  const engine = new Engine(place);
  const approvals = new Approvals();

  /** Any failure refuses the call: the approved policies couldn't do their work. */
  const beforeToolCall = async (call: ToolCall): Promise<Refusal | undefined> => {
    try {
      const input = printInput(call.input);
      const about = approvals.take(call.toolName, call.input, input) ? "approved" : "before";
      const answer = await engine.ask(about, eventBefore(call, input));
      if (JSON.stringify(call.input) !== input) return refuse("drwn: the input changed while the policies judged it");
      return answer === null ? undefined : obey(call, answer);
    } catch (error) {
      return refuse(error instanceof Error ? error.message : "drwn: the policies could not be asked");
    }
  };

  const afterToolCall = async (call: FinishedToolCall): Promise<undefined> => {
    try {
      await engine.ask("after", eventAfter(call, printInput(call.input)));
    } catch {
      // The result stays, whatever happens to the policies that look at it.
    }
  };

  /** A call that drwn refuses needs nobody's approval. */
  const requireToolApproval = async (call: PendingToolCall): Promise<boolean> => {
    try {
      const input = printInput(call.args);
      const answer = await engine.ask("approval", eventOfPending(call, input));
      if (answer?.action !== "ask") return false;
      approvals.raise(call.toolName, call.args, input);
      return true;
    } catch {
      return false;
    }
  };

  const hooks = { beforeToolCall, afterToolCall };
  return { hooks, requireToolApproval, withHooks: (own) => join(hooks, own), end: () => engine.end() };
}

function obey(call: ToolCall, { action, reason = "drwn: the call is blocked", ...answer }: ServedAnswer) {
  if (action !== "allow") return { proceed: false, output: "output" in answer ? answer.output : reason } as const;
  const { updatedInput } = answer;
  if (updatedInput === undefined || rewriteInPlace(call.input, updatedInput)) return undefined;
  return refuse("drwn: a policy changes the input of this call, which cannot be done");
}

function refuse(why: string): Refusal {
  return { proceed: false, output: why };
}

function isRefusal(said: unknown): said is Refusal {
  return typeof said === "object" && said !== null && "proceed" in said && said.proceed === false;
}

/**
 * The app's own hooks see a call first, so that the policies judge the call as those leave it, and they see a result
 * last.
 */
function join(hooks: Guards["hooks"], own: AppHooks): Guards["hooks"] {
  return {
    beforeToolCall: async (call) => {
      const said = await own.beforeToolCall?.(call);
      return isRefusal(said) ? said : hooks.beforeToolCall(call);
    },
    afterToolCall: async (call) => {
      await hooks.afterToolCall(call);
      await own.afterToolCall?.(call);
      return undefined;
    },
  };
}

/** A call as it was when Mastra asked about it. */
interface ApprovalRequest {
  toolName: string;
  /** The text of its input. */
  text: string;
}

/**
 * The calls that a person has to approve before Mastra makes them, which show that somebody was asked about a call.
 * When Mastra asks, it gives neither the call's number nor its agent. But before it makes a call, it builds the input
 * anew, asks about that very object, and hands it to the tool only if the person said yes. So the object identifies the
 * call: an equal input is another call, of any agent, and a refused one never appears again.
 */
class Approvals {
  readonly #asked = new WeakMap<object, ApprovalRequest>();

  raise(toolName: string, input: unknown, text: string): void {
    if (typeof input === "object" && input !== null) this.#asked.set(input, { toolName, text });
  }

  /** Whether somebody was asked about this tool and this input. Each question counts once. */
  take(toolName: string, input: unknown, text: string): boolean {
    if (typeof input !== "object" || input === null) return false;
    const asked = this.#asked.get(input);
    this.#asked.delete(input);
    return asked?.toolName === toolName && asked.text === text;
  }
}

/**
 * Rewrites the input of a call in place, since Mastra runs the tool with the object that it has. False: it cannot be
 * done.
 */
function rewriteInPlace(input: unknown, next: Readonly<Record<string, unknown>>): boolean {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return false;
  try {
    for (const key of Object.keys(input)) delete (input as Record<string, unknown>)[key];
    for (const [key, value] of Object.entries(next)) {
      // Defines fields of any name, even names with a special meaning.
      Object.defineProperty(input, key, { value, configurable: true, enumerable: true, writable: true });
    }
    return JSON.stringify(input) === JSON.stringify(next);
  } catch {
    return false;
  }
}
