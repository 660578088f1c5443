import type { Report } from "../../../operations/report/report.ts";
import { number } from "./figures.ts";
import { html } from "./html.ts";
import type { Section } from "./section.ts";

const MOST_SHOWN = 60;
/** The delay of each call that a person begins to notice. */
const SLOW_MS = 50;

/** What each policy answered and how long it took, the slowest first. */
export function slowSection({ figures }: Report): Section {
  const [id, short] = ["policies", "Policies"];
  const title = "How long each policy takes";
  const slowest = figures.policies.toSorted((one, other) => other.p99 - one.p99);
  if (slowest.length === 0) return { id, short, title, body: html`<p class="lead">No policy was asked.</p>` };
  const rows = slowest.slice(0, MOST_SHOWN).map(({ policy, kind, asked, denies, asks, failures, p50, p99 }) => {
    const slow = p99 > SLOW_MS ? html` <span class="tag ask">slow</span>` : "";
    const failed = failures === 0 ? html`0` : html`<span class="tag deny">${number(failures)}</span>`;
    const counts = [
      ["Asked", number(asked)],
      ["Denied", number(denies)],
      ["Asks", number(asks)],
      ["Failures", failed],
      ["Half within", `${p50} ms`],
      ["99 of 100 within", `${p99} ms`],
    ] as const;
    return html`<tr><th scope="row">${policy}${slow}</th><td data-name="Kind">${kind}</td>${counts.map(([name, value]) => html`<td class="num" data-name="${name}">${value}</td>`)}</tr>`;
  });
  const body = html`<div class="wide" role="region" aria-label="Policies and their times" tabindex="0"><table class="stack"><thead><tr><th scope="col">Policy</th><th scope="col">Kind</th><th scope="col" class="num">Asked</th><th scope="col" class="num">Denied</th><th scope="col" class="num">Asks</th><th scope="col" class="num">Failures</th><th scope="col" class="num">Half within</th><th scope="col" class="num">99 of 100</th></tr></thead><tbody>${rows}</tbody></table></div>
${slowest.length > MOST_SHOWN ? html`<p class="note">and ${slowest.length - MOST_SHOWN} faster ones</p>` : ""}`;
  return { id, short, title, body };
}

/** Guards that never said no: either nothing happened, or they do nothing. */
export function silentSection({ silent }: Report): Section[] {
  if (silent.length === 0) return [];
  const body = html`<p class="lead">They are in force, and neither denied anything nor asked. That may be fine; a guard that was never asked may have a matcher that matches nothing.</p>
<ul class="plain">${silent
    .slice(0, MOST_SHOWN)
    .map(
      ({ policy, asked }) =>
        html`<li>${policy} <span class="tag${asked === 0 ? " ask" : ""}">${asked === 0 ? "never asked" : `asked ${number(asked)} ${asked === 1 ? "time" : "times"}`}</span></li>`,
    )}</ul>`;
  return [{ id: "silent", short: "Silent", title: "Guards that never fired", body }];
}
