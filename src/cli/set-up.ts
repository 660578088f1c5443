import type { Host } from "../kernel/host.ts";
import { clean, plural } from "../kernel/text.ts";
import { findRequestedHere } from "../operations/machine/consents.ts";
import { acceptRegistry, findRequestedRegistries } from "../operations/machine/registry-settings.ts";
import { searchEverywhere } from "../operations/machine/search.ts";
import { addCards } from "../operations/project/add.ts";
import { type InitResult, initProject } from "../operations/project/init.ts";
import { installCards } from "../operations/project/install.ts";
import { listAwaitingConsent, listCards } from "../operations/project/list.ts";
import { writeAfterConsent } from "./next-steps.ts";
import { renderGuarding } from "./render/guarding.ts";
import { renderWritten } from "./render/write.ts";
import { askOneByOne } from "./review-and-grant.ts";
import type { Console } from "./terminal/console.ts";
import { askYes, chooseSome } from "./terminal/prompt.ts";

const INIT = { flag: "", command: "drwn init", doing: "setting up" };

/**
 * Takes an empty folder, or a clone, to a guarded one, and asks a person at each step that is theirs: which cards,
 * whose registries, which consents. A person who breaks off continues from there when they start it again.
 */
export async function setUp(host: Host, shown: Console, { isProject }: { isProject: boolean }): Promise<void> {
  const console = inTurnWith(host, shown);
  if (isProject) await takeWhatIsAsked(host, console);
  else makeProject(host, console);
  // A project may have no card because somebody left before choosing one.
  if (listCards(host).cards.length === 0) await takeWhatIsChosen(host, console);
  const asked = new Map(findRequestedHere(host).map(({ card, range }) => [card, range]));
  const requests = listAwaitingConsent(host).map((card) => ({ card, range: asked.get(card) ?? null }));
  const consented = await askOneByOne(host, requests, { yes: false, diff: false, console });
  const written = await writeAfterConsent(host, consented);
  console.out();
  renderWritten(written, console, { isDryRun: false, isVerbose: false, drwnHome: host.drwnHome });
  if (consented.length < requests.length) console.out("Next: drwn card trust");
  for (const line of renderGuarding(written.guarding, console)) console.out(line);
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

async function takeWhatIsAsked(host: Host, console: Console): Promise<void> {
  const { root, cards } = listCards(host);
  const asked = cards.length === 0 ? "no card yet" : plural(cards.length, "card");
  console.out(`${clean(root, 2000)} is a drwn project and asks for ${asked}`);
  for (const { name, version } of cards) console.out(`  ${clean(name)}@${clean(version)}`);
  for (const registry of await findRequestedRegistries(host)) {
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
