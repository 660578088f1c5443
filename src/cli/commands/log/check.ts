import * as Flags from "@oclif/core/flags";
import { checkLog } from "../../../operations/diagnose/check-log.ts";
import { type CommandAnswer, DrwnCommand, type Host } from "../../command.ts";
import { renderLogCheck } from "../../render/log.ts";
import { EXIT } from "../../terminal/console.ts";

export default class LogCheck extends DrwnCommand {
  static override hidden = true;
  static override description =
    `Compare the journal with what the agents themselves recorded of their sessions in this project.

It reads the transcripts of Claude Code, Codex, Gemini CLI, Copilot CLI, OpenCode, Kilo and Qwen Code, and changes none of them. It names the calls that
ran though the hook denied them, the calls that no hook saw, and the sessions in which no hook ran, as with \`claude --bare\`;
subagents' calls, too. It looks at calls since you consented, of tools that an approved policy has to be asked about.
Exits with 3 if there are any.

It says what it doesn't understand, such as a transcript of a version that drwn doesn't know, and doesn't guess. OpenCode's sessions
are in an SQLite database, which takes Node 22.13 or later to read. It cannot see a session whose transcript the agent
didn't keep, or kept elsewhere.`;
  static override examples = [
    "<%= config.bin %> <%= command.id %>",
    "<%= config.bin %> <%= command.id %> --since 7d",
    "<%= config.bin %> <%= command.id %> --json",
  ];
  static override flags = {
    since: Flags.string({
      description: "Only calls since then: 2026-01-31T12:00Z, 90s, 10m, 2h, 3d.",
      helpValue: "WHEN",
    }),
  };

  protected async answer(host: Host): Promise<CommandAnswer> {
    const { flags } = await this.parse(LogCheck);
    const check = await checkLog(host, flags);
    return {
      json: check,
      print: (console) => renderLogCheck(check, console),
      exitCode: check.found ? EXIT.found : EXIT.done,
    };
  }
}
