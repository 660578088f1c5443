import * as Flags from "@oclif/core/flags";
import { clean } from "../../kernel/text.ts";
import { type Status as ProjectStatus, readStatusOfBoth } from "../../operations/diagnose/status.ts";
import { readLost } from "../../operations/machine/lost-home.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { answerLost } from "../lost-home.ts";
import { nextSteps } from "../next-steps.ts";
import { describeConsent, describeReasons } from "../render/consents.ts";
import { beyondGuarding, renderGuarding } from "../render/guarding.ts";
import { renderFinding } from "../render/problem.ts";
import { renderTable } from "../render/table.ts";
import { describeLoosened } from "../render/write.ts";
import { type Console, EXIT } from "../terminal/console.ts";

export default class Status extends ManagedCommand {
  protected override isReader(): boolean {
    return true;
  }
  static override aliases = ["card:status"];
  static override description = `Say where this project stands: cards, consents, and what to do next.

It compares the end of the newest sessions here with the journal: a call that ran without the hook, or although it was denied,
is in the first line. \`drwn log --check\` compares everything, \`drwn doctor\` verifies the rest.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --check",
    "<%= config.bin %> <%= command.id %> --json",
  ];
  static override flags = {
    check: Flags.boolean({ description: "Exit with 3 if a guard that was consented to isn't in force." }),
  };

  protected override readonly needsHome = false;

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Status);
    const lost = readLost(host);
    if (lost !== undefined) return answerLost(lost, flags.check ? EXIT.found : EXIT.done);
    const status = await readStatusOfBoth(host);
    const stands = isGuarded(status) && (status.global === null || isGuarded(status.global));
    return {
      json: status,
      exitCode: flags.check && !stands ? EXIT.found : EXIT.done,
      print: (console) => {
        printStatus(status, console);
        if (status.global === null) return;
        console.out();
        printStatus(status.global, console);
      },
    };
  }
}

/** Whoever asks whether root's guards hold asks for many users: "not known" doesn't count as a yes. */
function isGuarded({ scope, guarding: { ok, agents } }: Pick<ProjectStatus, "scope" | "guarding">): boolean {
  return ok && (scope !== "system" || agents.every(({ state }) => state !== "unknown"));
}

const WIDE = { global: "Every folder", system: "Every user" };

function printStatus(status: ProjectStatus, { out, style, room }: Console): void {
  const { scope } = status;
  for (const line of renderGuarding(status.guarding, { style, scope })) out(line);
  for (const what of status.unasked) out(style.warn(`Not seen: ${what}`));
  const root = clean(status.root, 2000);
  out(scope === "project" ? `Project ${style.bold(root)}` : `${style.bold(WIDE[scope])}, asked for in ${root}`);
  const rows = status.cards.map(({ name, version, consent }) => [name, version, describeConsent(consent, scope)]);
  for (const line of renderTable(["card", "version", "hooks"], rows, room)) out(line);
  for (const line of describeReasons(status.cards)) out(line);
  for (const line of describeLoosened(status)) out(line);
  for (const one of beyondGuarding(status.findings, status.guarding))
    for (const line of renderFinding(one, { style, scope })) out(line);
  for (const step of nextSteps(status)) out(`Next: ${clean(step, 1000)}`);
}
