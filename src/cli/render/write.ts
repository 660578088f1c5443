import { type CommandScope, drwn, sayIn } from "../../kernel/advice.ts";
import { clean, plural } from "../../kernel/text.ts";
import { agentsByState, type ListedCards } from "../../operations/project/list.ts";
import { explainLess } from "../../operations/project/trust.ts";
import type { UninstallResult } from "../../operations/project/uninstall.ts";
import type { WriteResult } from "../../operations/project/write.ts";
import type { Console } from "../terminal/console.ts";
import { beyondGuarding, renderGuarding } from "./guarding.ts";
import { describeGiven, describeServerRun } from "./hook.ts";
import { isLimit, renderFinding } from "./problem.ts";

/** The `--json` answer of `write`. */
export function writeToJson(written: WriteResult): object {
  const { changes, plan, joined, leftUntouched, servers, findings, agents, guarding } = written;
  return {
    guarding,
    changes: changes.map(({ action, path, what }) => ({ action, path, what })),
    policies: plan.policies.map(({ card, cardVersion, hook, kind }) => ({ card, version: cardVersion, hook, kind })),
    joined,
    leftUntouched,
    servers,
    agents: agents.map(({ runtime, file }) => ({ runtime, settingsFile: file })),
    findings,
  };
}

interface WriteView {
  /** Nothing was written, so a person wants to see the files that would be. */
  isDryRun: boolean;
  /** Name drwn's own files, too. */
  isVerbose: boolean;
  /** The folder of drwn's own files. */
  drwnHome: string;
}

export function renderWrite(written: WriteResult, console: Console, view: WriteView): void {
  for (const line of renderGuarding(written.guarding, console)) console.out(line);
  renderWritten(written, console, view);
}

/** The same without the lines about whether the folder is guarded. */
export function renderWritten(written: WriteResult, console: Console, view: WriteView): void {
  const { out, talk, style } = console;
  const { leftUntouched, servers, guarding } = written;
  const findings = beyondGuarding(written.findings, guarding);
  for (const line of describeChanges(written, view)) out(line);
  renderInForce(written, { out });
  for (const server of servers) {
    out(`MCP server ${describeServerRun(server)}`);
    for (const line of describeGiven(server)) out(`  ${line}`);
  }
  for (const one of findings.filter(isLimit)) for (const line of renderFinding(one, console)) out(line);
  for (const file of leftUntouched)
    talk(`${style.warn("kept")} ${clean(file, 2000)}: it was changed after drwn wrote it`);
  for (const one of findings)
    if (!isLimit(one)) for (const line of renderFinding(one, console, { isTalk: true })) talk(line);
}

/** The guards that are in force, those that have just joined first. */
export function renderInForce(written: WriteResult, { out }: Pick<Console, "out">): void {
  for (const card of written.joined) out(`${clean(card)} is inside the range you consented to, and joined`);
  for (const line of describePolicies(written)) out(line);
}

/** The agents' and the project's files; drwn's own only if asked for. */
function describeChanges({ changes }: WriteResult, { isDryRun, isVerbose, drwnHome }: WriteView): string[] {
  if (changes.length === 0) return ["Already up to date"];
  const isShown = ({ path }: { path: string }) => isVerbose || isDryRun || !path.startsWith(`${drwnHome}/`);
  const shown = changes.filter(isShown);
  const would = isDryRun ? "would " : "";
  const lines = shown.map(({ action, path, what }) => `${would}${action} ${clean(path, 2000)} (${clean(what)})`);
  const others = changes.length - shown.length;
  const verb = lines.length === 0 ? "wrote" : "and";
  return others === 0 ? lines : [...lines, `${verb} ${plural(others, "file")} of drwn's own, which --verbose names`];
}

