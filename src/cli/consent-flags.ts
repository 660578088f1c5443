import * as Flags from "@oclif/core/flags";
import { shellQuote } from "../kernel/text.ts";
import { ASK_FALLBACKS, type AskFallback, type RequestedTerms } from "../operations/project/trust.ts";
import { AGENT_IDS } from "../operations/project/write.ts";

/** An agent, or all of them. */
type Named = (typeof AGENT_IDS)[number] | "all";

/** The terms of a consent, as flags. */
export const TERMS_FLAGS = {
  shadow: Flags.boolean({
    description: "Ask and journal the policies, but apply neither their answers nor their failures.",
    exclusive: ["restrict-only", "enforce"],
    helpGroup: "TERMS",
  }),
  "restrict-only": Flags.boolean({
    description: "Let the policies deny and ask; drop whatever lets more through or adds to a call.",
    exclusive: ["enforce"],
    helpGroup: "TERMS",
  }),
  enforce: Flags.boolean({
    description: "Apply what the policies say: the default, and the way back from the two above.",
    helpGroup: "TERMS",
  }),
  hook: Flags.string({
    description: "Only this hook; can be given several times.",
    multiple: true,
    helpValue: "NAME",
    exclusive: ["all-hooks"],
    helpGroup: "TERMS",
  }),
  "all-hooks": Flags.boolean({
    description: "All hooks again, after a consent to some.",
    helpGroup: "TERMS",
  }),
  "ask-fallback": Flags.option({
    options: ASK_FALLBACKS,
    description:
      "What an ask becomes if the agent cannot ask. allow-reversible: a deny, if the guard says that it can't be undone. [default: allow-reversible]",
    helpGroup: "TERMS",
  })(),
  expires: Flags.string({
    description: "When the consent ends: 30d, 12h, 2w, a day, or never. [default: never]",
    helpValue: "TIME",
    helpGroup: "TERMS",
  }),
  runtime: Flags.option({
    multiple: true,
    options: [...AGENT_IDS, "all"] as const,
    description: "The agents in which the policies may run; repeat it for more. [default: all that are guarded]",
    helpGroup: "TERMS",
  })(),
  "on-yank": Flags.option({
    options: ["keep", "stand-down"] as const,
    description: "What happens to an approved version that its publisher yanks. [default: keep]",
    helpGroup: "TERMS",
  })(),
};

interface TermsFlags {
  shadow: boolean;
  "restrict-only": boolean;
  enforce: boolean;
  hook: string[] | undefined;
  "all-hooks": boolean;
  "ask-fallback": AskFallback | undefined;
  expires: string | undefined;
  "on-yank": "keep" | "stand-down" | undefined;
  runtime: Named[] | undefined;
}

export function toRequestedTerms(flags: TermsFlags): RequestedTerms {
  const mode = flags.shadow
    ? "shadow"
    : flags["restrict-only"]
      ? "restrict-only"
      : flags.enforce
        ? "enforce"
        : undefined;
  const hooks = flags["all-hooks"] ? null : flags.hook;
  const { expires, "ask-fallback": askFallback, "on-yank": onYank } = flags;
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(hooks === undefined ? {} : { hooks }),
    ...(askFallback === undefined ? {} : { askFallback }),
    ...(onYank === undefined ? {} : { onYank }),
    ...(expires === undefined ? {} : { expires }),
    ...(flags.runtime === undefined ? {} : { runtimes: toRuntimes(flags.runtime) }),
  };
}

function toRuntimes(named: readonly Named[]): NonNullable<RequestedTerms["runtimes"]> | null {
  return named.includes("all") ? null : named.filter((name) => name !== "all");
}

/** The flags that ask for the same again. */
export function termsAsFlags({ mode, hooks, askFallback, onYank, expires, runtimes }: RequestedTerms): string[] {
  const said = (flag: string, value: string | undefined) => (value === undefined ? [] : [flag, shellQuote(value)]);
  return [
    ...(mode === undefined ? [] : [`--${mode}`]),
    ...(hooks === null ? ["--all-hooks"] : (hooks ?? []).flatMap((hook) => said("--hook", hook))),
    ...said("--ask-fallback", askFallback),
    ...said("--on-yank", onYank),
    ...said("--expires", expires),
    ...(runtimes === null ? ["--runtime", "all"] : (runtimes ?? []).flatMap((name) => said("--runtime", name))),
  ];
}
