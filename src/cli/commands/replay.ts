import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { shellQuote } from "../../kernel/text.ts";
import { findCard } from "../../operations/author/test-card.ts";
import { type ReplayReport, replayPast, type Side } from "../../operations/diagnose/replay.ts";
import { AGENT_IDS } from "../../operations/project/write.ts";
import { askToRun } from "../ask-to-run.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../command.ts";
import { renderReplay } from "../render/replay.ts";
import { EXIT } from "../terminal/console.ts";
import { writeOutput } from "../write-output.ts";

export default class ReplayCommand extends DrwnCommand {
  static override completes = { card: "published-card" } as const;
  static override description = `Ask a guard about your own past: what it would have done to the calls of your sessions.

Reads what Claude Code, Codex, Gemini CLI, Copilot CLI, OpenCode, Kilo, Qwen Code and Pi keep of past sessions on this machine. Nothing of it is copied,
leaves the machine, or reaches a card beyond the event that its hooks would have seen. Without a card, asks the hooks in force in this project.

--against lists only the calls on which the two sides differ, in both directions. Hooks that need more than the event are listed as
not replayed. The code of a card that you did not consent to runs only if you say yes, or with --run, and then reaches nothing.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> @me/backend@2.0.0 --run --since 7d",
    "<%= config.bin %> <%= command.id %> @me/backend@2.0.0 --against in-force --run",
    "<%= config.bin %> <%= command.id %> ./backend --all-projects --max-denied 0.1%",
    "<%= config.bin %> <%= command.id %> @me/backend@2.0.0 --run --html replay.html",
  ];
  static override args = {
    card: Args.string({
      description: "a source by name or folder, or @scope/name@version; without it: what is in force",
    }),
  };
  static override flags = {
    against: Flags.string({
      description: "List only what differs from this card, or from what is in force.",
      helpValue: "CARD|in-force",
    }),
    since: Flags.string({
      default: "30d",
      description: "Since when: 30d, 12h, or a day.",
      helpValue: "TIME",
    }),
    agent: Flags.option({ options: AGENT_IDS, description: "Only sessions of this agent." })(),
    project: Flags.string({
      description: "The folder whose sessions are replayed. [default: the current project]",
      helpValue: "FOLDER",
      exclusive: ["all-projects"],
    }),
    "all-projects": Flags.boolean({ default: false, description: "Sessions in every folder." }),
    "max-denied": Flags.string({
      description: "Exit with 3 if more calls are denied: 3, or 0.1%.",
      helpValue: "NUMBER",
    }),
    limit: Flags.integer({ default: 100_000, min: 1, max: 10_000_000, description: "Replay at most this many calls." }),
    html: Flags.string({
      description: "Also write the result as a page to this file, as `drwn report` does.",
      helpValue: "FILE",
    }),
    run: Flags.boolean({ default: false, description: "Run the card's code without asking." }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { args, flags } = await this.parse(ReplayCommand);
    const side = await this.#findSide(host, args.card ?? "in-force", flags.run);
    const against = flags.against === undefined ? null : await this.#findSide(host, flags.against, flags.run);
    const ending = new AbortController();
    const end = (): void => ending.abort();
    process.once("SIGINT", end);
    try {
      const report = await replayPast(host, {
        side,
        against,
        since: flags.since,
        agent: flags.agent,
        project: flags.project,
        isEverywhere: flags["all-projects"],
        limit: flags.limit,
        maxDenied: flags["max-denied"],
        signal: ending.signal,
      });
      if (flags.html !== undefined) await writePage(host.cwd, flags.html, report);
      return {
        json: report,
        print: (console) => renderReplay(report, console),
        exitCode: report.isWithin === false ? EXIT.found : EXIT.done,
      };
    } finally {
      process.off("SIGINT", end);
    }
  }

  async #findSide(host: Host, typed: string, isAllowed: boolean): Promise<Side> {
    if (typed === "in-force") return typed;
    const card = await findCard(host, typed);
    const words = this.argv.map((word) => shellQuote(word)).join(" ");
    if (!isAllowed && !(card.from === "source" || card.isApproved)) {
      await askToRun(card, { host, isQuiet: this.wantsJson(), command: `drwn replay ${words} --run` });
    }
    return card;
  }
}

async function writePage(cwd: string, file: string, replay: ReplayReport): Promise<void> {
  // Loaded here: no other command draws.
  const { renderPage } = await import("../render/report/page.ts");
  writeOutput(cwd, file, renderPage({ report: null, replay, waiting: [] }));
}
