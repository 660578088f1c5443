import type { Text } from "./advice.ts";

interface ProblemDetails {
  /** The command or edit that fixes it, ready to be pasted. */
  hint?: Text;
  /** More lines below the message: the places, the two digests, the candidates. */
  details?: readonly string[];
  /** A mistyped word ("": a missing flag), and what it was probably meant to be: the hint has the typed line with that. */
  meant?: { typed: string; word: string } | undefined;
  cause?: unknown;
}

/** A failure that the user can act on. Anything else that is thrown is our bug. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly hint: Text | undefined;
  readonly details: readonly string[];
  readonly meant: ProblemDetails["meant"];

  constructor(code: ProblemCode, message: string, { hint, details = [], meant, cause }: ProblemDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "Problem";
    this.code = code;
    this.hint = hint;
    this.details = details;
    this.meant = meant;
  }
}

export function isProblem(error: unknown): error is Problem {
  return error instanceof Problem;
}

/** Every problem code and its meaning. `docs/reference/errors.md` is generated from this list. */
export const PROBLEM_CODES = {
  DRWN_BUSY: "Another drwn process is changing the same state and did not finish within 30 seconds.",
  DRWN_HOME_INVALID: "HOME or DRWN_HOME doesn't name a folder in which drwn can keep its state.",
  DRWN_HOME_UNSAFE:
    "A folder or file below DRWN_HOME is a link, belongs to somebody else, or can be changed by others.",
  DRWN_ROOT_NEEDED: "Only root can run a command about what holds for every user of the machine.",
  DRWN_MANAGED_UNSAFE:
    "Somebody other than root could change what holds for every user, or the programs that start it.",
  DRWN_AGENT_NOT_MANAGEABLE: "The agent reads no file of root's, so drwn cannot guard all users of the machine in it.",
  DRWN_FOLDER_INVALID: "The folder in which drwn was started is gone, or has a name that isn't UTF-8 text.",
  DRWN_PLATFORM_UNSUPPORTED: "The command does not work on this operating system.",

  DRWN_FILE_INVALID:
    "A file that drwn reads is not what it should be: the message names file, field, expected and received.",
  DRWN_PREFERENCE_INVALID:
    "`drwn config` doesn't know a preference of this name, or the preference cannot have this value.",
  DRWN_FILE_TOO_LARGE: "A file is larger than drwn reads.",

  DRWN_NAME_INVALID: "A card or hook name is not allowed.",
  DRWN_SPEC_INVALID: "drwn doesn't understand what was typed to name a card.",
  DRWN_VERSION_INVALID: "A version is not strict semver, or carries build metadata.",
  DRWN_RANGE_INVALID: "A semver range is not valid, or too wide for consent.",

  DRWN_SOURCE_EXISTS: "A card source is already there.",
  DRWN_SOURCE_MISSING: "No card source has this name, or is in this folder.",
  DRWN_SOURCE_INVALID: "A card source does not pass its checks; every finding is listed.",
  DRWN_SOURCE_ORPHAN: "A folder of a card source is not named in its manifest, so it is not packed.",
  DRWN_HOOK_EXISTS: "The card source has a hook of this name.",
  DRWN_HOOK_MISSING: "The card source has no hook of this name.",
  DRWN_SKILL_EXISTS: "The card source has a skill of this name.",
  DRWN_SKILL_MISSING: "The card source has no skill of this name.",
  DRWN_SKILL_INVALID: "A SKILL.md is missing, carries hooks that an agent would run, or could be read in two ways.",
  DRWN_SERVER_EXISTS: "The card source has an MCP server of this name.",
  DRWN_SERVER_MISSING: "The card source has no MCP server of this name.",
  DRWN_SERVER_REFUSED:
    "An MCP server of a card cannot be written for an agent: it would get files or variables that no card may name, or something other than the card means.",

  DRWN_POLICY_INVALID: "A policy does not compile, does not load, isn't a policy, or uses more than it declares.",
  DRWN_MATCHER_INVALID: "A matcher isn't a glob that drwn accepts, or could take too long to match.",
  DRWN_CASES_INVALID: "A line of a hook's cases.jsonl isn't a case: the message names file, line and field.",
  DRWN_CASES_FAILED: "A hook does not do what one of its cases says.",
  DRWN_MATCHER_UNKNOWN: "A matcher names a tool that no agent is known to have.",
  DRWN_FIELD_UNUSED: "A field of card.json is another tool's: drwn keeps it in the card, and doesn't use it.",
  DRWN_SUMMARY_UNWRITTEN:
    "The first line of a hook's README, which people read before they consent, is still the template's.",
  DRWN_DECISION_UNKNOWN: "A policy returns a decision that doesn't exist, which counts as a failure.",
  DRWN_INDEX_STALE: "The index of a card's hooks does not belong to its files.",
  DRWN_PACK_REFUSED:
    "A file must not be packed: a link, a secret, a name that some systems cannot hold, or too much of it.",
  DRWN_TARBALL_INVALID: "A tarball holds something a card must not hold, and was refused whole.",

  DRWN_VERSION_EXISTS: "This version is published already; versions are immutable.",
  DRWN_CARD_NOT_FOUND: "No registry has this card.",
  DRWN_VERSION_NOT_FOUND: "The card has no version in this range.",
  DRWN_INTEGRITY_MISMATCH: "Bytes are not the ones that were published or locked; both digests are named.",
  DRWN_REGISTRY_INVALID: "A registry answers something it must not.",
  DRWN_REGISTRY_UNKNOWN: "No registry of this name or identity is set up on this machine.",
  DRWN_REGISTRY_EXISTS: "A registry of this name is set up already.",
  DRWN_REGISTRY_UNREACHABLE: "A registry doesn't answer, answers too late, or cannot answer now.",
  DRWN_REGISTRY_REFUSED: "A registry wants other credentials, or none of its users may do this.",
  DRWN_REGISTRY_ROLLED_BACK: "A registry lists less of a card than it did before.",
  DRWN_REGISTRY_UNABLE: "This kind of registry cannot do that.",
  DRWN_DOWNLOAD_TOO_LARGE: "A registry sends more than drwn reads.",
  DRWN_URL_REFUSED: "A URL is not https, carries credentials, or leads to another place than it may.",
  DRWN_GIT_FAILED: "git could not do what drwn asked of it; its own words are named.",
  DRWN_VERSION_MOVED:
    "A version has different contents from those that were locked, as after somebody moved a git tag.",
  DRWN_CARD_UNAVAILABLE: "The locked bytes of a card are neither vendored nor in its registry.",
  DRWN_BUMP_TOO_SMALL: "What changed since the last version asks for a larger version step.",
  DRWN_DEPRECATION_INVALID: "The text of a deprecation is empty, too long, or more than one line.",

  DRWN_SIGNATURE_MISSING: "A card is not signed, although its publisher signs.",
  DRWN_SIGNATURE_INVALID: "A signature doesn't belong to the card that it comes with.",
  DRWN_SIGNATURE_FOREIGN: "A card is signed with another key than its publisher's.",
  DRWN_KEY_EXISTS: "The scope has a signing key on this machine.",
  DRWN_KEY_MISSING: "The scope has no signing key on this machine.",
  DRWN_KEY_UNKNOWN: "No such key is pinned or entered on this machine.",
  DRWN_KEY_INVALID: "A key is damaged, readable by others, or isn't a key.",

  DRWN_PROJECT_MISSING: "There is no drwn project here.",
  DRWN_PROJECT_EXISTS: "There is a drwn project here already.",
  DRWN_PROJECT_FOREIGN: "The project belongs to another tool that is called drwn, too.",
  DRWN_CARD_NOT_INSTALLED: "The card is not installed in this project.",
  DRWN_CARD_HAS_NO_HOOKS: "The card has no hook policies to consent to.",
  DRWN_LOCK_MISSING: "There is no card.lock to reproduce.",
  DRWN_LOCK_OUTDATED: "card.lock does not belong to config.json, or was edited by hand.",

  DRWN_CONSENT_NEEDED: "Consent needs a person's yes.",
  DRWN_CONSENT_MISSING: "Nothing was consented to for this card in this project.",
  DRWN_CONSENT_MISMATCH: "A consent is for a different content, source, publisher or project.",
  DRWN_TRUST_FILE_UNSAFE: "A trust file is where others can change it, or inside the project.",
  DRWN_CONSENT_DECLINED: "The review was answered with no.",
  DRWN_AGENT_SESSION: "A tool call of an agent tries what only a person may do: consent, or silence a guard.",
  DRWN_PAUSE_INVALID: "A pause is too long or too short, or there is nothing to pause.",
  DRWN_TERMINAL_NEEDED: "The command needs a person at a terminal.",
  DRWN_RANGE_EXCLUDES_VERSION: "The range does not contain the installed version.",
  DRWN_NOTHING_TO_ADOPT: "The project folder was never moved, as far as this machine knows.",
  DRWN_EXCEPTION_INVALID: "A call cannot be let through that way: the message says what is in the way.",
  DRWN_OPTION_INVALID:
    "The card has no such option, or the option can't have this value; the message shows what the card declares.",
  DRWN_EXPIRY_INVALID: "drwn doesn't understand the end of a consent, or it has passed or is too far away.",
  DRWN_LEDGER_INVALID: "The record of consents of this project is damaged.",
  DRWN_LEDGER_UNSAFE: "Somebody else could have changed the record of consents of this project.",

  DRWN_SETTINGS_INVALID: "A settings file of an agent is not strict JSON of the expected shape; nothing was changed.",
  DRWN_SETTINGS_UNSAFE: "A file to be written is a link that leads out of its place.",
  DRWN_AGENT_PROJECT_ONLY: "drwn can only wire the agent in each project, not for every folder.",
  DRWN_TARGET_OCCUPIED: "Something that isn't drwn's is where drwn would write.",
  DRWN_TARGET_CHANGED: "A file changed on disk between planning and writing.",
  DRWN_TARGET_UNWRITABLE: "The system refused to read, write or remove a file; its reason is named.",

  DRWN_CALL_INVALID: "What was typed names no call of the journal.",
  DRWN_CALL_UNKNOWN: "The journal has no such call, or more than one.",
  DRWN_EVENT_INVALID: "The given event, or input of a tool, cannot be sent to the hook.",
  DRWN_PLAN_NOT_WRITTEN: "Consents are not in force: `drwn write` has not run since they changed.",
  DRWN_TOO_MUCH_DENIED:
    "The card would have denied more of your past calls than `--max-denied` allows, or nobody can tell; nothing was consented to.",
  DRWN_LIMIT_INVALID: "What was typed is neither a number of calls nor a share of them.",
  DRWN_TIME_INVALID: "What was typed is neither a point in time nor a time ago.",

  DRWN_DIALECT_UNKNOWN: "drwn cannot tell which other hook system a file of policies belongs to.",
  DRWN_POLICIES_UNREADABLE: "A file of another system's policies cannot be read; line and construct are named.",

  DRWN_USAGE: "drwn doesn't understand the command line.",
} as const;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Something that a person should know. */
export interface Finding {
  /** Stable: kebab-case, or the code of the problem that an author would meet. */
  code: string;
  /** `error`: something that was asked for is not in force. `warning`: a person should look. `info`: a limit, not a fault. */
  severity: "error" | "warning" | "info";
  /** The card, file or program it is about. */
  subject: string;
  message: string;
  details?: readonly string[];
  /** The command or edit that fixes it; null: there is none. */
  hint: Text | null;
}
