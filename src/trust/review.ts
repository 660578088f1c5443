import { diffFiles, type FileDiff } from "../card/archive/code-diff.ts";
import type { CardFiles } from "../card/files.ts";
import { type CaseCount, countCases } from "../card/hooks/cases.ts";
import { INDEX_FILE, type IndexedHook, summaryOf } from "../card/hooks/hook-index.ts";
import { codeDigest, type DescribedSkill } from "../card/skill/skill-code.ts";
import { compareVersions, isVersion } from "../card/version.ts";
import { type Approval, type Grant, type Terms, termsOf } from "../contract/ledger.ts";
import { OWN_REGISTRY } from "./activation.ts";
import { type CeilingDifference, consentedHooks, differencesFromCeiling } from "./ceiling.ts";
import {
  decideOptions,
  judgeRequestedOptions,
  type OptionsByHook,
  type RequestedOption,
  tightenOptions,
} from "./options.ts";

/** What a person sees before a consent. All text in it is the card's own; the code that prints it cleans it. */
export interface Review {
  card: string;
  version: string;
  source: string;
  /** False: only card.lock says that the card is from there. The project brought its bytes. */
  isSourceSeen: boolean;
  /** null: the card is not signed. */
  publisher: string | null;
  /** Whose versions the consent in force covers; null at the first consent, and if nobody signed. */
  formerPublisher: string | null;
  tree: string;
  /** How an npm registry vouched for this version in its own name; null: this machine knows of none that did. */
  range: string;
  /** Which later versions of that range won't need another yes. */
  later: LaterVersions;
  /** Its publisher has yanked it. */
  yanked: boolean;
  /** Why not to use it, in its publisher's words; null: this machine knows of no reason. */
  deprecated: string | null;
  /** Who published this version, as far as the machine knows; null: nobody says. */
  publishedBy: "person" | "agent" | "drwn" | null;
  description: string;
  /** What the yes will mean. */
  terms: Terms;
  /** The terms of the consent in force; null at the first. */
  formerTerms: Terms | null;
  /** The card binds itself to saying no. */
  restrictOnly: boolean;
  /** Whether the version in force does; null at the first consent. */
  formerRestrictOnly: boolean | null;
  /** The hooks that the consent is about, in the order in which they run. */
  hooks: ReviewedHook[];
  /** The values that their options will have, by hook. */
  options: OptionsByHook;
  /** The values under the consent in force; empty at the first. */
  formerOptions: OptionsByHook;
  /** What the project asks for in trust.json. */
  askedOptions: RequestedOption[];
  /** False: it holds in every folder, so no project may tighten its options. */
  isOfProject: boolean;
  /** What the agents here do without asking any hook, though these hooks want to be asked; drwn's own words. */
  unasked: string[];
  /** What becomes of a guard's ask in each agent that is or would be guarded. */
  asks: AskOutcome[];
  /** Hooks of the card that the consent doesn't cover. */
  leftOut: string[];
  /** The skills that are code, in the card's order: the consent covers exactly these lines. */
  skills: ReviewedSkill[];
  /** What differs from the consent in force; empty at the first. */
  differences: CeilingDifference[];
  /** The version in force; null at the first consent. */
  replaces: string | null;
  /** Whether that version is later than this one: a yes takes the guard back. */
  goesBack: boolean;
  /**
   * What differs in the code, which is all of it at the first consent; null: exactly this content is approved already.
   */
  code: CodeDifference | null;
}

export interface AskOutcome {
  /** The name that people use for the agent. */
  title: string;
  /** It asks a person, or the consent says what the ask becomes. */
  becomes: "ask" | Terms["askFallback"];
  /** When it asks all the same, in a clause; null: never, or always. */
  unless: string | null;
}

/**
 * `same-key`: those that the same key signs. `published-here`: those that a person publishes to this machine's own
 * registry. `with-drwn`: those that a newer drwn brings. `none`: each waits for a review, since nobody signs the card.
 * `no-others`: the consent is for one version.
 */
export interface LaterVersions {
  join: "same-key" | "published-here" | "with-drwn" | "none" | "no-others";
  /** How long the machine must have known one before it joins. */
  afterHours: number;
}

export interface CodeDifference {
  /** The version that was approved last; null: none ever was. */
  from: string | null;
  /** null: the bytes of that version are gone from this machine. */
  files: FileDiff[] | null;
}

