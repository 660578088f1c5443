import * as Flags from "@oclif/core/flags";
import { advise, drwn } from "../../kernel/advice.ts";
import { clean, plural } from "../../kernel/text.ts";
import { readStatus, type Status } from "../../operations/diagnose/status.ts";
import { type InstallResult, installCards, type VendorResult, vendorCards } from "../../operations/project/install.ts";
import { isWrittenHere, projectAfter, type WriteResult, writeProject } from "../../operations/project/write.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { nextSteps, stepsToWrite } from "../next-steps.ts";
import { warnOfDeprecation } from "../render/card.ts";
import { describeReasons } from "../render/consents.ts";
import { renderGuarding } from "../render/guarding.ts";
import { describeLoosened, renderInForce, writeToJson } from "../render/write.ts";
import type { Console } from "../terminal/console.ts";

export default class Install extends ManagedCommand {
  static override aliases = ["card:install"];
  static override description = `Fetch and verify the cards of this project.

Brings the store in step with card.lock, and card.lock in step with config.json, also where git could not merge them: then both have the cards of both sides. Runs nothing in a card. In a project that you have
written to your agents before, it writes, too: after a \`git pull\` this is the one command, and it says what waits
for you, one line each. 

--vendor puts the locked cards' tarballs into .agents/drwn/vendor, and does nothing else. Commit that folder, and installing needs neither a
registry nor a network.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --frozen"];
  static override flags = {
    frozen: Flags.boolean({
      description: "Reproduce card.lock exactly, or fail; and only fetch.",
      exclusive: ["vendor"],
    }),
    vendor: Flags.boolean({
      description: "Put the locked cards' tarballs into the project.",
      exclusive: ["global", "system"],
    }),
    "dry-run": Flags.boolean({
      description: "With --vendor: print what would change, and change nothing.",
      dependsOn: ["vendor"],
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Install);
    if (flags.vendor) return answerVendored(await vendorCards(host, { dryRun: flags["dry-run"] ?? false }));
    const installed = await installCards(host, flags);
    const written = !flags.frozen && isWrittenHere(host) ? await writeProject(host, { wiring: undefined }) : null;
    const status = readStatus(
      host,
      written === null ? undefined : { project: projectAfter(written), guarding: written.guarding },
    );
    // A build machine that installs again has nothing to write.
    const isSame = status.planInForce && !installed.cards.some(({ fetched }) => fetched);
    const next = written === null && !isSame ? stepsToWrite(status) : nextSteps(status);
    return {
      json: { ...installed, write: written === null ? null : writeToJson(written) },
      print: (console) => {
        printInstalled({ installed, written, status }, console);
        for (const step of next) console.out(`Next: ${clean(step, 1000)}`);
      },
    };
  }
}

function answerVendored(vendored: VendorResult): CommandAnswer {
  const { written, removed, unchanged, dryRun } = vendored;
  return {
    json: vendored,
    print: ({ out }) => {
      for (const file of written) out(`${dryRun ? "would write" : "Wrote"} ${clean(file, 2000)}`);
      for (const file of removed) out(`${dryRun ? "would remove" : "Removed"} ${clean(file, 2000)}`);
      if (written.length === 0 && removed.length === 0) out("Already up to date");
      else if (!dryRun) out(`${plural(written.length + unchanged, "card")} vendored. Next: commit .agents/drwn/vendor`);
    },
  };
}

interface Printed {
  installed: InstallResult;
  /** null: nothing was written. */
  written: WriteResult | null;
  status: Status;
}

function printInstalled({ installed, written, status }: Printed, console: Console): void {
  const { out } = console;
  const { cards, lockChanged } = installed;
  if (written !== null) for (const line of renderGuarding(written.guarding, console)) out(line);
  for (const file of installed.merged ?? []) out(`Merged ${clean(file, 2_000)}: it has the cards of both sides`);
  for (const line of describeLoosened(status)) out(line);
  for (const { name, spec } of installed.notInConfig ?? []) {
    if (status.dropped.includes(name)) continue;
    out(
      advise`${name} was in card.lock, but isn't in config.json, so nobody gets it. Bring it back: ${drwn("add", clean(spec, 1000))}`,
    );
  }
  warnOfDeprecation(cards, console);
  const fetched = cards.filter((card) => card.fetched);
  for (const { name, version } of fetched) out(`Fetched ${name}@${version}`);
  if (lockChanged) out("Updated card.lock");
  const hasWritten = written !== null && written.changes.length > 0;
  if (fetched.length === 0 && !lockChanged && !hasWritten) out("Already up to date");
  else out(`${plural(cards.length, "card")} installed${hasWritten ? ", and written to the agents" : ""}`);
  if (hasWritten) renderInForce(written, console);
  const said = new Set(status.bringBack.map(({ card }) => card));
  for (const line of describeReasons(status.cards.filter(({ name }) => !said.has(name)))) out(line);
}
