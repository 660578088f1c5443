import * as Flags from "@oclif/core/flags";
import { isCommand, sayIn } from "../../kernel/advice.ts";
import { writeAtomic } from "../../kernel/files.ts";
import { clean, plural } from "../../kernel/text.ts";
import { makeReport, type Report, readReplay, reportFile } from "../../operations/report/report.ts";
import { type CommandAnswer, type Host, ScopedCommand } from "../command.ts";
import { nextSteps } from "../next-steps.ts";
import { openFile, writeOutput } from "../write-output.ts";

export default class ReportCommand extends ScopedCommand {
  static override description = `Make one page of what your guards did, to look at in a browser.

It shows what is guarded and by what, calls and verdicts over time, what was denied and why, what a person let through, what guards in shadow mode would have
done, calls that ran though denied or that no hook saw, slow policies, guards that never fired, and what waits for you.

The page is one file: it contains no program and loads nothing. Unless you name another place, it is in drwn's own folder, where only you
can read it. It may contain commands of yours.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %> --open",
    "<%= config.bin %> <%= command.id %> --since 30d --out report.html",
    "<%= config.bin %> <%= command.id %> --all-projects --open",
    "<%= config.bin %> <%= command.id %> --json",
  ];
  static override flags = {
    since: Flags.string({ default: "7d", description: "Since when: 7d, 12h, or a day.", helpValue: "TIME" }),
    project: Flags.string({
      description: "The folder of the project. [default: the current one]",
      helpValue: "FOLDER",
      exclusive: ["all-projects", "global"],
    }),
    "all-projects": Flags.boolean({
      default: false,
      description: "Every project that drwn knows on this machine.",
      exclusive: ["global"],
    }),
    replay: Flags.string({
      description: "Also show what `drwn replay --json` said, from this file.",
      helpValue: "FILE",
    }),
    open: Flags.boolean({ default: false, description: "Show the page in your browser." }),
    out: Flags.string({ description: "Write the page to this file.", helpValue: "FILE" }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(ReportCommand);
    const { since, project, "all-projects": isEverywhere } = flags;
    const replay = flags.replay === undefined ? null : readReplay(host, flags.replay);
    const report = await makeReport(host, { since, project, isEverywhere });
    const waiting = waitingIn(report);
    if (this.wantsJson() && flags.out === undefined) return { json: { ...report, waiting }, print: () => {} };
    host.progress("drawing the page");
    // Loaded here: no other command draws.
    const { renderPage } = await import("../render/report/page.ts");
    const page = renderPage({ report, replay, waiting });
    const file = flags.out === undefined ? reportFile(host) : writeOutput(host.cwd, flags.out, page);
    if (flags.out === undefined) writeAtomic(file, page);
    if (flags.open) openFile(host, file);
    return {
      json: { ...report, waiting, file },
      print: ({ out }) => {
        const { calls, denies, asks } = report.figures;
        out(`${plural(calls, "call")}: ${denies} denied, ${asks} asked about`);
        out(`Report: ${clean(file, 2_000)}`);
        if (!flags.open && flags.out === undefined) out("To look at it: drwn report --open");
      },
    };
  }
}

/** What a person has to decide or to do, each with its command. */
function waitingIn({ projects }: Report): { project: string; command: string }[] {
  return projects.flatMap((status) => {
    const project = status.scope === "global" ? "every folder" : status.root;
    const commands = status.findings.flatMap(({ hint }) =>
      hint !== null && isCommand(hint) ? [sayIn(status.scope, hint)] : [],
    );
    return [...new Set([...nextSteps(status), ...commands])].map((command) => ({ project, command }));
  });
}
