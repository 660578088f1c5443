import { type CommandScope, isCommand, sayIn, type Text } from "../../../kernel/advice.ts";
import { groupedBy } from "../../../kernel/order.ts";
import { plural } from "../../../kernel/text.ts";
import type { Report, ShownReplay, StrayCalls } from "../../../operations/report/report.ts";
import { describeConsent } from "../consents.ts";
import { cut, type Html, html, type Markup } from "../html.ts";
import { FEW, percent } from "../replay.ts";
import { minute, number, type PageContent, type Section, share } from "./parts.ts";

type Group = Report["refused"][number];
type Call = Group["calls"][number];

/** Calls that ran though they were denied, and those that no hook ever saw: nothing on the page matters more. */
export function strayCalls({ overruled, unseen }: Report): Section[] {
  return [
    ...straySection(overruled, {
      id: "overruled",
      short: "Overruled",
      title: `${calls(overruled.count)} ran though denied`,
      lead: "In the journal the hook denied, and by the agent's own record of its sessions the tool ran.",
    }),
    ...straySection(unseen, {
      id: "unseen",
      short: "Unseen",
      title: `${calls(unseen.count)} ran that no hook saw`,
      lead: "The agent's own record of its sessions has this, and the journal doesn't.",
    }),
  ];
}

function straySection(
  { count, calls: named }: StrayCalls,
  { lead, ...section }: { id: string; short: string; title: string; lead: string },
): Section[] {
  if (count === 0) return [];
  const body = html`<p>${lead} <code>drwn log --check</code> says more.</p>
<ul class="calls">${named.map(
    ({ at, agent, tool, session, subagent, denied }) =>
      html`<li><span class="tag deny">${denied === null ? "unseen" : "ran"}</span> <strong>${tool}</strong> <div class="meta"><span>${minute(at)}</span><span>${agent}</span><span>session ${cut(session, 80)}</span>${denied === null ? "" : html`<span>denied: ${denied}</span>`}${subagent ? html`<span>a subagent</span>` : ""}</div></li>`,
  )}</ul>${more(count - named.length)}`;
  return [{ ...section, isAlert: true, body }];
}

/** What was denied and why: a line for each guard and kind of call, which opens to single calls. */
export function refusedSection({ refused, moreGroups, figures }: Report): Section {
  const [id, short] = ["denied", "Denied"];
  const title = "What was denied, and why";
  if (refused.length === 0)
    return { id, short, title, body: html`<p class="lead">Nothing was denied or asked about.</p>` };
  const guards = [...groupedBy(refused, ({ guard }) => guard)];
  const hasInputs = refused.some((group) => group.calls.some(({ input }) => input !== null));
  const advice = hasInputs
    ? ""
    : html`<p class="note">The journal keeps no inputs here, so calls are grouped by the reason that the guard gave. <code>drwn log --inputs denied</code> keeps them, redacted.</p>`;
  const body = html`<p class="lead">${number(figures.denies)} denied (${share(figures.denies, figures.calls)}), ${number(figures.asks)} asked about. Open a line to see its last calls; <code>drwn why</code> with the digits of a call says more.</p>${advice}
${guards.map(([guard, groups]) => html`<h3>${guard}</h3>${groups.map(describeGroup)}`)}
${moreGroups === 0 ? "" : html`<p class="note">${plural(moreGroups, "smaller group")} more: <code>drwn log --verdict deny</code> has all calls.</p>`}`;
  return { id, short, title, body };
}

function describeGroup({ kind, denied, asked, calls: last }: Group): Html {
  const counts = [
    ...(denied > 0 ? [html`<span class="tag deny">${number(denied)} denied</span>`] : []),
    ...(asked > 0 ? [html`<span class="tag ask">${number(asked)} asked</span>`] : []),
  ];
  return html`<details><summary><span class="what">${cut(kind, 160)}</span>${counts}</summary><ul class="calls">${last.map(describeCall)}</ul>${more(denied + asked - last.length)}</details>
`;
}

