import { compileHookWithMap } from "../card/compiler/compile.ts";
import type { CardFiles } from "../card/files.ts";
import type { IndexedHook } from "../card/hooks/hook-index.ts";
import { isRestrictOnly, type Manifest } from "../card/manifest.ts";
import { compileMatcher } from "../card/matcher.ts";
import { DEFAULT_TERMS, type Grant } from "../contract/ledger.ts";
import { type OptionValues, optionValues } from "../contract/options.ts";
import type { PlannedPolicy } from "../contract/plan.ts";
import { digestOf } from "../kernel/digest.ts";

/** A hook as it would run, whether or not anybody consented to it. */
export interface HookUnderTest {
  policy: PlannedPolicy & { options: string | null };
  /** The compiled policy. */
  code: string;
}

export interface ProvenCard {
  manifest: Manifest;
  files: CardFiles;
  hooks: readonly IndexedHook[];
  /** What a person has decided about the card; absent: its hooks run with their defaults. */
  terms?: Pick<Grant, "mode" | "options"> | undefined;
}

/** Compiles a hook as a consent to its card does. Runs none of it. */
export async function compileHookUnderTest(
  { manifest, files, hooks, terms }: ProvenCard,
  name: string,
): Promise<HookUnderTest> {
  const hook = hooks.find((one) => one.name === name);
  if (hook === undefined) throw new Error(`${manifest.name} has no hook ${name}`);
  const { kind, matcher, phases, timeoutMs, capabilities } = hook;
  const match = matcher === null ? null : compileMatcher(matcher);
  const { code } = await compileHookWithMap({ card: manifest.name, files, hook: name, capabilities });
  const policy: HookUnderTest["policy"] = {
    card: manifest.name,
    cardVersion: manifest.version,
    hook: name,
    kind,
    // A shadow's answer counts as if it were enforced.
    mode: isRestrictOnly(manifest) || terms?.mode === "restrict-only" ? "restrict-only" : "enforce",
    askFallback: DEFAULT_TERMS.askFallback,
    publisher: null,
    match,
    matcher,
    phases,
    timeoutMs,
    capabilities,
    bundle: digestOf(code),
    options: hook.options === undefined ? null : JSON.stringify(optionValues(hook.options, valuesOf(terms, name))),
  };
  return { policy, code };
}

function valuesOf(terms: ProvenCard["terms"], hook: string): OptionValues | undefined {
  const { options = {} } = terms ?? {};
  return Object.hasOwn(options, hook) ? options[hook] : undefined;
}

/** `@scope/name@version#hook` */
export function nameOfHook({ policy }: HookUnderTest): string {
  return `${policy.card}@${policy.cardVersion}#${policy.hook}`;
}
