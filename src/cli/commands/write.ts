import * as Flags from "@oclif/core/flags";
import { isProblem, Problem } from "../../kernel/problem.ts";
import { plural } from "../../kernel/text.ts";
import { endLostHome } from "../../operations/machine/lost-home.ts";
import {
  AGENT_IDS,
  checkWrite,
  isOtherNode,
  isWaiting,
  LINK_CHANGED,
  previewWrite,
  type Unwritable,
  type WriteRequest,
  writeProject,
} from "../../operations/project/write.ts";
import { type CommandAnswer, type Host, ManagedCommand } from "../command.ts";
import { answerLoss, describeEndedLoss } from "../lost-home.ts";
import { renderGuarding } from "../render/guarding.ts";
import { problemToJson, renderProblem } from "../render/problem.ts";
import { renderWrite, writeToJson } from "../render/write.ts";
import { EXIT } from "../terminal/console.ts";

export default class Write extends ManagedCommand {
  static override description = `Write the project's cards to the agents.

Writes the skills and MCP servers of every installed card; hook policies, and skills that would make an agent do something by
themselves, only if you consented to them. Your own settings of each agent get constant hook entries; the project decides
what they run. Others' files stay as they are.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --dry-run",
    "<%= config.bin %> <%= command.id %> --check",
    "<%= config.bin %> <%= command.id %> --project",
    "<%= config.bin %> <%= command.id %> --runtime claude-code --runtime codex",
    "<%= config.bin %> <%= command.id %> --also codex",
  ];
  static override flags = {
    "dry-run": Flags.boolean({ default: false, description: "Print what would change, and change nothing." }),
    check: Flags.boolean({
      description: "Exit with 3 if anything would change, or a guard isn't in force, and change nothing.",
    }),
    strict: Flags.boolean({
      description: "Exit with 3 if hook policies or skills of an installed card are not applied.",
    }),
    runtime: Flags.option({
      multiple: true,
      options: [...AGENT_IDS, "all"] as const,
      description:
        "An agent to guard, instead of those that are found or that config.json names. Repeat it for more. Remembered until you choose others; `all` goes back.",
    })(),
    also: Flags.option({
      multiple: true,
      options: AGENT_IDS,
      description: "An agent to guard in addition to the others. Remembered.",
      exclusive: ["runtime"],
    })(),
    node: Flags.string({
      description: "With --system: the Node that starts the hook, which users can't replace. Remembered.",
      helpValue: "FILE",
      dependsOn: ["system"],
    }),
    mods: Flags.boolean({
      allowNo: true,
      description: "With --system: whether Claude Code may load mods of users. Remembered.",
      dependsOn: ["system"],
    }),
    shared: Flags.boolean({
      description:
        "Also put an entry into .claude/settings.json for you to commit: it blocks where the cards that `requireHooks` in config.json names aren't in force. It stays until nothing is required.",
      exclusive: ["global", "system"],
    }),
    project: Flags.boolean({
      allowNo: true,
      exclusive: ["global", "system"],
      description:
        "Put the hook entry into the project's .claude/settings.local.json instead of your own settings. Remembered.",
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(Write);
    const wiring = flags.project === undefined ? undefined : flags.project ? "project" : "user";
    const isDryRun = flags["dry-run"] || flags.check;
    const request: WriteRequest = {
      ...{ wiring, runtimes: flags.runtime, also: flags.also, shared: flags.shared, hasMods: flags.mods },
    };
    const loss = isDryRun ? undefined : await endLostHome(host);
    if (loss !== undefined && !loss.hasProject) return answerLoss(loss);
    const preview = flags.check ? checkWrite : previewWrite;
    const written = await (isDryRun ? preview(host, request) : writeProject(host, request)).catch((error: unknown) => {
      if (loss === undefined || !isProblem(error)) throw error;
      const { code, message, hint, details } = error;
      throw new Problem(code, message, {
        ...(hint === undefined ? {} : { hint }),
        details: [...describeEndedLoss(loss), ...details],
      });
    });
    if ("problem" in written) return answerUnwritable(written);
    const wouldChange =
      written.changes.some((change) => !isOtherNode(change)) ||
      written.findings.some(({ code }) => code === LINK_CHANGED);
    const isMoved = written.project.formerPath !== null;
    const isFound =
      isMoved ||
      (flags.check && (wouldChange || !written.guarding.ok || written.unserved.length > 0)) ||
      (flags.strict && written.findings.some(isWaiting));
    return {
      json: { ...writeToJson(written), dryRun: isDryRun },
      print: (console) => {
        if (loss !== undefined) for (const line of describeEndedLoss(loss)) console.out(line);
        renderWrite(written, console, { isDryRun, isVerbose: this.isVerbose(), drwnHome: host.drwnHome });
        if (isDryRun && written.changes.length > 0)
          console.talk(`${plural(written.changes.length, "change")}, nothing written`);
      },
      exitCode: isFound ? EXIT.found : EXIT.done,
    };
  }
}

function answerUnwritable({ guarding, problem }: Unwritable): CommandAnswer {
  return {
    json: { guarding, ...problemToJson(problem) },
    print: (console) => {
      for (const line of renderGuarding(guarding, console)) console.out(line);
      for (const line of renderProblem(problem, console)) console.talk(line);
    },
    exitCode: EXIT.found,
  };
}
