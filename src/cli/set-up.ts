import type { Host } from "../kernel/host.ts";
import { clean, plural } from "../kernel/text.ts";
import { acceptRegistry, findRequestedRegistries } from "../operations/machine/registry-settings.ts";
import { searchEverywhere } from "../operations/machine/search.ts";
import { addCards } from "../operations/project/add.ts";
import { type InitResult, initProject } from "../operations/project/init.ts";
import { installCards } from "../operations/project/install.ts";
import { listCards } from "../operations/project/list.ts";
import { type ConsentRequest, reviewConsents } from "../operations/project/trust.ts";
import type { WriteResult } from "../operations/project/write.ts";
import { type Asking, type GrantedCards, offerAtTerminal, reviewAndGrant } from "./ask-to-consent.ts";
import { writeAfterConsent } from "./next-steps.ts";
import type { Console } from "./terminal/console.ts";
import { askYes, chooseSome } from "./terminal/prompt.ts";
import { renderGuarded, requestsWaiting } from "./trust-waiting.ts";

const INIT = { flag: "", command: "drwn init", doing: "setting up" };

interface Setting {
  isProject: boolean;
  /** The starter set, and a yes to what drwn itself publishes; nobody is asked anything. */
  yes: boolean;
  isVerbose: boolean;
}

/**
 * Takes an empty folder, or a clone, to a guarded one, and asks a person at each step that is theirs: which cards,
 * whose registries, which consents. A person who breaks off continues from there when they start it again.
 */
export async function setUp(host: Host, shown: Console, { isProject, yes, isVerbose }: Setting): Promise<WriteResult> {
  const console = inTurnWith(host, shown);
  if (isProject) await takeWhatIsAsked(host, console, { isAsking: !yes });
  else makeProject(host, console);
  // A project may have no card because somebody left before choosing one.
  if (listCards(host).cards.length === 0) await (yes ? takeStarters(host, console) : takeWhatIsChosen(host, console));
  const requests = requestsWaiting(host);
  const consented = yes
    ? await trustOwn(host, requests, { yes, isVerbose, diff: false, console })
    : await offerAtTerminal(host, requests, { console, isVerbose });
  const written = await writeAfterConsent(host, consented);
  console.out();
  if (consented.length < requests.length) console.out("Next: drwn trust");
  renderGuarded(host, written, { console, isVerbose });
  return written;
}

/** A yes in advance is for what came with drwn, whatever else a clone asks for. */
async function trustOwn(host: Host, requests: readonly ConsentRequest[], asking: Asking): Promise<GrantedCards[]> {
  const ours = reviewConsents(host, requests).filter(({ publishedBy }) => publishedBy === "drwn");
  const taken = requests.filter(({ card }) => ours.some((review) => review.card === card));
  return taken.length === 0 ? [] : reviewAndGrant(host, taken, asking);
}

/** What loses most when it goes wrong. */
export const STARTERS = ["@drwn/git", "@drwn/files", "@drwn/secrets", "@drwn/self"] as const;

async function takeStarters(host: Host, console: Console): Promise<void> {
  const { cards } = await addCards(host, [...STARTERS]);
  for (const { name, version } of cards) console.out(`Added ${name}@${version}`);
}

/** A console that clears the progress of long work before each line that it prints. */
function inTurnWith(host: Host, { out, talk, ...rest }: Console): Console {
  const before =
    (print: Console["out"]): Console["out"] =>
    (line) => {
      host.progress("");
      print(line);
    };
  return { ...rest, out: before(out), talk: before(talk) };
}

function makeProject(host: Host, console: Console): void {
  const made = initProject(host);
  console.out(`Made ${clean(made.root, 2000)} a drwn project`);
  console.out(describeFound(made));
}

/** The agents in which a project's policies will run. */
export function describeFound({ runtimes }: Pick<InitResult, "runtimes">): string {
  return runtimes.length === 0
    ? "No agent was found on this machine; name one: drwn write --also <agent>"
    : `Agents found: ${runtimes.join(", ")}`;
}

async function takeWhatIsChosen(host: Host, console: Console): Promise<void> {
  const { cards, unsearched } = await searchEverywhere(host, "");
  for (const { registry, problem } of unsearched)
    console.talk(`${clean(registry)} was not searched: ${clean(problem)}`);
  if (cards.length === 0) {
    console.out(
      "None of your registries has a card yet. Next: drwn add <card>, or write a guard: drwn card new <@scope/name>",
    );
    return;
  }
  const choices = cards.map(({ name, version, description }) => ({
    value: name,
    label: `${clean(name)}@${clean(version)}`,
    hint: clean(description, 80),
  }));
  host.progress("");
  const chosen = await chooseSome("Which guards do you want? Nothing runs before you have reviewed it", choices, INIT);
  if (chosen.length === 0) {
    console.out("No card was taken. Next: drwn add <card>");
    return;
  }
  const added = await addCards(host, chosen);
  for (const { name, version } of added.cards) console.out(`Added ${name}@${version}`);
}

async function takeWhatIsAsked(host: Host, console: Console, { isAsking }: { isAsking: boolean }): Promise<void> {
  const { root, cards } = listCards(host);
  const asked = cards.length === 0 ? "no card yet" : plural(cards.length, "card");
  console.out(`${clean(root, 2000)} is a drwn project and asks for ${asked}`);
  for (const { name, version } of cards) console.out(`  ${clean(name)}@${clean(version)}`);
  for (const registry of isAsking ? await findRequestedRegistries(host) : []) {
    const { scope, location, here, cards: names } = registry;
    console.talk(`The project has ${clean(names.join(", "), 400)} from ${clean(location, 400)}.`);
    console.talk(`This machine takes cards of ${clean(scope)} from ${clean(here, 400)}.`);
    const isAccepted = await askYes(`Take all cards of ${clean(scope)} from there, in every project of yours?`, INIT);
    if (!isAccepted) continue;
    const { name } = await acceptRegistry(host, registry);
    console.out(`Cards of ${clean(scope)} come from ${clean(name)}, ${clean(location, 400)}`);
  }
  const installed = await installCards(host, { frozen: false });
  for (const { name, version, fetched } of installed.cards) if (fetched) console.out(`Fetched ${name}@${version}`);
}
