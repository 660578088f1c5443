import { groupedBy } from "../../../kernel/order.ts";
import { plural } from "../../../kernel/text.ts";
import type { ShownReplay } from "../../../operations/report/read-replay.ts";
import { FEW, percent } from "../proving/rate.ts";
import { number } from "./figures.ts";
import { cut, type Html, html } from "./html.ts";
import { more, shownCommand } from "./refused.ts";
import { minute, type Section } from "./section.ts";

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
${groups.slice(0, MOST_GROUPS).map(describeGroup)}
${groups.length > MOST_GROUPS || replay.isCut ? html`<p class="note">There are more: <code>drwn replay --json</code> has them.</p>` : ""}
${leftOut(replay)}`;
  return { id: "replay", short: "Replay", title: "What a guard would have done to your past", body };
}

function describeGroup(all: readonly Found[]): Html {
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
