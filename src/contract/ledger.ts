/**
 * The ledger of one project: what this machine's user consented to there. It is `ledger/<key>.json`, outside every
 * project, and only its owner can read it. It is the hook process's root of trust.
 */
export const LEDGER_VERSION = 2;

/** The longest pause of all policies. drwn never writes a longer one. */
export const LONGEST_PAUSE_MS = 24 * 60 * 60 * 1000;

export interface Ledger {
  version: typeof LEDGER_VERSION;
  /** Counts every change. */
  sequence: number;
  project: ProjectIdentity;
  /** Digest of the plan that `drwn write` committed last; null before the first. */
  plan: string | null;
  /** Until then no policy runs, whatever the grants say, because a person paused them. ISO 8601; null: nobody did. */
  pausedUntil: string | null;
  grants: Grant[];
  /** Calls that a person lets through past one hook; absent: none. */
  exceptions?: Exception[];
}

/** A person lets a call past one hook; every other hook still judges it. */
export interface Exception {
  /** Twelve hexadecimal digits. */
  id: string;
  card: string;
  hook: string;
  /** The hook's facts at that time, by `factsText`. If the facts change, the exception doesn't hold. */
  facts: string;
  /** Digest of exactly this call; null: `like` says which calls. */
  call: string | null;
  like: CallPattern | null;
  /** It lets only one call through. */
  isOnce: boolean;
  /** It holds only in this session; null: in any. */
  session: string | null;
  /** ISO 8601; null: it doesn't end by itself. */
  expiresAt: string | null;
  /** Why, in the person's words; "": no reason given. */
  reason: string;
  /** ISO 8601 */
  at: string;
}

/** Shell commands with these words, in this folder. */
interface CallPattern {
  folder: string;
  /** Globs, each for one word. The first is the program's name. */
  words: string[];
}

export interface ProjectIdentity {
  /** Real path of the project folder. */
  path: string;
  /** Real path of the git common directory that the project's worktree belongs to; null outside git. */
  gitCommonDir: string | null;
  /** The project folder relative to the top of its worktree, "" for the top itself; null outside git. */
  gitPath: string | null;
  /** `device:inode` of the project folder, only used to recognise a folder that was moved. */
  inode: string | null;
}

/** What a consent lets the card's policies do. */
export const MODES = ["enforce", "shadow", "restrict-only"] as const;
/**
 * `enforce`: whatever a policy of its kind may do. `restrict-only`: deny and ask, but nothing that lets more through.
 * `shadow`: policies are asked and journaled, but neither their answers nor their failures are applied.
 */
export type Mode = (typeof MODES)[number];

/** How strong each mode is. The hook refuses a plan that is weaker on a card than the card's grant. */
export const STRENGTH: Readonly<Record<Mode, number>> = { shadow: 0, "restrict-only": 1, enforce: 2 };

export const ASK_FALLBACKS = ["allow", "allow-reversible", "deny"] as const;
/** `allow-reversible`: an ask about what can't be undone is a deny, another one lets the call through. */
export type AskFallback = (typeof ASK_FALLBACKS)[number];

/** What a person decides besides the range. */
export interface Terms {
  mode: Mode;
  /** The hooks that were consented to; null: all of the card's. */
  hooks: string[] | null;
  /** What an `ask` becomes in an agent that cannot ask. */
  askFallback: AskFallback;
  /** ISO 8601: from then on the consent counts as revoked; null: it doesn't end by itself. */
  expiresAt: string | null;
  /** What happens to an approved version that its publisher yanks. */
  onYank: "keep" | "stand-down";
  /** The agents in which the card's policies run; null: every guarded agent. */
  runtimes: string[] | null;
}

export const DEFAULT_TERMS: Readonly<Terms> = {
  mode: "enforce",
  hooks: null,
  askFallback: "allow-reversible",
  expiresAt: null,
  onYank: "keep",
  runtimes: null,
};

export function termsOf({ mode, hooks, askFallback, expiresAt, onYank, runtimes }: Terms): Terms {
  return { mode, hooks, askFallback, expiresAt, onYank, runtimes };
}