/** What a person let through past a guard. */
export function allowedSection({ allowed }: Report): Section[] {
  if (allowed.count === 0) return [];
  const body = html`<p class="lead">A guard denied these calls, and a person let them through. <code>drwn allow --list</code> shows what holds still.</p>
<ul class="calls">${allowed.calls.map(
    (call) =>
      html`<li><span class="tag ask">let through</span> ${describeAsked(call)}<div class="meta"><span>${minute(call.at)}</span><span>${call.agent}</span><span>past ${call.past.join(", ")}</span><span>${call.id}</span></div></li>
`,
  )}</ul>${more(allowed.count - allowed.calls.length)}`;
  return [{ id: "allowed", short: "Let through", title: "What a person let through", body }];
}

function describeAsked({ tool, input }: Pick<Call, "input" | "tool">): Html {
  if (input === null) return html`<strong>${tool}</strong>`;
  return html`<strong>${tool}</strong> <code>${cut(shownCommand(input), 300)}</code>`;
}

function describeCall({ id, at, agent, tool, input, verdict, reason, isAllowable }: Call): Html {
  const as = verdict === "ask" ? "ask" : "deny";
  return html`<li><span class="tag ${as}">${verdict}</span> ${describeAsked({ tool, input })}${reason === "" ? "" : html`<div>${cut(reason, 300)}</div>`}<div class="meta"><span>${minute(at)}</span><span>${agent}</span><span>${isAllowable ? html`<code>drwn allow ${id}</code>` : id}</span></div></li>
`;
}

/** What a shell would run, if the input begins with the command. */
function shownCommand(input: string): string {
  return /^\{"command":"((?:[^"\\]|\\.)*)"/u.exec(input)?.[1]?.replace(/\\(["\\/])/gu, "$1") ?? input;
}

/** What guards in shadow mode would have done. */
export function shadowSection({ shadow }: Report): Section[] {
  if (shadow.length === 0) return [];
  const rows = shadow.map(
    ({ policy, calls: seen, denied, asked, first, last }) =>
      html`<tr><th scope="row">${policy}</th><td class="num" data-name="Calls">${number(seen)}</td><td class="num" data-name="Would deny">${number(denied)}</td><td class="num" data-name="Would ask">${number(asked)}</td><td data-name="Looked">${minute(first)} to ${minute(last)}</td><td data-name="To make it count"><code>drwn card trust ${policy.slice(0, policy.indexOf("@", 1))} --hooks --enforce</code></td></tr>`,
  );
  const few = shadow.some(({ calls: seen }) => seen < FEW);
  const body = html`<p class="lead">These guards only watch: drwn notes what they say, and holds no call.</p>
<div class="wide" role="region" aria-label="Guards in shadow mode" tabindex="0"><table class="stack"><thead><tr><th scope="col">Guard</th><th scope="col" class="num">Calls</th><th scope="col" class="num">Would deny</th><th scope="col" class="num">Would ask</th><th scope="col">Looked</th><th scope="col">To make it count</th></tr></thead><tbody>${rows}</tbody></table></div>${few ? html`<p class="note">With fewer than ${FEW} calls this proves little.</p>` : ""}`;
  return [{ id: "shadow", short: "Shadow", title: "What the shadow would have done", body }];
}

function more(count: number): Html {
  return count <= 0 ? html`` : html`<p class="note">and ${number(count)} more</p>`;
}

function calls(count: number): string {
  return `${number(count)} ${count === 1 ? "call" : "calls"}`;
}

type Found = ShownReplay["found"][number];

const MOST_GROUPS = 60;
const MOST_CALLS = 25;
const MOST_REASONS = 100;

const OUTCOMES = {
  ran: "it worked",
  failed: "it failed",
  refused: "it was refused",
  unknown: "how it ended is not known",
} as const;

