import * as Args from "@oclif/core/args";
import { clean } from "../../kernel/text.ts";
import { findCall } from "../../operations/diagnose/log.ts";
import { readStatus } from "../../operations/diagnose/status.ts";
import { explainCard, type Why as WhyAnswer } from "../../operations/diagnose/why.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { nextSteps } from "../next-steps.ts";
import { renderGuarding } from "../render/guarding.ts";
import { describeGiven, describeServerRun, renderHook } from "../render/hook.ts";
import { explainCall } from "../render/log.ts";
import type { Console } from "../terminal/console.ts";

export default class Why extends ManagedCommand {
  static override aliases = ["card:why"];
  static override completes = { what: "card-or-call" } as const;
  static override description = `Say why a card is here, or why a call was denied.

For a card: what asks for it, what it brings, and which parts are in force. For a call: what each policy said, which rule decided,
and what the agent got. Without an argument: the last call that was denied or asked about.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> @me/backend",
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> 1f0c2a9be774",
  ];
  static override args = {
    what: Args.string({ description: "@scope/name of a card, or the id of a call that `drwn log` shows" }),
  };

  protected override isReader(): boolean {
    return true;
  }

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args } = await this.parse(Why);
    if (!args.what?.includes("/")) {
      const call = findCall(host, args.what);
      return { json: call, print: (console) => explainCall(call, console) };
    }
    const why = explainCard(host, args.what);
    return {
      json: why,
      print: (console) => {
        printWhy(why, console);
        for (const step of stepsFor(host, why)) console.out(`Next: ${clean(step, 1000)}`);
      },
    };
  }
}

/** The commands that put this card's hooks in force; none if they are, or if a person has taken the card out. */
function stepsFor(host: Host, { card, asked, inForce }: WhyAnswer): string[] {
  if (asked.range === null || inForce.state === "active" || inForce.state === "none") return [];
  const status = readStatus(host);
  return nextSteps({ ...status, cards: status.cards.filter(({ name }) => name === card) });
}

function printWhy({ card, guarding, asked, brings, inForce }: WhyAnswer, console: Console): void {
  const { out, style } = console;
  for (const line of renderGuarding(guarding, console)) out(line);
  out(style.bold(card));
  out(`  asked for   ${asked.range === null ? "no longer by config.json" : `as ${clean(asked.range)} by config.json`}`);
  if (asked.trustRequest !== null)
    out(`  consent     asked for in the range ${clean(asked.trustRequest)} by trust.json`);
  if (asked.locked === null) out("  locked      not in card.lock");
  else {
    const { version, source, isSourceSeen, publisher } = asked.locked;
    const from = isSourceSeen ? clean(source) : `this project's own copy; card.lock says from ${clean(source)}`;
    out(`  locked      ${clean(version)} from ${from}, ${publisher === null ? "not signed" : clean(publisher)}`);
  }
  for (const skill of brings?.skills ?? []) out(`  brings      skill ${clean(skill)}`);
  for (const { skill, reason } of brings?.withheldSkills ?? []) {
    out(`  left out    skill ${clean(skill)}: ${clean(reason, 1000)}`);
  }
  for (const server of brings?.servers ?? []) {
    out(`  brings      MCP server ${describeServerRun(server)}`);
    for (const line of describeGiven(server)) out(`              ${line}`);
  }
  for (const hook of brings?.hooks ?? []) out(`  brings      hook ${renderHook(hook)}`);
  const where = inForce.inForceIn === undefined ? "" : `, only in ${inForce.inForceIn.join(", ")}`;
  for (const hook of inForce.hooks) out(`  in force    ${clean(inForce.version ?? "")} ${renderHook(hook)}${where}`);
  if (inForce.hooks.length === 0) out("  in force    none of its hooks");
  out(`  because     ${clean(inForce.because, 1000)}`);
}