/** One recorded consent. A revoked grant stays as a tombstone, so that "untrusted" and "lost" differ. */
export interface Grant extends Terms {
  card: string;
  /** Identifies the registry that the card comes from. */
  source: string;
  /** Key of the publisher whose versions the consent covers; null: the card was not signed. */
  publisher: string | null;
  /** Semver range inside which a later version may be offered. */
  range: string;
  /** ISO 8601 */
  grantedAt: string;
  /** ISO 8601; null while the grant holds. */
  revokedAt: string | null;
  /** What was consented to, by hook name. A version that differs in any of it waits for a person. */
  ceiling: Record<string, HookFacts>;
  /** For the skills that are code, by name: a digest of the lines that were consented to. Absent: there are none. */
  skills?: Record<string, string>;
  /** The options that were set, by hook; absent: every option has the card's default. */
  options?: Record<string, OptionValues>;
  /** The contents that may run, oldest first. */
  approved: Approval[];
}

/**
 * Replaces a publisher's key for cards that came with drwn: whoever installed drwn trusts the same source. No key looks
 * like it.
 */
export const DRWN_ITSELF = "drwn";

export interface Approval {
  cardVersion: string;
  /** Tree digest of the card. */
  tree: string;
  /** Key of the publisher who signed this version; `DRWN_ITSELF`: it came with drwn; null: nobody did. */
  publisher: string | null;
  /** Digest of each compiled policy, by hook name. */
  bundles: Record<string, string>;
  /**
   * The facts of each hook that were consented to, in the card's order. At run time these count, not what the module
   * says.
   */
  hooks: (HookFacts & { name: string })[];
  /** For the skills that are code, by name: the digest of its files. Absent: none may reach an agent. */
  skills?: Record<string, string>;
  /** The card itself asks for `restrict-only`. */
  restrictOnly: boolean;
  by: (typeof APPROVERS)[number];
  /** ISO 8601 */
  at: string;
  /** When this machine learned that the version was yanked, ISO 8601; null: it was not. */
  yankedAt: string | null;
}

/**
 * How a content was approved: a person saw the review, a grant's range covers it, or one of the ways for machines
 * without a person.
 */
export const APPROVERS = ["person", "range", "digest", "trust-file"] as const;

/** When a hook is asked: before or after a tool call, or at an event of the session, by its canonical name. */
export type PolicyPhase = "pre-tool" | "post-tool" | `${string}.${string}` | "notify";

/** What an index says about one hook, and what a person is shown. */
export interface HookFacts {
  kind: "enforcement" | "observer";
  matcher: string | null;
  phases: PolicyPhase[];
  timeoutMs: number;
  capabilities: ("env" | "exec" | "fs-read" | "fs-write" | "net" | "wasm")[];
  /** Absent: the card declares none for it. */
  options?: OptionDeclarations;
}

/**
 * The mode in which an approved version runs. A card may limit itself to `restrict-only`; nothing that it says about
 * itself loosens the terms of its grant.
 */
export function modeOf({ mode }: Pick<Grant, "mode">, { restrictOnly }: Pick<Approval, "restrictOnly">): Mode {
  return mode === "enforce" && restrictOnly ? "restrict-only" : mode;
}

/** Whether this instant has come; null never does. */
export function hasPassed(instant: string | null, now: number): boolean {
  return instant !== null && Date.parse(instant) <= now;
}

export const EXCEPTION_ID = /^[0-9a-f]{12}$/u;

/** The text that binds an exception to the facts of its hook. */
export function factsText({ kind, matcher, phases, timeoutMs, capabilities, options }: HookFacts): string {
  return JSON.stringify([kind, matcher, phases, timeoutMs, capabilities, options ?? null]);
}