/** `in force: 2 hook policies of @me/backend@1.0.0 (guard-rm, audit)`, one line for each card; in which agents, if not in all of them. */
function describePolicies({ plan, guarding }: WriteResult): string[] {
  const byCard = new Map<string, { of: string; hooks: string[] }>();
  for (const { card, cardVersion, hook } of plan.policies) {
    const { hooks = [] } = byCard.get(card) ?? {};
    byCard.set(card, { of: `${card}@${cardVersion}`, hooks: [...hooks, hook] });
  }
  return [...byCard].map(([card, { of, hooks }]) => {
    const state = describeWhere(agentsByState(guarding, card));
    const listed = hooks.length > MOST_LISTED ? `${hooks.slice(0, MOST_LISTED).join(", ")}, …` : hooks.join(", ");
    return `${state}: ${plural(hooks.length, "hook policy", "hook policies")} of ${clean(of)} (${clean(listed)})`;
  });
}

function describeWhere({ inForce, not }: ReturnType<typeof agentsByState>): string {
  if (inForce.length === 0) return not.length === 0 ? "for agents that aren't found here" : "NOT in force";
  return not.length === 0 ? "in force" : `in force in ${inForce.join(", ")}, NOT in ${not.join(", ")}`;
}

/** How many names of policies one line has. */
const MOST_LISTED = 8;

export function renderUninstalled(
  { changes, removed, projects, remaining }: UninstallResult,
  { out, talk, style, scope }: Console,
  { isDryRun }: { isDryRun: boolean },
): void {
  const would = isDryRun ? "would " : "";
  for (const { action, path, what } of changes) out(`${would}${action} ${clean(path, 2000)} (${clean(what)})`);
  for (const place of removed) out(`${would}remove ${clean(place, 2000)}`);
  if (changes.length + removed.length === 0) out("No agent calls drwn");
  for (const { folders, isThere } of projects) {
    // Of a project in which nothing was ever written, drwn doesn't know the folder.
    if (!isThere && folders.length > 0)
      out(`project folder not found: ${clean(folders.join(", "), 2000)} (moved? ${IN_IT})`);
  }
  for (const { kind, path, why, hint } of remaining) {
    if (kind !== "entry" && kind !== "shared") continue;
    talk(`${style.bad("remains")} ${clean(path, 2000)}: ${clean(why, 1000)}`);
    if (hint !== null) talk(`  hint: ${clean(sayIn(scope, hint), 1000)}`);
  }
  for (const [why, places] of placesByReason(remaining, scope)) {
    out(`kept: ${why}`);
    for (const place of places) out(`  ${clean(place, 2000)}`);
  }
}

/** The places that are meant to stay, by their reason: one reason has many. */
function placesByReason(remaining: UninstallResult["remaining"], scope: CommandScope): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const { kind, path, why, hint } of remaining) {
    if (kind === "entry" || kind === "shared") continue;
    const reason = clean(hint === null ? why : `${why}; \`${sayIn(scope, hint)}\` removes them`, 1000);
    places.set(reason, [...(places.get(reason) ?? []), path]);
  }
  return places;
}

const IN_IT = "run drwn uninstall in its new place, before a purge";

/** What the project asks less for than is in force, though no person accepted that: the first thing to know after a pull. */
export function describeLoosened({ scope, guarding, bringBack, dropped, cards, looserOptions }: ListedCards): string[] {
  const guards = bringBack.map(({ card, spec }) => {
    const listed = cards.find(({ name }) => name === card);
    const isBack = !dropped.includes(card);
    const what = isBack ? `went back in card.lock to ${clean(listed?.version ?? "")}` : "is no longer in card.lock";
    const inForce = isBack ? (listed?.consent?.inForce ?? null) : "what you approved";
    const stays =
      inForce === null || guarding.notInForce.includes(card) ? "" : `, and ${clean(inForce)} stays in force`;
    const accept = isBack ? drwn("card trust", card, "--hooks") : drwn("remove", card);
    const [back, less] = [drwn("add", spec), accept].map((one) => clean(sayIn(scope, one)));
    return `${clean(card)} ${what}${stays}. Bring it back: ${back}. Only if you want less: ${less}`;
  });
  return [...guards, ...looserOptions.map(describeLess)];
}

export function describeLess(one: ListedCards["looserOptions"][number]): string {
  const { what, keep, accept } = explainLess(one);
  return `${clean(one.card)}: ${what}. Bring it back: ${keep}; only if you want less: ${accept}`;
}
