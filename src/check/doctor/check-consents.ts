import { advise, drwn, type Text } from "../../kernel/advice.ts";
import type { Host } from "../../kernel/host.ts";
import type { Finding } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import type { LockedCard } from "../../project/lock.ts";
import { explainOff, explainWait } from "../../trust/activation.ts";
import { explainLess, isLoosened, printOption, type WaitingOption } from "../../trust/options.ts";
import { readRelease } from "../../trust/releases.ts";
import type { WithheldSkill } from "../../write/content.ts";
import {
  approvalInForce,
  type CardActivation,
  commandToBringBack,
  commandToReview,
} from "../../write/plan/activations.ts";
import type { HookIssue } from "./diagnosis.ts";

/** How long before its end a consent ends soon. */
const SOON_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The installed cards whose hooks are not applied since a consent is missing, the guards that left the lock without a
 * person, and what is in force but won't stay so.
 */
export function checkConsents(
  host: Pick<Host, "drwnHome" | "now" | "scope">,
  activations: readonly CardActivation[],
  /** Cards of which nothing is in force, whatever was consented to. */
  notInForce: readonly string[],
): { findings: Finding[]; hookIssues: HookIssue[] } {
  const issues = activations.flatMap((one) => describeIssue(host, one, notInForce));
  const findings = issues.map(({ issue: { card, reason, fix }, severity }): Finding => {
    const code = severity === "error" ? "version-stopped" : "hooks-not-applied";
    return { code, severity, subject: card, message: reason, hint: fix };
  });
  const inForce = activations.flatMap((one) => [
    ...describeDropped(one),
    ...describeYanked(one),
    ...describeEnd(one, host.now()),
  ]);
  return { findings: [...findings, ...inForce], hookIssues: issues.map(({ issue }) => issue) };
}

function describeIssue(
  { drwnHome: home, scope }: Pick<Host, "drwnHome" | "scope">,
  one: CardActivation,
  notInForce: readonly string[],
): { issue: HookIssue; severity: Finding["severity"] }[] {
  const { card, locked, activation } = one;
  if (locked === null || activation.state === "active" || activation.state === "joins") return [];
  // If a card never had hooks, only its skills wait, and `checkSkillConsents` reports those.
  if (locked.hooks.length === 0 && (approvalInForce(one)?.hooks.length ?? 0) === 0) return [];
  const about = { card, version: locked.version, hooks: locked.hooks.map(({ name }) => name) };
  const fix = fixFor(home, locked, one);
  if (activation.state === "off") {
    return [{ issue: { ...about, reason: explainOff(activation.why, scope), fix }, severity: "warning" }];
  }
  const reason = explainWait(activation.why, notInForce.includes(card) ? undefined : activation.approval);
  return [{ issue: { ...about, reason, fix }, severity: activation.outcome === "stops" ? "error" : "warning" }];
}

function fixFor(home: string, { name, hooks, tree }: LockedCard, one: CardActivation): Text {
  // A version without hooks has nothing to consent to: a person can only let the guard go.
  if (hooks.length === 0) return drwn("card untrust", name, "--hooks");
  // Nobody should consent to a version that its publisher took back, unless the consent has the guard stand down for
  // it.
  const isYanked = (readRelease(home, tree)?.yankedAt ?? null) !== null;
  if (isYanked && one.grant?.onYank !== "stand-down") return drwn("update", name);
  const back = commandToBringBack(one);
  return back === null ? commandToReview(one) : advise`${back}; only if you want less: ${commandToReview(one)}`;
}

/** The consent says that a yanked guard stays in force; doctor reports the yank until another version comes. */
function describeYanked(one: CardActivation): Finding[] {
  const { card, locked } = one;
  const approval = approvalInForce(one);
  if (approval === undefined || approval.yankedAt === null) return [];
  const next = locked === null || locked.tree === approval.tree ? drwn("update", card) : commandToReview(one);
  return [
    {
      code: "yanked-in-force",
      severity: "warning",
      subject: card,
      message: `its publisher has yanked ${approval.cardVersion}, which stays in force, as the consent says`,
      hint: advise`${next}, or: ${drwn("card trust", card, "--hooks", "--on-yank", "stand-down")}`,
    },
  ];
}

