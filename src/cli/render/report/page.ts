import { createHash } from "node:crypto";
import { plural } from "../../../kernel/text.ts";
import type { Report } from "../../../operations/report/report.ts";
import { Html, html } from "../html.ts";
import {
  drawBars,
  figureTiles,
  minute,
  number,
  type PageContent,
  replayTiles,
  type Section,
  type Series,
} from "./parts.ts";
import {
  allowedSection,
  guardingSection,
  leftSection,
  refusedSection,
  replaySection,
  shadowSection,
  strayCalls,
  waitingSection,
} from "./sections.ts";
import { STYLE } from "./style.ts";

/** One HTML file that needs nothing else: it has no program and no address, and its policy lets a browser load none. */
export function renderPage(content: PageContent): string {
  const { report, replay } = content;
  const sections = [...reportSections(content), ...(replay === null ? [] : [replaySection(replay)])];
  const title = report === null ? "What a guard would have done" : "What your guards did";
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title} · drwn</title>
${new Html(`<style>${STYLE}</style>`)}
</head>
<body>
<a class="skip" href="#main">To the report</a>
<header>
<h1>${title}</h1>
<p class="lead">${about(content)}</p>
<nav aria-label="Sections"><ul>${sections.map(linkTo)}</ul></nav>
</header>
<main id="main">
${report === null ? "" : figureTiles(report)}${report === null && replay !== null ? replayTiles(replay) : ""}
${sections.map(printSection)}
</main>
<footer>All times are UTC. drwn made this file on this machine, and it loads nothing. It may contain commands of yours: look at it before you pass it on.</footer>
</body>
</html>
`;
  return page.text;
}

function reportSections({ report, waiting }: PageContent): Section[] {
  if (report === null) return [];
  return [
    ...strayCalls(report),
    ...waitingSection(waiting),
    guardingSection(report),
    timeSection(report),
    refusedSection(report),
    ...allowedSection(report),
    ...shadowSection(report),
    slowSection(report),
    ...silentSection(report),
    ...leftSection(report),
  ];
}

function linkTo({ id, short, isAlert = false }: Section): Html {
  return html`<li><a href="#${id}"${isAlert ? new Html(' class="alert"') : ""}>${short}</a></li>`;
}

function printSection({ id, title, isAlert = false, body }: Section): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title"${isAlert ? new Html(' class="alert"') : ""}>
<h2 id="${id}-title">${title}</h2>
${body}
</section>
`;
}

function about({ report, replay }: PageContent): Html {
  if (report === null) {
    const where = replay?.project ?? null;
    return html`${where === null ? "Past sessions in every folder" : html`Past sessions in <code>${where}</code>`}, from ${day(replay?.since ?? "")} on`;
  }
  const [only, ...others] = report.projects;
  const where =
    only === undefined || others.length > 0
      ? html`${report.projects.length} projects on this machine`
      : only.scope === "global"
        ? html`Every folder`
        : html`<code>${only.root}</code>`;
  return html`${where}, from ${minute(report.since)} to ${minute(report.madeAt)}`;
}

function day(time: string): string {
  return time.slice(0, 10);
}

function policy(): string {
  const digest = createHash("sha256").update(STYLE).digest("base64");
  return `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
}

const MOST_SHOWN = 60;
/** The delay of each call that a person begins to notice. */
const SLOW_MS = 50;

/** What each policy answered and how long it took, the slowest first. */
function slowSection({ figures }: Report): Section {
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
function silentSection({ silent }: Report): Section[] {
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

const WIDE = 1040;
const NARROW = 360;

/** Calls and verdicts over time, drawn for two widths: in a picture that is scaled down, the words are too small. */
function timeSection({ spans, figures }: Report): Section {
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
