import fs from "node:fs";
import { layout } from "../contract/layout.ts";
import { createAtomic, writeAtomic } from "../kernel/files.ts";
import { formatJson } from "../kernel/format/json.ts";
import { parseFormat, readBounded } from "../kernel/format/read.ts";
import * as z from "../kernel/format/zod.ts";
import type { Host } from "../kernel/host.ts";
import { isProblem, Problem } from "../kernel/problem.ts";
import { clean, shellQuote } from "../kernel/text.ts";
import { requirePerson } from "../project/open/require-person.ts";

/** How a user likes drwn to work. Nothing here decides what runs, or what is consented to: see `drwn trust settings`. */
interface Preferences {
  /** Whether questions are drawn and redrawn, or asked in lines. */
  terminal: "auto" | "plain";
  /** Which inputs of tools a new journal keeps, redacted. */
  "log.inputs": InputLogging;
  /** How many days a release must have been published before `drwn update` takes it. */
  "update.wait": number;
}

type PreferenceKey = keyof Preferences;

interface Preference {
  about: string;
  /** The values that may be typed, if there are only a few. */
  values: readonly string[];
  /** In words, for messages. */
  expected: string;
  default: string | number;
}

const choice = (about: string, values: readonly string[], preset: string): Preference => {
  return { about, values, expected: values.join(" or "), default: preset };
};

const LONGEST_WAIT = 365;
const TERMINALS = ["auto", "plain"] as const;

export const INPUTS = ["keep", "denied", "off"] as const;

export const PREFERENCES: Readonly<Record<PreferenceKey, Preference>> = {
  "log.inputs": choice("which calls' inputs the journal keeps in a project that is new to drwn", INPUTS, "denied"),
  terminal: choice("plain: questions as lines, and nothing redrawn, for a screen reader", TERMINALS, "auto"),
  "update.wait": {
    about: "how many days a release must be out before `drwn update` takes it",
    values: [],
    expected: `a whole number of days from 0 to ${LONGEST_WAIT}`,
    default: 0,
  },
};

/** Made only when a file is read or a value is typed, since every command that prints loads this module. */
function schemas(): Readonly<Record<PreferenceKey, z.ZodType>> {
  return {
    "log.inputs": z.enum(INPUTS),
    terminal: z.enum(TERMINALS),
    "update.wait": z.int().min(0).max(LONGEST_WAIT),
  };
}

const KEYS = Object.keys(PREFERENCES) as PreferenceKey[];

/** This user's preferences, with drwn's defaults for the rest. Throws if the file is damaged. */
export function readPreferences(home: string): Preferences {
  const preset = Object.fromEntries(KEYS.map((key) => [key, PREFERENCES[key].default]));
  return { ...preset, ...readStored(home) } as unknown as Preferences;
}

/** When a release must have been published for `drwn update` to take it; undefined: whenever. */
export function latestRelease({ drwnHome, now }: Pick<Host, "drwnHome" | "now">): Date | undefined {
  const { "update.wait": wait } = readPreferences(drwnHome);
  return wait === 0 ? undefined : new Date(now().getTime() - wait * 86_400_000);
}

/**
 * Applies the preference to a project that is written for the first time; `drwn log --inputs` can change it at any time.
 */
export function keepInputsFromTheStart({ drwnHome: home }: Host, key: string): void {
  if (!fs.existsSync(layout.written(home, key))) setInputs(home, key, readPreferences(home)["log.inputs"]);
}

/** Works even if the file is damaged. */
export function prefersPlain(home: string): boolean {
  try {
    return readPreferences(home).terminal === "plain";
  } catch {
    return false;
  }
}

export interface ShownPreference {
  key: PreferenceKey;
  value: string | number;
  isSet: boolean;
  about: string;
  expected: string;
}