/** What hooks would have done to the calls of past sessions, and everything that this leaves out. */
export function replaySection(replay: ShownReplay): Section {
  const { calls, denied, deniedThatRan, rate, rateAtMost, found, hooks, against } = replay;
  const groups = [...groupedBy(found, (one) => JSON.stringify([wordOf(one), ...speakersOf(one)]))]
    .map(([, all]) => all)
    .sort((one, other) => other.length - one.length);
  const body = html`<p class="lead">Of ${number(calls)} calls in ${plural(replay.sessions, "session")} of ${replay.agents.join(", ") || "no agent"}, ${number(denied)} would have been denied (${number(deniedThatRan)} of these had worked), ${number(replay.asked)} asked about, ${number(replay.rewritten)} rewritten.</p>
<p><strong>${percent(rate)}</strong> denied, of ${number(calls)}; with so many calls at most <strong>${percent(rateAtMost)}</strong> (upper end of the 95 % interval).</p>
${calls < FEW ? html`<p><span class="tag ask">few calls</span> With fewer than ${FEW} calls this proves little.</p>` : ""}
<p class="note">Replayed: ${hooks.join(", ") || "no hook"}</p>
${against === null ? "" : html`<p class="note">Compared with: ${against.join(", ") || "no hook"}. This lists the calls on which the two sides differ.</p>`}
${groups.slice(0, MOST_GROUPS).map(describeReplayGroup)}
${groups.length > MOST_GROUPS || replay.isCut ? html`<p class="note">There are more: <code>drwn replay --json</code> has them.</p>` : ""}
${leftOut(replay)}`;
  return { id: "replay", short: "Replay", title: "What a guard would have done to your past", body };
}

function describeReplayGroup(all: readonly Found[]): Html {
  const [first] = all;
  if (first === undefined) return html``;
  const said = speakersOf(first).map(({ by, reason }) => html`<strong>${by}</strong> ${cut(reason, 200)} `);
  return html`<details><summary><span class="what">${said}</span><span class="tag ${colour(first.verdict)}">${number(all.length)} ${wordOf(first)}</span></summary><ul class="calls">${all.slice(0, MOST_CALLS).map(describeFound)}</ul>${more(all.length - MOST_CALLS)}</details>
`;
}

/** `deny`, or in a comparison `deny, not allow`. */
function wordOf({ verdict, against }: Found): string {
  return against === null ? verdict : `${verdict}, not ${against.verdict}`;
}

/** Who objects to the call, on either side. */
function speakersOf({ by, reason, against }: Found): { by: string; reason: string }[] {
  const sides = [{ by, reason }, ...(against === null ? [] : [against])];
  return sides.flatMap((one) => (one.by === null ? [] : [{ by: one.by, reason: one.reason }]));
}

function describeFound(found: Found): Html {
  const { verdict, tool, input, at, agent, folder, outcome } = found;
  return html`<li><span class="tag ${colour(verdict)}">${wordOf(found)}</span> <strong>${tool}</strong> <code>${cut(shownCommand(input), 300)}</code><div class="meta"><span>${minute(at)}</span><span>${agent}</span><span>${OUTCOMES[outcome]}</span>${folder === null ? "" : html`<span>${folder}</span>`}</div></li>
`;
}

function leftOut({ notReplayed, left, isEnded }: ShownReplay): Html {
  const lines = [
    ...notReplayed.map(({ hook, why }) => html`<li>${hook} was not replayed: ${why}</li>`),
    ...Object.entries(left)
      .slice(0, MOST_REASONS)
      .map(([why, count]) => html`<li>${number(count)} not replayed: ${why}</li>`),
    ...(isEnded ? [html`<li>It was ended before all calls were replayed.</li>`] : []),
  ];
  return lines.length === 0 ? html`` : html`<h3>What this leaves out</h3><ul class="plain">${lines}</ul>`;
}

