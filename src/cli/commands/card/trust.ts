import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { advise, drwn } from "../../../kernel/advice.ts";
import { fetchMissing } from "../../../operations/project/install.ts";
import { listCards } from "../../../operations/project/list.ts";
import { parseTyped } from "../../../operations/project/trust.ts";
import { reviewAndGrant } from "../../ask-to-consent.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../../command.ts";
import { TERMS_FLAGS, toRequestedTerms } from "../../consent-flags.ts";
import { renderGuarding } from "../../render/guarding.ts";
import { describeGranted } from "../../render/review.ts";
import { trustWaiting } from "../../trust-waiting.ts";

export default class CardTrust extends ManagedCommand {
  static override description = `Review the hook policies of installed cards, and consent to them in this project.

The consent is recorded on this machine only. It holds for a semver range: a later version inside it joins by itself if
nothing that the review shows differs, and otherwise waits for you. A consent that replaces another one keeps its terms
unless a flag says otherwise. Next, \`drwn write\` puts the policies in force.

Skills that would make an agent run, permit or read something by themselves are part of the review, line by line, and of the
consent; a card that has only such skills can be trusted, too. Skills that are only text need no consent.

The review says what decides, in a dozen lines a card; --verbose shows everything, and --diff the code.

Without a card, reviews all that wait for you as one, and then writes, too: \`drwn trust\` is the same.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend --hooks",
    '<%= config.bin %> <%= command.id %> @me/backend --hooks --range "^1.0.0"',
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> @me/backend @me/style --hooks",
    "<%= config.bin %> <%= command.id %> --all --hooks",
    "<%= config.bin %> <%= command.id %> @me/backend --hooks --diff",
    "<%= config.bin %> <%= command.id %> @me/backend --hooks --shadow --expires 30d",
    "<%= config.bin %> <%= command.id %> @me/backend --hooks --restrict-only --hook guard-rm",
    "<%= config.bin %> <%= command.id %> @me/backend --hooks --set guard-push.allow='user/*'",
    "<%= config.bin %> <%= command.id %> @me/backend --hooks --yes",
    "<%= config.bin %> <%= command.id %> @me/backend --hooks --digest drwn1-sha512-…",
  ];
  static override completes = { name: "installed-card", hook: "hook-of-installed-card" } as const;
  static override strict = false;
  static override args = {
    name: Args.string({ description: "@scope/name, one or more; without one, those that wait" }),
  };
  static override flags = {
    hooks: Flags.boolean({
      description:
        "Consent to the hook policies, and to skills that are code: all there is to consent to, and the default.",
    }),
    all: Flags.boolean({
      description: "Every installed card whose hook policies or skills wait for a consent: the same as no name.",
    }),
    "no-write": Flags.boolean({ description: "Without a name: consent only, and don't write." }),
    range: Flags.string({ description: "Versions that the consent is for. [default: ^installed]", helpValue: "RANGE" }),
    ...TERMS_FLAGS,
    set: Flags.string({
      description: "Give an option of a hook another value; each mention of a list adds an item; later: drwn card set.",
      multiple: true,
      helpValue: "HOOK.OPTION=VALUE",
    }),
    digest: Flags.string({
      description:
        "Consent, without being asked, to exactly this content, and to this version only unless --range says more.",
      helpValue: "DIGEST",
      exclusive: ["yes", "all"],
    }),
    diff: Flags.boolean({ description: "Show the code that differs from the version approved last." }),
    "max-denied": Flags.string({
      description:
        "Replay each card on your last 30 days first, confined, and refuse it if it denies more: 3, or 0.1%.",
      helpValue: "NUMBER",
    }),
    yes: Flags.boolean({ char: "y", description: "Consent without being asked; the review is still printed." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { argv, flags } = await this.parse(CardTrust);
    const names = [...new Set(argv.map(String))];
    if (flags.all && names.length > 0) this.error("name the cards, or give --all");
    if (names.length !== 1 && (flags.range ?? flags.hook ?? flags.digest ?? flags.set) !== undefined) {
      this.error("--range, --hook, --set and --digest are about one card");
    }
    const terms = toRequestedTerms(flags);
    const { yes, diff, digest } = flags;
    const isVerbose = this.isVerbose();
    const asking = { yes, isVerbose, diff, digest, maxDenied: flags["max-denied"], console: this.consoleOf(host) };
    if (names.length === 0) {
      const unfetched = await fetchMissing(host);
      return trustWaiting(host, { asking, terms, unfetched, isWritten: !flags["no-write"], isVerbose });
    }
    const options = flags.set?.map(parseTyped) ?? [];
    const requests = names.map((card) => ({ card, range: flags.range ?? null, options, ...terms }));
    const consented = await reviewAndGrant(host, requests, asking);
    const [only] = consented;
    const { guarding } = listCards(host);
    return {
      json: names.length === 1 && only !== undefined ? only : { cards: consented },
      print: (answer) => {
        const { out } = answer;
        for (const granted of consented) out(describeGranted(granted));
        for (const line of renderGuarding(guarding, answer)) out(line);
        out(advise`Next: ${drwn("write")}`);
      },
    };
  }
}