export function listPreferences({ drwnHome }: Host): ShownPreference[] {
  const now = readPreferences(drwnHome);
  const chosen = readStored(drwnHome);
  return KEYS.map((key) => {
    const { about, expected } = PREFERENCES[key];
    return { key, value: now[key], isSet: key in chosen, about, expected };
  });
}

export function showPreference(host: Host, key: string): ShownPreference {
  const known = requireKey(key);
  const { about, expected } = PREFERENCES[known];
  const isSet = known in readStored(host.drwnHome);
  return { key: known, value: readPreferences(host.drwnHome)[known], isSet, about, expected };
}

export function setPreference(host: Host, key: string, text: string): ShownPreference {
  const known = requireKey(key);
  const schema = schemas()[known];
  const value = [text, Number(text)].find((one) => schema.safeParse(one).success);
  if (value === undefined) {
    throw new Problem("DRWN_PREFERENCE_INVALID", `${known} cannot be \`${clean(text, 80)}\``, {
      details: [`expected: ${PREFERENCES[known].expected}`],
    });
  }
  requirePerson(host, "change preferences", `drwn config set ${known} ${shellQuote(text)}`);
  writeStored(host.drwnHome, { ...readStored(host.drwnHome), [known]: value });
  return showPreference(host, known);
}

/** Takes back one preference, even a damaged one; without a key, all of them and the file. */
export function unsetPreference({ drwnHome: home, ...host }: Host, key: string | undefined): void {
  requirePerson({ ...host, drwnHome: home }, "change preferences", toUnset(key));
  if (key === undefined) {
    fs.rmSync(layout.preferences(home), { force: true });
    return;
  }
  const { [key]: removed, ...others } = readStored(home, parseObject);
  if (removed === undefined) requireKey(key);
  else writeStored(home, others);
}

function toUnset(key: string | undefined): string {
  return `drwn config unset${key === undefined ? "" : ` ${shellQuote(key)}`}`;
}

function requireKey(key: string): PreferenceKey {
  const known = KEYS.find((one) => one === key);
  if (known !== undefined) return known;
  throw new Problem("DRWN_PREFERENCE_INVALID", `there is no preference \`${clean(key, 80)}\``, {
    details: [`there are: ${KEYS.join(", ")}`],
    hint: "drwn config",
  });
}

type Stored = Record<string, unknown>;

/** Most people have no preferences, and finding that out takes no library. */
function readStored(home: string, parse = parseSound): Stored {
  const file = layout.preferences(home);
  const bytes = readBounded(file);
  return bytes === undefined ? {} : parse(bytes, file);
}

function writeStored(home: string, stored: Stored): void {
  writeAtomic(layout.preferences(home), formatJson(stored), 0o600);
}

function parseObject(text: Uint8Array | string, file: string): Stored {
  return withHint(toUnset(undefined), () => parseFormat(text, z.record(z.string(), z.unknown()), { file }));
}

function parseSound(text: Uint8Array | string, file: string): Stored {
  const stored = parseObject(text, file);
  const known: Readonly<Record<string, z.ZodType>> = schemas();
  const damaged = Object.keys(stored).find((key) => known[key]?.safeParse(stored[key]).success !== true);
  if (damaged === undefined) return stored;
  return withHint(toUnset(damaged), () => parseFormat(text, z.strictObject(known).partial(), { file }));
}

/** The problem with the command that fixes the file. */
function withHint<T>(hint: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isProblem(error)) throw error;
    throw new Problem(error.code, error.message, { details: error.details, hint, cause: error });
  }
}
/** Whose inputs the journal keeps: those of all calls, of calls that were denied or asked about, or none. */
export type InputLogging = (typeof INPUTS)[number];

export function setInputs(home: string, key: string, wanted: InputLogging): void {
  const markers = { keep: layout.journalInputs(home, key), off: layout.journalWithoutInputs(home, key) };
  for (const inputs of ["keep", "off"] as const) {
    if (inputs === wanted) createAtomic(markers[inputs], "");
    else fs.rmSync(markers[inputs], { force: true });
  }
}
