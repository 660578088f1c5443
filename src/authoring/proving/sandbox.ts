import { setMaxListeners } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { compileHookWithMap } from "../../card/compiler/compile.ts";
import type { CardFiles } from "../../card/files.ts";
import type { IndexedHook } from "../../card/hooks/hook-index.ts";
import { isRestrictOnly, type Manifest } from "../../card/manifest.ts";
import { compileMatcher } from "../../card/matcher.ts";
import { layout } from "../../contract/layout.ts";
import { DEFAULT_TERMS, type Grant, type OptionValues, optionValues } from "../../contract/ledger.ts";
import type { PlannedPolicy } from "../../contract/plan.ts";
import { PROVING_KEY } from "../../contract/protocol.ts";
import { digestOf } from "../../kernel/digest.ts";
import { packageFile } from "../../kernel/files.ts";
import { isProcessAlive, thisProcess } from "../../kernel/process.ts";

/** A throw-away home with the program that asks policies, and an empty project. */
export interface ProvingSandbox {
  home: string;
  root: string;
  program: string;
  /** Ends every process of this place. */
  signal: AbortSignal;
}

const PREFIX = "drwn-proving-";

/** Makes a place for the work, and removes it afterwards. */
export async function withSandbox<T>(
  work: (place: ProvingSandbox) => Promise<T>,
  signal: AbortSignal = new AbortController().signal,
): Promise<T> {
  // Each process adds a listener.
  setMaxListeners(0, signal);
  const above = fs.realpathSync(os.tmpdir());
  removeAbandoned(above);
  const folder = fs.mkdtempSync(path.join(above, `${PREFIX}${thisProcess()}-`));
  try {
    const [home, root] = [path.join(folder, "home"), path.join(folder, "project")];
    const program = layout.hook(home);
    fs.mkdirSync(path.dirname(program), { recursive: true });
    fs.mkdirSync(root);
    // Workers start from the path of a home's hook process.
    fs.copyFileSync(packageFile("dist/proving/prove.cjs"), program);
    return await work({ home, root, program, signal });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes the places of processes that were killed. Another user's stay: drwn can't remove them, and need not. */
function removeAbandoned(above: string): void {
  for (const name of fs.readdirSync(above)) {
    const [, pid, startTime] = /^drwn-proving-(\d+)-(\w+)-/u.exec(name) ?? [];
    if (pid === undefined || startTime === undefined || isProcessAlive(pid, startTime)) continue;
    try {
      fs.rmSync(path.join(above, name), { recursive: true, force: true });
    } catch {
      // Removing it isn't urgent.
    }
  }
}

/** Puts the compiled policy where workers get it from. */
export function putHookUnderTest({ home }: ProvingSandbox, { policy, code }: HookUnderTest): void {
  const file = layout.bundle(home, PROVING_KEY, policy.bundle);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, code);
}

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
