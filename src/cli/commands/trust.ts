import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { Problem } from "../../kernel/problem.ts";
import { clean } from "../../kernel/text.ts";
import { readStatus } from "../../operations/diagnose/status.ts";
import { listConsents, readConsentHistory, showConsent } from "../../operations/machine/consents.ts";
import { exportConsents } from "../../operations/machine/portable-consents.ts";
import { adoptFormerProject, reviewAdoption } from "../../operations/project/adopt.ts";
import { fetchMissing } from "../../operations/project/install.ts";
import { listCards } from "../../operations/project/list.ts";
import { reviewsToJson } from "../ask-to-consent.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { answerConsent, answerConsentLog, answerConsents } from "../render/consents.ts";
import { askYes } from "../terminal/prompt.ts";
import { awaitsWrite, requestsWaiting, trustWaiting } from "../trust-waiting.ts";

const REVIEWING = ["yes", "diff", "no-write"];

export default class Trust extends ManagedCommand {
  static override completes = { name: "installed-card" } as const;
  static override description = `Review everything that waits for your consent here, consent, and write.

All cards are one review with one question; you can take some of them. If nothing waits, with --list and with --json it shows what you consented
to, and what the project's committed trust.json asks for, which only you can grant. For one card, it shows everything
that is recorded: the terms, the facts that a later version must not exceed, and each content that was approved, on whose word.

--log shows every change of consent: when, what, and on whose word. It also shows each change of how this machine takes consents,
which holds for every project. Lines are only ever added, and each names the one before it: a line that was edited or removed is
reported, and the exit code is 3. A log whose end was cut off looks like a shorter one.

--export prints the consents in force here, for \`drwn trust accept\` on another machine. They name exact contents.

--adopt takes over the consents of a project folder that was moved, which drwn recognises by its inode: until you answer, every tool call in it is
blocked. --no-adopt leaves them where they are, and drwn doesn't ask again.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --yes",
    "<%= config.bin %> <%= command.id %> --list",
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %> @me/backend --log",
    "<%= config.bin %> <%= command.id %> --export > trust.json",
    "<%= config.bin %> <%= command.id %> --adopt",
  ];
  static override args = { name: Args.string({ description: "@scope/name: only this card" }) };
  static override flags = {
    yes: Flags.boolean({ char: "y", description: "Consent without being asked; the review is still printed." }),
    diff: Flags.boolean({ description: "Show the code that differs from the version approved last." }),
    "no-write": Flags.boolean({ description: "Consent only, and don't write." }),
    list: Flags.boolean({ description: "Show the consents, and change nothing.", exclusive: REVIEWING }),
    log: Flags.boolean({ description: "Show every change of consent.", exclusive: REVIEWING }),
    export: Flags.boolean({
      description: "Print the consents for another machine.",
      exclusive: ["log", "global", ...REVIEWING],
    }),
    adopt: Flags.boolean({
      allowNo: true,
      description: "Take over the consents of a folder that was moved here.",
      exclusive: ["diff", "no-write", "list", "log", "export", "global", "system"],
    }),
  };

  protected override isReader({ list, log, export: isExport, yes }: Readonly<Record<string, unknown>>): boolean {
    return yes !== true && [list, log, isExport, this.wantsJson()].includes(true);
  }

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(Trust);
    if (flags.adopt !== undefined) return this.#adopt(host, flags);
    if (flags.log) return answerConsentLog(readConsentHistory(host, args.name));
    if (!flags.export) {
      if (args.name !== undefined) return answerConsent(showConsent(host, args.name));
      if (flags.list) return answerListed(host);
      if (this.wantsJson() && !flags.yes) return answerListed(host, { isReviewed: readStatus(host).isFetched });
      const unfetched = await fetchMissing(host);
      if (requestsWaiting(host).length === 0 && !awaitsWrite(host)) return answerListed(host);
      const isVerbose = this.isVerbose();
      const asking = { yes: flags.yes, diff: flags.diff, isVerbose, console: this.consoleOf(host) };
      return trustWaiting(host, { asking, unfetched, isWritten: !flags["no-write"], isVerbose });
    }
    if (args.name !== undefined) this.error("--export is about all consents of the project");
    return answerExport(host);
  }

  async #adopt(host: Host, { adopt, yes }: { adopt?: boolean; yes: boolean }): Promise<CommandAnswer> {
    const { talk } = this.consoleOf(host);
    const offered = reviewAdoption(host);
    for (const { card, version, range } of offered?.cards ?? []) {
      talk(`  ${clean(card)} ${clean(version ?? "")}, consented to in the range ${clean(range)}`);
    }
    const isTaken = adopt === true;
    if (isTaken && offered !== undefined && !yes && !(await askToAdopt(offered.from))) {
      throw new Problem("DRWN_CONSENT_DECLINED", "nothing was taken over", { hint: "drwn trust --no-adopt" });
    }
    const adopted = await adoptFormerProject(host, isTaken ? "take" : "forget");
    return {
      json: { ...adopted, taken: isTaken },
      print: ({ out }) => {
        const from = clean(adopted.from, 2_000);
        out(isTaken ? `Took over the consents of ${from}` : `Left the consents of ${from} alone`);
        if (isTaken) out("Every tool call here stays blocked until you write. Next: drwn write");
      },
    };
  }
}

function askToAdopt(from: string): Promise<boolean> {
  const command = "drwn trust --adopt";
  return askYes(`This folder was ${clean(from, 2_000)}. Take over its consents?`, { flag: "--yes", command });
}

function answerListed(host: Host, { isReviewed = false } = {}): CommandAnswer {
  const waiting = listCards(host).cards.flatMap(({ name, consent }) => (consent?.awaits === true ? [name] : []));
  const listed = { ...listConsents(host), waiting };
  const { json, print } = answerConsents(listed, host);
  return { json: isReviewed ? { ...listed, reviews: reviewsToJson(host, requestsWaiting(host)) } : json, print };
}

function answerExport(host: Host): CommandAnswer {
  const { text } = exportConsents(host);
  return { json: JSON.parse(text), print: ({ raw }) => raw(text.trimEnd()) };
}
