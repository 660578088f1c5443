import { groupedBy } from "../../../kernel/order.ts";
import { plural } from "../../../kernel/text.ts";
import type { Report, StrayCalls } from "../../../operations/report/report.ts";
import { FEW } from "../proving/rate.ts";
import { number, share } from "./figures.ts";
import { cut, type Html, html } from "./html.ts";
import { minute, type Section } from "./section.ts";

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
  const body = html`<p>${lead} <code>drwn log check</code> says more.</p>
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
    : html`<p class="note">The journal keeps no inputs here, so calls are grouped by the reason that the guard gave. <code>drwn log inputs keep</code> keeps them, redacted.</p>`;
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

function describeCall({ id, at, agent, tool, input, verdict, reason }: Call): Html {
  const as = verdict === "ask" ? "ask" : "deny";
  const what =
    input === null
      ? html`<strong>${tool}</strong>`
      : html`<strong>${tool}</strong> <code>${cut(shownCommand(input), 300)}</code>`;
  return html`<li><span class="tag ${as}">${verdict}</span> ${what}${reason === "" ? "" : html`<div>${cut(reason, 300)}</div>`}<div class="meta"><span>${minute(at)}</span><span>${agent}</span><span>${id}</span></div></li>
`;
}

/** What a shell would run, if the input begins with the command. */
export function shownCommand(input: string): string {
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

export function more(count: number): Html {
  return count <= 0 ? html`` : html`<p class="note">and ${number(count)} more</p>`;
}

function calls(count: number): string {
  return `${number(count)} ${count === 1 ? "call" : "calls"}`;
}
