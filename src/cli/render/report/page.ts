import { createHash } from "node:crypto";
import { figureTiles, replayTiles } from "./figures.ts";
import { guardingSection, leftSection, waitingSection } from "./guarding.ts";
import { Html, html } from "./html.ts";
import { silentSection, slowSection } from "./policies.ts";
import { refusedSection, shadowSection, strayCalls } from "./refused.ts";
import { replaySection } from "./replay.ts";
import { minute, type PageContent, type Section } from "./section.ts";
import { STYLE } from "./style.ts";
import { timeSection } from "./time.ts";

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
