import { clean } from "../../kernel/text.ts";
import { readStatus } from "../../operations/project/status.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";
import { describeConsent } from "../render/consent/consent.ts";
import { renderTable } from "../render/table.ts";

export default class Status extends DrwnCommand {
  static override aliases = ["card:status"];
  static override description = `Say where this project stands: cards, consents, and what to do next.

\`drwn doctor\` verifies all of it.`;
  static override examples = ["<%= config.bin %> <%= command.id %>", "<%= config.bin %> <%= command.id %> --json"];

  protected async answer(host: Host): Promise<CommandAnswer> {
    await this.parse(Status);
    const status = readStatus(host);
    return {
      json: status,
      print: ({ out, style }) => {
        out(`Project ${style.bold(clean(status.root, 2000))}`);
        const rows = status.cards.map(({ name, version, consent }) => [name, version, describeConsent(consent)]);
        for (const line of renderTable(["card", "version", "hooks"], rows)) out(line);
        for (const { name, version, consent } of status.cards) {
          if (consent?.reason) out(`${clean(name)}@${version}: ${clean(consent.reason, 1000)}`);
        }
        for (const name of status.dropped)
          out(`${clean(name)} is no longer in card.lock, and its approved hooks stay in force`);
        if (status.pausedUntil !== null) {
          out(style.warn(`Paused until ${status.pausedUntil}: no hook policy runs. To end it: drwn pause --end`));
        }
        if (status.movedFrom !== null) {
          out(
            style.bad(
              `This folder was ${clean(status.movedFrom, 2000)}, where hook policies were consented to: every tool call is blocked until you say what is meant`,
            ),
          );
        }
        for (const { subject, message, hint } of status.findings) {
          out(`${style.bad("error")} ${clean(subject, 1000)}: ${clean(message, 1000)}`);
          if (hint !== null) out(`  hint: ${clean(hint, 1000)}`);
        }
        for (const step of nextSteps(status)) out(`Next: ${step}`);
      },
    };
  }
}

function nextSteps({ cards, lockInStep, planInForce, movedFrom }: ReturnType<typeof readStatus>): string[] {
  if (movedFrom !== null) return ["drwn trust adopt, or: drwn trust adopt --forget"];
  if (!lockInStep) return ["drwn install"];
  if (cards.length === 0) return ["drwn add <card>"];
  const steps = cards.flatMap(({ consent }) => consent?.review ?? []);
  const needsWrite = cards.some(
    ({ consent }) => consent?.state === "joins" || (consent?.state === "active" && !planInForce),
  );
  return needsWrite ? [...steps, "drwn write"] : steps;
}