const PLAIN = /^[A-Za-z0-9_.,:/@%+=-]$/u;
const IN_QUOTES = /^[ -~]$/u;
const EXPANDED_IN_DOUBLE = /^[$`\\!]$/u;

/**
 * The words of a shell command that is just one program with its arguments; null for any text in which a shell could
 * see more: a list, a pipe, a substitution, a variable, a pattern, a redirection, an assignment.
 */
export function plainWords(command: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (const character of command) {
    if (quote !== "") {
      if (character === quote) quote = "";
      else if (!IN_QUOTES.test(character) || (quote === '"' && EXPANDED_IN_DOUBLE.test(character))) return null;
      else word = `${word ?? ""}${character}`;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (character === " " || character === "\t") {
      if (word !== null) words.push(word);
      word = null;
    } else if (PLAIN.test(character)) word = `${word ?? ""}${character}`;
    else return null;
  }
  if (word !== null) words.push(word);
  const [program = ""] = words;
  return quote !== "" || program === "" || program.includes("=") ? null : words;
}

/** Whether each word matches its glob. */
export function matchesWords(globs: readonly string[], words: readonly string[]): boolean {
  return globs.length === words.length && globs.every((glob, at) => matchesWord(glob, words[at] ?? ""));
}

/**
 * A wildcard stands for a part of one plain word: letters, digits, `_`, `-` and `.`, and with `**` also `/`. So whoever
 * reads the word again (a shell behind `ssh`, `curl` with its `@file`, git with its `+refspec`) sees a plain word, too.
 * At the beginning of a word or of a part of it, it matches neither an option nor a hidden file.
 */
function matchesWord(glob: string, word: string): boolean {
  if (!hasWildcard(glob)) return glob === word;
  if (word.length > LONGEST_WORD || /(?:^|[/=:])\.\.?(?:\/|$)/u.test(word)) return false;
  return expressionOf(glob).test(word);
}

const LONGEST_WORD = 300;

export function hasWildcard(glob: string): boolean {
  return /[*?]/u.test(glob);
}

const FIRST = "[A-Za-z0-9_]";
const NEXT = "[A-Za-z0-9_.-]";

/** A person writes the glob, so it has only a few stars, and the expression is fast. */
function expressionOf(glob: string): RegExp {
  const source = glob.replace(/\*+|\?|[^A-Za-z0-9]/gu, (part, at: number) => {
    const begins = at === 0 || !/[A-Za-z0-9_.*?-]/u.test(glob[at - 1] ?? "");
    const one = begins ? FIRST : NEXT;
    if (part === "?") return one;
    if (!part.startsWith("*")) return `\\u{${(part.codePointAt(0) ?? 0).toString(16)}}`;
    const name = begins ? `${FIRST}${NEXT}*` : `${NEXT}+`;
    return part === "*" ? name : `${name}(?:/${FIRST}${NEXT}*)*`;
  });
  return new RegExp(`^(?:${source})$`, "u");
}

/** A value of one option of a hook. */
export type OptionValue = boolean | number | string | readonly string[];

interface Declared {
  description: string;
}

/**
 * What a card declares about an option of a hook. `tightens`: a project may change it in this direction without asking
 * a person.
 */
export type OptionDeclaration = Declared &
  (
    | { type: "boolean"; default: boolean; tightens?: true }
    | { type: "integer"; default: number; minimum?: number; maximum?: number; tightens?: "lower" | "higher" }
    | { type: "string"; default: string; maxLength?: number }
    | { type: "strings" | "globs"; default: readonly string[]; maxItems?: number; tightens?: true }
    | { type: "enum"; default: string; values: readonly string[]; tightens?: true }
  );

/** By name. */
export type OptionDeclarations = Readonly<Record<string, OptionDeclaration>>;
export type OptionValues = Readonly<Record<string, OptionValue>>;

/** A value for every declared option: the one that was set, or the default. */
export function optionValues(declared: OptionDeclarations, set: OptionValues | undefined): Record<string, OptionValue> {
  const values: Record<string, OptionValue> = {};
  for (const [name, option] of Object.entries(declared)) {
    const value = set !== undefined && Object.hasOwn(set, name) ? set[name] : undefined;
    values[name] = value ?? option.default;
  }
  return values;
}