function describeEnd({ card, grant, activation }: CardActivation, now: Date): Finding[] {
  const end = grant?.expiresAt ?? null;
  if (end === null || approvalInForce({ grant, activation }) === undefined) return [];
  if (Date.parse(end) - now.getTime() > SOON_MS) return [];
  return [
    {
      code: "consent-ends-soon",
      severity: "warning",
      subject: card,
      message: `the consent to its hooks ends at ${end}; from then on they are silent`,
      hint: drwn("card trust", card, "--hooks", "--expires", "30d"),
    },
  ];
}

function describeDropped(one: CardActivation): Finding[] {
  const { card, locked } = one;
  if (locked !== null) return [];
  return [
    {
      code: "guard-left-the-lock",
      severity: "warning",
      subject: card,
      message:
        "is no longer in card.lock, but nobody took the consent to its hooks back: removing a guard needs a person",
      hint: advise`${commandToBringBack(one) ?? drwn("install")}; only if you want less: ${drwn("remove", card)}`,
    },
  ];
}

/** The skills that drwn leaves out or keeps in an earlier version, each with the command that fixes it. */
export function checkSkillConsents(withheld: readonly WithheldSkill[]): Finding[] {
  return withheld.map((one) => {
    const { card, skill, why } = one;
    const about = { subject: card, message: `its skill ${skill} is left out: ${explainWithheld(one)}` };
    if (why !== "refused")
      return {
        ...about,
        code: "skill-not-applied",
        severity: "warning",
        hint: drwn("card trust", card, "--hooks"),
      };
    const hint = advise`${drwn("update", card)}, or: ${drwn("remove", card)}`;
    return { ...about, code: "skill-refused", severity: "error", hint };
  });
}

const WAITING = ["hooks-not-applied", "version-stopped", "skill-not-applied", "skill-refused"];

/** Whether hooks or skills of a card wait for a decision. */
export function isWaiting({ code }: Finding): boolean {
  return WAITING.includes(code);
}

export function explainWithheld(one: WithheldSkill): string {
  return one.instead === null ? explain(one) : `${explain(one)}; the agents have the one from ${one.instead}`;
}

function explain({ fault, activation }: WithheldSkill): string {
  if (fault !== null) return fault;
  if (activation?.state === "waits") return explainWait(activation.why, activation.approval);
  if (activation?.state !== "off") return NOBODY;
  switch (activation.why) {
    case "no-grant":
      return NOBODY;
    case "revoked":
      return "it would make an agent do something by itself, and the consent was revoked";
    case "expired":
      return "it would make an agent do something by itself, and the consent has ended";
  }
}

const NOBODY = "it would make an agent do something by itself, and nobody on this machine has consented to that here";

/** Consents that a project asks for to cards that it doesn't have; `checkConsents` looks at the ones it has. */
export function checkRequests(asked: readonly { card: string; range: string; isInstalled: boolean }[]): Finding[] {
  return asked
    .filter(({ isInstalled }) => !isInstalled)
    .map(({ card, range }) => ({
      code: "consent-asked",
      severity: "warning",
      subject: card,
      message: `trust.json asks for a consent to its hooks in the range ${range}, but the card is not in card.lock; asking grants nothing`,
      hint: drwn("add", card),
    }));
}

/** Option values that a project asks for and that only a person can grant, or nobody can. */
export function checkRequestedOptions(asked: readonly WaitingOption[]): Finding[] {
  return asked.flatMap((one): Finding[] => {
    const { card, hook, option, value, outcome, expected } = one;
    const about = { code: "option-asked", severity: "warning", subject: card } as const;
    if (outcome === "invalid") {
      const printed = clean(printOption(hook, option, value), 400);
      const message = `trust.json asks for ${printed}, but the card has no such option, or not with this value; expected: ${expected}`;
      return [{ ...about, message, hint: null }];
    }
    if (!isLoosened(one)) return [];
    const { what, keep, accept } = explainLess(one);
    return [{ ...about, message: what, hint: `${keep}; only if you want less: ${accept}` }];
  });
}