export interface ReviewedHook extends IndexedHook {
  /** Bytes of the hook's source files. */
  size: number;
  /** The first line of hooks/<name>/README.md that isn't empty, without its `#`. */
  summary: string;
  /** How many calls the card states its answer to; null: nobody can read its cases. */
  cases: CaseCount | null;
}

export interface ReviewedSkill extends DescribedSkill {
  /** Compared with the consent in force; null at the first. */
  change: "same" | "added" | "other" | null;
}

interface ReviewRequest {
  card: string;
  version: string;
  source: string;
  isSourceSeen: boolean;
  publisher: string | null;
  tree: string;
  range: string;
  releaseAgeHours: number;
  yanked: boolean;
  deprecated: string | null;
  publishedBy: Review["publishedBy"];
  description: string;
  terms: Terms;
  restrictOnly: boolean;
  skills: readonly DescribedSkill[];
  /** The options that a person has set. */
  options: OptionsByHook;
  /** The options that the project asks for. */
  asked: OptionsByHook;
  isOfProject: boolean;
  /** The same for each set of hooks. */
  unaskedOf: (hooks: readonly IndexedHook[], terms: Terms) => string[];
  asksOf: (terms: Terms) => AskOutcome[];
  hooks: readonly IndexedHook[];
  files: CardFiles;
  /** The files of a version that was approved before; undefined: they aren't on this machine. */
  filesOf: (approval: Approval) => CardFiles | undefined;
}

export function reviewCard(request: ReviewRequest, former: Grant | undefined): Review {
  const {
    files,
    filesOf,
    unaskedOf,
    asksOf,
    hooks: offered,
    releaseAgeHours: _,
    options: set,
    asked,
    ...about
  } = request;
  const hooks = consentedHooks(offered, about.terms.hooks);
  const options = tightenOptions(hooks, decideOptions({ hooks, set, former }), asked);
  const replaces = former?.approved.at(-1)?.cardVersion ?? null;
  return {
    ...about,
    unasked: unaskedOf(hooks, about.terms),
    asks: asksOf(about.terms),
    later: laterVersions(request),
    formerPublisher: former?.publisher ?? null,
    formerTerms: former === undefined ? null : termsOf(former),
    formerRestrictOnly: former?.approved.at(-1)?.restrictOnly ?? null,
    hooks: hooks.map((hook) => ({
      ...hook,
      size: sizeOf(hook, files),
      summary: summaryOf(hook.name, files),
      cases: countCases(files, hook.name),
    })),
    options,
    formerOptions: former?.options ?? {},
    askedOptions: judgeRequestedOptions(hooks, options, asked),
    skills: about.skills.map((skill) => ({ ...skill, change: changeOf(skill, former) })),
    leftOut: offered.filter((hook) => !hooks.includes(hook)).map(({ name }) => name),
    differences: former === undefined ? [] : differencesFromCeiling(former.ceiling, hooks),
    replaces,
    goesBack: replaces !== null && compareVersions(request.version, replaces) < 0,
    code: compareCode(former?.approved.at(-1), request),
  };
}

function changeOf({ name, code }: DescribedSkill, former: Grant | undefined): ReviewedSkill["change"] {
  if (former === undefined) return null;
  const { skills = {} } = former;
  if (!Object.hasOwn(skills, name)) return "added";
  return skills[name] === codeDigest(code) ? "same" : "other";
}

/** Follows the rules of `decideActivation`. */
function laterVersions({ range, source, publisher, publishedBy, releaseAgeHours }: ReviewRequest): LaterVersions {
  if (isVersion(range.replace(/^=/u, ""))) return { join: "no-others", afterHours: 0 };
  if (publishedBy === "drwn") return { join: "with-drwn", afterHours: 0 };
  if (publisher !== null) return { join: "same-key", afterHours: source === OWN_REGISTRY ? 0 : releaseAgeHours };
  return { join: source === OWN_REGISTRY ? "published-here" : "none", afterHours: 0 };
}

function compareCode(last: Approval | undefined, { tree, files, filesOf }: ReviewRequest): CodeDifference | null {
  if (last?.tree === tree) return null;
  const before = last === undefined ? NOTHING : filesOf(last);
  // The other parts of a review show what the index says.
  const differing = before && diffFiles(before, files).filter(({ path }) => path !== INDEX_FILE);
  return { from: last?.cardVersion ?? null, files: differing ?? null };
}

const NOTHING: CardFiles = new Map();

function sizeOf(hook: IndexedHook, files: CardFiles): number {
  return hook.files.reduce((bytes, file) => bytes + (files.get(file)?.length ?? 0), 0);
}
