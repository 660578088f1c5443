import { groupedBy } from "../../../kernel/order.ts";
import { plural } from "../../../kernel/text.ts";
import type { ShownReplay } from "../../../operations/report/read-replay.ts";
import { number } from "./figures.ts";
import { cut, type Html, html } from "./html.ts";
import { FEW, more, shownCommand } from "./refused.ts";
import { minute, type Section } from "./section.ts";

type Found = ShownReplay["found"][number];

const MOST_GROUPS = 60;
const MOST_CALLS = 25;

const OUTCOMES = {
  ran: "it worked",
  failed: "it failed",
  refused: "a person refused it",
  unknown: "how it ended is not known",
} as const;

/** What hooks would have done to the calls of past sessions, and everything that this leaves out. */
export function replaySection(replay: ShownReplay): Section {
  const { calls, denied, deniedThatRan, rate, rateAtMost, found, hooks } = replay;
  const groups = [...groupedBy(found, ({ by, reason, against }) => JSON.stringify([by ?? against?.by, reason]))]
    .map(([, all]) => all)
    .sort((one, other) => other.length - one.length);
  const body = html`<p class="lead">Of ${number(calls)} calls in ${plural(replay.sessions, "session")} of ${replay.agents.join(", ") || "no agent"}, ${number(denied)} would have been denied (${number(deniedThatRan)} of these had worked), ${number(replay.asked)} asked about, ${number(replay.rewritten)} rewritten.</p>
<p><strong>${percent(rate)}</strong> denied, of ${number(calls)}; with so many calls at most <strong>${percent(rateAtMost)}</strong> (upper end of the 95 % interval).</p>
${calls < FEW ? html`<p><span class="tag ask">few calls</span> With less than ${FEW} calls this proves little.</p>` : ""}
<p class="note">Replayed: ${hooks.join(", ") || "no hook"}</p>
${groups.slice(0, MOST_GROUPS).map(describeGroup)}
${groups.length > MOST_GROUPS || replay.isCut ? html`<p class="note">There are more: <code>drwn replay --json</code> has them.</p>` : ""}
${leftOut(replay)}`;
  return { id: "replay", short: "Replay", title: "What a guard would have done to your past", body };
}

function describeGroup(all: readonly Found[]): Html {
  const [first] = all;
  if (first === undefined) return html``;
  const by = first.by ?? first.against?.by ?? "";
  const reason = first.reason === "" ? (first.against?.reason ?? "") : first.reason;
  return html`<details><summary><span class="what"><strong>${by}</strong> ${cut(reason, 200)}</span><span class="tag ${colour(first.verdict)}">${number(all.length)} ${first.verdict}</span></summary><ul class="calls">${all.slice(0, MOST_CALLS).map(describeFound)}</ul>${more(all.length - MOST_CALLS)}</details>
`;
}

function describeFound({ verdict, tool, input, at, agent, folder, outcome, against }: Found): Html {
  const was = against === null ? "" : html`<span>${against.verdict} by the other side</span>`;
  return html`<li><span class="tag ${colour(verdict)}">${verdict}</span> <strong>${tool}</strong> <code>${cut(shownCommand(input), 300)}</code><div class="meta"><span>${minute(at)}</span><span>${agent}</span><span>${OUTCOMES[outcome]}</span>${folder === null ? "" : html`<span>${folder}</span>`}${was}</div></li>
`;
}

function leftOut({ notReplayed, left, isEnded }: ShownReplay): Html {
  const lines = [
    ...notReplayed.map(({ hook, why }) => html`<li>${hook} was not replayed: ${why}</li>`),
    ...Object.entries(left).map(([why, count]) => html`<li>${number(count)} not replayed: ${why}</li>`),
    ...(isEnded ? [html`<li>It was ended before all calls were replayed.</li>`] : []),
  ];
  return lines.length === 0 ? html`` : html`<h3>What this leaves out</h3><ul class="plain">${lines}</ul>`;
}

function colour(verdict: Found["verdict"]): string {
  if (verdict === "deny") return "deny";
  return verdict === "allow" ? "good" : "ask";
}

function percent(rate: number): string {
  return `${(rate * 100).toPrecision(2)} %`;
}
