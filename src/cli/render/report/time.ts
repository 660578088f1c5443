import { plural } from "../../../kernel/text.ts";
import type { Report } from "../../../operations/report/report.ts";
import { drawBars, type Series } from "./chart.ts";
import { number } from "./figures.ts";
import { html } from "./html.ts";
import type { Section } from "./section.ts";

const WIDE = 1040;
const NARROW = 360;

/** Calls and verdicts over time, drawn for two widths: in a picture that is scaled down, the words are too small. */
export function timeSection({ spans, figures }: Report): Section {
  const [id, short] = ["time", "Over time"];
  const title = "Calls and verdicts over time";
  if (figures.calls === 0) {
    return { id, short, title, body: html`<p class="lead">No call was noted in this time.</p>` };
  }
  const { minutes, counts } = spans;
  const labels = counts.map(({ from }) =>
    minutes < DAY ? `${from.slice(5, 10)} ${from.slice(11, 16)}` : from.slice(0, 10),
  );
  const shown = labels.map((label) => (minutes < DAY ? label : label.slice(5)));
  const series: Series[] = [
    { name: "let through", colour: "allow", isBelow: false, counts: counts.map(({ allowed }) => allowed) },
    { name: "asked about", colour: "ask", isBelow: true, counts: counts.map(({ asked }) => asked) },
    { name: "denied", colour: "deny", isBelow: true, counts: counts.map(({ denied }) => denied) },
  ];
  const draw = (width: number) => drawBars({ labels: shown, series, width });
  const { calls, denies, asks } = figures;
  const said = `Bars over time. ${plural(calls, "call")}: ${number(denies)} denied, ${number(asks)} asked about. The table below has each figure.`;
  const body = html`<p class="lead">Each bar is ${lengthInWords(minutes)}. Above, the calls that were let through; below, on their own scale, the others.</p>
<figure role="img" aria-label="${said}">
<div class="wide-chart">${draw(WIDE)}</div><div class="narrow">${draw(NARROW)}</div>
</figure>
<ul class="legend"><li>let through</li><li class="ask">asked about</li><li class="deny">denied</li></ul>
<details><summary><span class="what">The same as a table</span></summary>
<div class="wide" role="region" aria-label="Calls over time, as a table" tabindex="0"><table>
<thead><tr><th scope="col">From</th><th scope="col" class="num">Let through</th><th scope="col" class="num">Asked about</th><th scope="col" class="num">Denied</th><th scope="col" class="num">Failures</th></tr></thead>
<tbody>${counts.map(
    ({ allowed, asked, denied, failed }, at) =>
      html`<tr><th scope="row">${labels[at] ?? ""}</th>${[allowed, asked, denied, failed].map((one) => html`<td class="num">${number(one)}</td>`)}</tr>`,
  )}</tbody></table></div></details>`;
  return { id, short, title, body };
}

const DAY = 24 * 60;

function lengthInWords(minutes: number): string {
  if (minutes < 60) return plural(minutes, "minute");
  return minutes < DAY ? plural(minutes / 60, "hour") : plural(minutes / DAY, "day");
}
