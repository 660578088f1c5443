import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Text } from "../../kernel/advice.ts";
import { clean, plural } from "../../kernel/text.ts";
import { readStatus } from "../../operations/diagnose/status.ts";
import { type AddResult, addCards } from "../../operations/project/add.ts";
import type { HookConsent, ListedCard } from "../../operations/project/list.ts";
import { reviewAndGrant } from "../ask-to-consent.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { stepsToWrite, writeAfterConsent } from "../next-steps.ts";
import { warnOfDeprecation } from "../render/card.ts";
import { writeToJson } from "../render/write.ts";
import { renderGuarded } from "../trust-waiting.ts";

export default class Add extends ManagedCommand {
  static override completes = { spec: "published-card" } as const;
  static override aliases = ["card:add"];
  static override description = `Add cards to the project.

Resolves, fetches, verifies and locks them, and runs nothing in them. A card's skills and MCP servers reach the agents with
\`drwn write\`, its hook policies and skills that are code only after \`drwn card trust\`. --trust does all of this at once, after one review.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    '<%= config.bin %> <%= command.id %> "@me/backend@^1.0.0" @me/style',
    "<%= config.bin %> <%= command.id %> @me/backend --trust",
    '<%= config.bin %> <%= command.id %> "github:me/backend#semver:^1.0.0"',
    "<%= config.bin %> <%= command.id %> ../backend",
  ];
  static override strict = false;
  static override args = {
    spec: Args.string({
      description: "@scope/name, @scope/name@range, a git address, a tarball or a folder",
      required: true,
    }),
  };
  static override flags = {
    trust: Flags.boolean({
      description: "Review the hook policies and the skills that are code, consent to them, and write.",
    }),
    yes: Flags.boolean({
      char: "y",
      description: "Consent without being asked; the review is still printed.",
      dependsOn: ["trust"],
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { argv, flags } = await this.parse(Add);
    const added = await addCards(host, argv.map(String));
    if (!flags.trust) {
      const status = readStatus(host);
      const { cards: listed } = status;
      const next = stepsToWrite(status);
      return {
        json: added,
        print: (console) => {
          warnOfDeprecation(added.cards, console);
          printAdded(added, { out: console.out, listed, next });
        },
      };
    }
    const console = this.consoleOf(host);
    if (!this.wantsJson()) {
      warnOfDeprecation(added.cards, console);
      printAdded(added, { out: console.talk });
    }
    const requests = added.cards
      .filter(({ hooks, codeSkills }) => hooks > 0 || codeSkills.length > 0)
      .map(({ name, range, version }) => ({ card: name, range: range === version ? `=${version}` : null }));
    const asking = { yes: flags.yes, diff: false, isVerbose: this.isVerbose(), console };
    const trusted = requests.length === 0 ? [] : await reviewAndGrant(host, requests, asking);
    const written = await writeAfterConsent(host, trusted);
    return {
      json: { ...added, trusted, write: writeToJson(written) },
      print: (answer) => renderGuarded(host, written, { console: answer, isVerbose: this.isVerbose() }),
    };
  }
}

interface Printing {
  out: (line?: Text) => void;
  /** What becomes of each card's hook policies; absent while the review is still to come. */
  listed?: readonly ListedCard[];
  /** The commands that come next. */
  next?: readonly string[];
}

function printAdded({ cards }: AddResult, { out, listed, next = [] }: Printing): void {
  for (const { name, version, before, range } of cards) {
    const from = before === null || before === version ? "" : ` (was ${before})`;
    out(`Added ${name}@${version}${from}, asked for as ${clean(range, 200)}`);
  }
  if (listed === undefined) return;
  const added = new Set(cards.map(({ name }) => name));
  for (const card of listed) {
    if (card.consent !== null && added.has(card.name)) out(describeHooks(card, card.consent));
  }
  for (const { name, codeSkills } of cards) {
    if (codeSkills.length === 0) continue;
    out(
      `${plural(codeSkills.length, "skill")} of ${name} (${codeSkills.join(", ")}) would make an agent do something by itself`,
    );
  }
  for (const step of next) out(`Next: ${clean(step, 1000)}`);
}

function describeHooks({ name, hooks }: ListedCard, { state, inForce }: HookConsent): string {
  const policies = `${plural(hooks.length, "hook policy", "hook policies")} of ${name}`;
  const waiting = ` ${hooks.length === 1 ? "waits" : "wait"} for your consent`;
  switch (state) {
    case "active":
      return `${policies} approved before`;
    case "unguarded":
      return `${policies} consented to before, and NOT in force`;
    case "joins":
      return `${policies} inside the range you consented to: they join with the next write`;
    case "waits":
    case "off":
      return `${policies}${waiting}${inForce === null ? "" : `; ${inForce} stays in force`}`;
    case "refused":
      return `${policies} not active${inForce === null ? "" : `; ${inForce} stays in force`}`;
  }
}
