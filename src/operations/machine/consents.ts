import { parseCardName } from "../../card/name.ts";
import type { Approval, Grant } from "../../contract/ledger.ts";
import { drwn } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import { Problem } from "../../kernel/problem.ts";
import { findWaitingOptions } from "../../project/open/installed-card.ts";
import { type OpenProject, openProject, openToDecide } from "../../project/open/open-project.ts";
import { requirePerson } from "../../project/open/require-person.ts";
import { readTrustRequest } from "../../project/trust-request.ts";
import {
  CONSENT_DEFAULTS,
  type ConsentSettings,
  type RegistrySettings,
  readConsentSettings,
} from "../../registry/settings.ts";
import {
  type ChainedLog,
  type ConsentEvent,
  readConsentLog,
  readSettingsLog,
  recordedTaking,
  recordSettingsChange,
  type SettingsEvent,
  settingsApart,
} from "../../trust/consent-log.ts";
import { activeGrant } from "../../trust/ledger-file.ts";
import type { WaitingOption } from "../../trust/options.ts";
import { isPaused } from "../project/pause.ts";
import { changeSettings } from "./registry-settings.ts";

/** One consent of this machine's user, as `trust` shows it. */
export interface ListedConsent {
  card: string;
  range: string;
  mode: Grant["mode"];
  publisher: string | null;
  /** The version that was approved last; null: none was. */
  version: string | null;
  /** On whose word. */
  by: Approval["by"] | null;
  grantedAt: string;
  revokedAt: string | null;
  expiresAt: string | null;
}

interface ListedConsents {
  root: string;
  consents: ListedConsent[];
  /** What the project asks for and the user of this machine hasn't granted. */
  asked: RequestedConsent[];
  /** Options for which the project asks for other values, by card. */
  askedOptions: WaitingOption[];
  /** ISO 8601; null: not paused. */
  pausedUntil: string | null;
}

interface RequestedConsent {
  card: string;
  range: string;
  /** False: the card isn't in card.lock, so there is nothing to review. */
  isInstalled: boolean;
}

/** What was consented to in this project, withdrawn consents included, and what the project still asks for. */
export function listConsents(host: Host): ListedConsents {
  const project = openProject(host);
  const { root, ledger } = project;
  return {
    root,
    consents: (ledger?.grants ?? []).map(toListed),
    asked: findRequested(project),
    askedOptions: findWaitingOptions(project),
    pausedUntil: isPaused(ledger, host.now()) ? (ledger?.pausedUntil ?? null) : null,
  };
}

/** The requests of the committed trust.json that this machine's user has not granted. */
export function findRequested({
  root,
  lock,
  ledger,
}: Pick<OpenProject, "root" | "lock" | "ledger">): RequestedConsent[] {
  const installed = new Set(lock.cards.map(({ name }) => name));
  return Object.entries(readTrustRequest(root).requests)
    .filter(([card]) => activeGrant(ledger, card) === undefined)
    .map(([card, { hooks }]) => ({ card, range: hooks, isInstalled: installed.has(card) }));
}

export function findRequestedHere(host: Host): RequestedConsent[] {
  return findRequested(openToDecide(host));
}

/** Everything that is recorded about one consent. */
export function showConsent(host: Host, name: string): Grant {
  const card = parseCardName(name);
  const { root, ledger } = openProject(host);
  const grant = ledger?.grants.find((one) => one.card === card);
  if (grant !== undefined) return grant;
  throw new Problem("DRWN_CONSENT_MISSING", `nothing was consented to for ${card} in ${root}`, {
    hint: drwn("card trust", card, "--hooks"),
  });
}

export interface LoggedConsents {
  root: string;
  events: ConsentEvent[];
  /** Lines of the log that were edited, torn, or put after a line that is gone. */
  broken: number[];
  /** The log of how this machine takes consents, which holds for every project. */
  machine: ChainedLog<SettingsEvent>;
}

/** Every change of consent in this project, or of one card if it is named, oldest first. */
export function readConsentHistory(host: Host, name: string | undefined): LoggedConsents {
  const card = name === undefined ? undefined : parseCardName(name);
  const { root, key } = openProject(host);
  const { events, broken } = readConsentLog(host.drwnHome, key);
  return {
    root,
    broken,
    machine: readSettingsLog(host.drwnHome),
    events: events.filter((event) => card === undefined || event.card === card || event.card === null),
  };
}

function toListed({ card, range, mode, publisher, approved, grantedAt, revokedAt, expiresAt }: Grant): ListedConsent {
  const last = approved.at(-1);
  const version = last?.cardVersion ?? null;
  return { card, range, mode, publisher, version, by: last?.by ?? null, grantedAt, revokedAt, expiresAt };
}

/** A setting that is missing or undefined stays as it is. */
type ConsentSettingsRequest = { [Name in keyof ConsentSettings]?: ConsentSettings[Name] | undefined };

/** Which proof that a person consents this machine requires. */
export function showConsentSettings({ drwnHome }: Host): ConsentSettings {
  return readConsentSettings(drwnHome);
}

/**
 * Changes it, for every project on this machine. Only a person may: an agent that could do it could then consent, too.
 */
export async function setConsentSettings(host: Host, asked: ConsentSettingsRequest): Promise<ConsentSettings> {
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  requirePerson(host, "change how consents are given", "drwn trust settings");
  const change = (settings: RegistrySettings): ConsentSettings => {
    settings.consent = { ...settings.consent, ...given };
    return { ...CONSENT_DEFAULTS, ...settings.consent };
  };
  return changeSettings(host, change, () => note(host, given));
}

/**
 * Logs a change before it is made, and only that change: if anything else differs from the log, nobody set it through
 * drwn, and doctor keeps saying so.
 */
function note({ drwnHome: home, now }: Host, change: Partial<ConsentSettings>): void {
  const recorded = recordedTaking(readSettingsLog(home), CONSENT_DEFAULTS);
  const next = { ...recorded, ...change };
  if (settingsApart(recorded, next).length > 0) recordSettingsChange(home, { time: now().toISOString(), ...next });
}