function colour(verdict: Found["verdict"]): string {
  if (verdict === "deny") return "deny";
  return verdict === "allow" ? "good" : "ask";
}

type Project = Report["projects"][number];
type Agent = Project["guarding"]["agents"][number];

const WORDS: Readonly<Record<Agent["state"], { text: string; as: "good" | "ask" | "deny" }>> = {
  guarded: { text: "guarded", as: "good" },
  watched: { text: "watched, not guarded", as: "ask" },
  blocked: { text: "every call is blocked", as: "deny" },
  paused: { text: "not guarded: paused", as: "deny" },
  unknown: { text: "not known whether guarded", as: "deny" },
  unguarded: { text: "not guarded", as: "deny" },
};

/** What is guarded, in which agent, and by what; and if not, why. */
export function guardingSection({ projects }: Report): Section {
  return {
    id: "guarded",
    short: "Guarded",
    title: "What is guarded, and by what",
    body: html`${projects.map(describeProject)}`,
  };
}

function describeProject(project: Project): Html {
  const { root, scope, guarding, cards, findings } = project;
  const name = scope === "global" ? html`Every folder` : html`<code>${root}</code>`;
  const agents = guarding.agents.map(({ title, state, because }): Markup => {
    const { text, as } = WORDS[state];
    const why =
      because === null ? "" : html` <span class="note">${because.message}${adviceFor(scope, because.hint)}</span>`;
    return html`<li><strong>${title}</strong> <span class="tag ${as}">${text}</span>${why}</li>`;
  });
  const nobody = html`<li><span class="tag ask">not guarded</span> Nobody on this machine has consented to hook policies here.</li>`;
  const said = new Set(guarding.agents.map(({ because }) => because?.message));
  const worse = findings.filter(({ severity, message }) => severity === "error" && !said.has(message));
  return html`<h3>${name}</h3>
<ul class="plain">${agents.length === 0 ? nobody : agents}</ul>
${cards.length === 0 ? "" : cardTable(project)}
${worse.length === 0 ? "" : html`<ul class="plain">${worse.map(({ message, hint }) => html`<li><span class="tag deny">error</span> ${message}${adviceFor(scope, hint)}</li>`)}</ul>`}`;
}

function cardTable({ cards, scope }: Project): Html {
  return html`<div class="wide"><table class="stack"><thead><tr><th scope="col">Card</th><th scope="col">Version</th><th scope="col">Guards</th><th scope="col">Consent</th></tr></thead><tbody>${cards.map(
    ({ name, version, hooks, consent }) =>
      html`<tr><th scope="row">${name}</th><td data-name="Version">${version}</td><td data-name="Guards">${hooks.length === 0 ? "none" : hooks.join(", ")}</td><td data-name="Consent">${describeConsent(consent, scope)}</td></tr>`,
  )}</tbody></table></div>`;
}

function adviceFor(scope: CommandScope, hint: Text | null): Markup {
  if (hint === null) return "";
  const said = sayIn(scope, hint);
  return isCommand(hint) ? html` <code>${said}</code>` : html` To fix it, ${said}.`;
}

/** What a person has to decide or to do, each with its command. */
export function waitingSection(waiting: PageContent["waiting"]): Section[] {
  if (waiting.length === 0) return [];
  const body = html`<ul class="plain steps">${waiting.map(({ project, command }) => html`<li><code>${command}</code> <span class="note">in ${project}</span></li>`)}</ul>`;
  return [{ id: "waiting", short: "Waiting", title: "What waits for you", body }];
}

/** Projects that the report leaves out. */
export function leftSection({ left }: Report): Section[] {
  if (left.length === 0) return [];
  const body = html`<ul class="plain">${left.map(({ project, why }) => html`<li><code>${project}</code> ${why}</li>`)}</ul>`;
  return [{ id: "left", short: "Left out", title: `${plural(left.length, "project")} could not be read`, body }];
}
