import { type CommandScope, isCommand, sayIn, type Text } from "../../../kernel/advice.ts";
import { plural } from "../../../kernel/text.ts";
import type { Report } from "../../../operations/report/report.ts";
import { describeConsent } from "../consent/consent.ts";
import { type Html, html, type Markup } from "./html.ts";
import type { PageContent, Section } from "./section.ts";

type Project = Report["projects"][number];
type Agent = Project["guarding"]["agents"][number];

const WORDS: Readonly<Record<Agent["standing"], { text: string; as: "good" | "ask" | "deny" }>> = {
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
  const agents = guarding.agents.map(({ title, standing, because }): Markup => {
    const { text, as } = WORDS[standing];
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
